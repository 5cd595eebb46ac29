"""Where terms occur in a text: character offsets of words, phrases and parts of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from rubricate.text.analyzer import Analyzer
from rubricate.text.ngrams import WEB
from rubricate.text.tokens import pattern

__all__ = ["TermFinder"]

_RUN = re.compile(r"\S+")


class _Words(NamedTuple):
    """The terms of single words of a text, in order, the offsets of each, and where some of them are in the list."""

    terms: list[str]
    spans: list[tuple[int, int]]
    positions: dict[str, list[int]]


class TermFinder:
    """Finds the terms of an analyzer in texts, with their character offsets.

    What a word is, which words are left out, how they are stemmed and joined to phrases follows the analyzer, so that
    each term is found where the analyzer counted it. Stems are remembered from text to text.

    >>> TermFinder(Analyzer()).find("Wheat exports, wheat.", ["wheat", "export"])
    {'wheat': [(0, 5), (15, 20)], 'export': [(6, 13)]}
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._token = WEB if analyzer.tokens == "web" else re.compile(pattern(analyzer.tokens))
        self._plain = Analyzer(
            tokens=analyzer.tokens, min_length=analyzer.min_length, stop=analyzer.stop, stem=analyzer.stem
        )
        self._stems: dict[str, str | None] = {}

    def find(self, text: str, terms: Sequence[str], *, most: int = 100) -> dict[str, list[tuple[int, int]]]:
        """Return where each term occurs, (start, end) in the order of the text; at most `most` places per term."""
        folded, places = _folded(text)
        if self._analyzer.tokens == "characters":
            spans = {term: _ngram_spans(folded, term, most) for term in terms}
        else:
            words = self._words(folded, {term.partition(" ")[0] for term in terms})
            spans = {term: _phrase_spans(words, term.split(" "), self._analyzer.window, most) for term in terms}
        if places is None:
            return spans
        return {term: [(places[a], places[b]) for a, b in found] for term, found in spans.items()}

    def _words(self, folded: str, wanted: Set[str]) -> _Words:
        """Return the words of a text without stop words and short ones; positions of the `wanted` ones."""
        tokens = [(match.group(), match.span()) for match in self._matches(folded)]
        self._learn_stems({token for token, _ in tokens} - self._stems.keys())
        stems = self._stems
        pairs = [(stem, span) for token, span in tokens if (stem := stems[token]) is not None]
        positions: dict[str, list[int]] = {}
        for at, (stem, _) in enumerate(pairs):
            if stem in wanted:
                positions.setdefault(stem, []).append(at)
        return _Words([stem for stem, _ in pairs], [span for _, span in pairs], positions)

    def _matches(self, folded: str) -> Iterable[re.Match[str]]:
        if self._analyzer.tokens != "web":
            return self._token.finditer(folded)
        return self._web_matches(folded)

    def _web_matches(self, folded: str) -> Iterator[re.Match[str]]:
        for run in _RUN.finditer(folded):  # web tokens never cross white space
            yield from self._token.finditer(folded, run.start(), run.end())

    def _learn_stems(self, tokens: set[str]) -> None:
        """Let the analyzer stop and stem the new tokens, all at once."""
        new = sorted(tokens)
        if not new:
            return
        analysed = self._plain.terms(new)
        for k, token in enumerate(new):
            ids = analysed.ids[analysed.starts[k] : analysed.starts[k + 1]]
            self._stems[token] = analysed.words[ids[0]] if len(ids) else None


def _folded(text: str) -> tuple[str, Sequence[int] | None]:
    """Return the text in lower case, and the offset of each of its characters in the text; None where they are equal.

    Few letters, such as İ, become longer in lower case.
    """
    folded = text.lower()
    if len(folded) == len(text):
        return folded, None
    parts = [sign.lower() for sign in text]
    places = [place for place, part in enumerate(parts) for _ in part]
    return "".join(parts), [*places, len(text)]


def _phrase_spans(words: _Words, phrase: Sequence[str], window: int | None, most: int) -> list[tuple[int, int]]:
    """Return where a phrase occurs: its words in this order, among `window` consecutive terms."""
    reach, spans = max(window or 0, len(phrase)), []
    for first in words.positions.get(phrase[0], ()):
        last = _follow(words.terms, first, phrase, reach)
        if last is not None:
            spans.append((words.spans[first][0], words.spans[last][1]))
            if len(spans) == most:
                break
    return spans


def _follow(words: Sequence[str], first: int, phrase: Sequence[str], reach: int) -> int | None:
    """Return the place of the last word of a phrase that begins at `first`; None where it is not all there."""
    at = first
    for term in phrase[1:]:
        at = next((i for i in range(at + 1, min(first + reach, len(words))) if words[i] == term), -1)
        if at < 0:
            return None
    return at


def _ngram_spans(folded: str, shown: str, most: int) -> list[tuple[int, int]]:
    """Return where a character n-gram occurs, given as `shown_ngram` prints it."""
    letters = shown.strip("…")
    before = "" if shown.startswith("…") else r"(?<!\S)"
    after = "" if shown.endswith("…") else r"(?!\S)"
    expression = f"{before}{re.escape(letters)}{after}"
    spans = []
    for match in re.finditer(f"(?=({expression}))", folded) if letters else ():
        spans.append((match.start(1), match.end(1)))
        if len(spans) == most:
            break
    return spans
