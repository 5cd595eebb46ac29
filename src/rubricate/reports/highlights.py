"""Excerpts of documents in which the words that spoke for or against a decision are marked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rubricate.text.analyzer import Analyzer
from rubricate.types import Evidence

__all__ = ["Piece", "excerpt", "term_weights"]

_WORD = re.compile(r"\w+")


class Piece(NamedTuple):
    """A piece of text and the weight of its evidence; 0 for text without evidence."""

    text: str
    weight: float = 0.0


def term_weights(evidence: Sequence[Evidence]) -> dict[str, float]:
    """Return the weight of each word of the terms in the evidence; phrases count for each of their words.

    >>> term_weights([Evidence("term", 0, 2.0, name="title:interest rate"), Evidence("term", 1, -0.5, name="rate")])
    {'interest': 2.0, 'rate': 2.0}
    """
    weights: dict[str, float] = {}
    for item in evidence:
        for word in item.source.removeprefix("title:").split():
            weights[word] = max(weights.get(word, 0.0), item.weight, key=abs)
    return weights


def excerpt(
    text: str, weights: Mapping[str, float], *, analyzer: Analyzer | None = None, length: int = 420
) -> list[Piece]:
    """Return the passage of `length` characters with the most evidence, split so that evidence words stand alone.

    Line breaks and runs of spaces become one space. A word is evidence when the analyzer turns it into one of the
    weighted terms. A passage counts each term once. Ties go to the earliest passage, so that a text without evidence
    is shown from its beginning.
    """
    text = " ".join(text[:100_000].split())
    words = list(_WORD.finditer(text))
    terms = _terms(words, weights, analyzer or Analyzer())
    marked = [(word.start(), word.end(), term) for word, term in zip(words, terms, strict=True) if term is not None]
    best = _best_start(marked, weights, length)
    start = next((word.start() for word in words if word.start() >= best), 0) if best else 0
    end = min(start + length, len(text))
    pieces, at = [Piece("… ")] if start else [], start
    for word, term in zip(words, terms, strict=True):
        if term is not None and start <= word.start() and word.end() <= end:
            pieces += [Piece(text[at : word.start()]), Piece(word.group(), weights[term])]
            at = word.end()
    pieces.append(Piece(text[at:end] + (" …" if end < len(text) else "")))
    return [piece for piece in pieces if piece.text]


def _terms(words: Sequence[re.Match[str]], weights: Mapping[str, float], analyzer: Analyzer) -> list[str | None]:
    """Return the weighted term of each word, or None."""
    if not weights or not words:
        return [None] * len(words)
    distinct = list(dict.fromkeys(word.group() for word in words))
    plain = Analyzer(tokens=analyzer.tokens, min_length=analyzer.min_length, stop=analyzer.stop, stem=analyzer.stem)
    analysed = plain.terms(distinct)
    meant: dict[str, str | None] = {}
    for k, word in enumerate(distinct):
        own = [analysed.words[i] for i in analysed.ids[analysed.starts[k] : analysed.starts[k + 1]]]
        meant[word] = next((term for term in own if term in weights), None)
    return [meant[word.group()] for word in words]


def _best_start(marked: Sequence[tuple[int, int, str]], weights: Mapping[str, float], length: int) -> int:
    """Return where the best passage begins: at the start of the text, or a little before an evidence word."""
    best, start = 0.0, 0
    for begin in [0, *(max(0, place - 60) for place, _, _ in marked[:200])]:
        inside = {term for place, end, term in marked if begin <= place and end <= begin + length}
        value = sum(abs(weights[term]) for term in inside)
        if value > best + 1e-12:
            best, start = value, begin
    return start
