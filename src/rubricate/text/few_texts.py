"""The vectors of a few texts without compiled code: what `Analyzer` and `Vectors` do, one document at a time.

For one line of text, loading compiled loops costs far more than the work itself. Terms, counts and weights are those of
`rubricate.text.vectors` to the last bit. Phrases with gaps (`window`) and hashed n-grams are not done here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rubricate.text.options import MARK, STEMMERS
from rubricate.text.runs import character_ngrams, web_tokens
from rubricate.text.smart import weigh_row
from rubricate.text.tokens import pattern

if TYPE_CHECKING:
    from rubricate.types import Floats

__all__ = ["FewTexts"]

NEVER = re.compile("[\x00\x01\ud800-\udfff]")
"""Code points that no token contains, though the pattern of a token would take them; see `rubricate.text.tokens`."""


@dataclass(frozen=True)
class FewTexts:
    """How a document becomes a vector: settings of the analysis, the column of each term, and the weights.

    `lengths` are the shortest and longest phrase, or character n-gram; `title` is as in `Analyzer`.
    """

    tokens: str
    stop: frozenset[str]
    min_length: int
    stem: str | None
    lengths: tuple[int, int]
    title: str | int
    columns: Mapping[str, int]
    scheme: str
    idf: Floats

    def vector(self, title: str | None, body: str) -> tuple[NDArray[np.int64], Floats]:
        """Return the columns of a document, ascending, and their weights; `title` is None where there are none."""
        counts = Counter(self.columns[term] for term in self.terms(title, body) if term in self.columns)
        columns = np.array(sorted(counts), np.int64)
        values = np.array([counts[column] for column in columns.tolist()], np.float64)
        return columns, weigh_row(values, self.scheme, self.idf[columns])

    def terms(self, title: str | None, body: str) -> list[str]:
        """Return the terms of a document."""
        if title is None:
            return self._terms(body)
        if self.title == "plain":
            return self._terms(f"{title}\n{body}" if title else body)
        heading = self._terms(title)
        if self.title == "mark":
            return [*heading, *(MARK + term for term in heading), *self._terms(body)]
        return heading * int(self.title) + self._terms(body)

    def _terms(self, text: str) -> list[str]:
        low, high = self.lengths
        runs = re.findall(pattern(self.tokens), NEVER.sub(" ", text.lower()))
        if self.tokens == "characters":
            return [ngram for run in runs for ngram in character_ngrams(run, low, high)]
        tokens = [token for run in runs for token in web_tokens(run)] if self.tokens == "web" else runs
        kept = [token for token in tokens if len(token) >= self.min_length and token not in self.stop]
        if self.stem is not None:
            import Stemmer

            kept = Stemmer.Stemmer(STEMMERS[self.stem], 0).stemWords(kept)
        if high == 1:
            return kept
        sizes = range(low, min(high, len(kept)) + 1)
        return [" ".join(kept[i : i + n]) for n in sizes for i in range(len(kept) - n + 1)]
