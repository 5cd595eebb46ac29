"""Slow twin of `rubricate.text.term_vectors`: terms, counts and weights of one document at a time, in plain Python."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rubricate.text.ngrams import web_tokens
from rubricate.text.options import MARK, STEMMERS
from rubricate.text.tokens import pattern

NEVER = re.compile("[\x00\x01\ud800-\udfff]")
"""Code points that no token contains, though the pattern of a token would take them; see `rubricate.text.tokens`."""


@dataclass(frozen=True)
class TermVectorOracle:
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
    idf: np.ndarray

    def vector(self, title: str | None, body: str):
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


def weigh_row(counts, scheme, idf):
    """Return the weights of one document, of the counts and the idf of its terms, without compiled code.

    The result is that of `weigh` to the last bit: sums run from left to right.

    >>> weigh_row(np.array([1.0, 2.0]), "ltc", np.array([0.7, 0.1])).round(3).tolist()
    [0.972, 0.235]
    """
    tf, norm = scheme[0], scheme[2]
    if not len(counts):
        return np.empty(0)
    summary = counts.max() if tf == "a" else sum(counts.tolist()) / len(counts)
    data = _frequency(counts.astype(np.float64), tf, summary) * idf
    length = math.sqrt(sum(value * value for value in data.tolist()))
    return data / length if norm == "c" and length > 0 else data


def _frequency(f, tf, summary):
    if tf == "b":
        return np.ones_like(f)
    if tf == "a":
        return f / summary * 0.5 + 0.5
    if tf not in "lL":
        return f
    logs = np.log(f) + 1.0
    scale = 1.0 + np.log(summary)
    return logs if tf == "l" else logs / scale if scale else np.zeros_like(f)


def character_ngrams(run: str, shortest: int, longest: int) -> list[str]:
    """Return the character n-grams of a run with a space on either side, shorter ones first.

    As `analyzer="char_wb"` of scikit-learn has them: a run that is shorter than an n-gram counts once, as a whole.

    >>> character_ngrams("ab", 2, 3), character_ngrams("a", 4, 5)
    ([' a', 'ab', 'b ', ' ab', 'ab '], [' a '])
    """
    padded = f" {run} "
    length = len(padded)
    if length <= shortest:
        return [padded]
    sizes = range(shortest, min(longest, length) + 1)
    return [padded[i : i + n] for n in sizes for i in range(length - n + 1)]
