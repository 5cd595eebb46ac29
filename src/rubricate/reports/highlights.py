"""Excerpts of documents with the words marked that spoke for or against a decision."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rubricate.text.analyzer import Analyzer
from rubricate.types import Evidence

__all__ = ["Piece", "excerpt", "term_weights"]

_WORD = re.compile(r"\w+")


class Piece(NamedTuple):
    """A stretch of text and the weight of its evidence; 0 for text that is no evidence."""

    text: str
    weight: float = 0.0


def term_weights(evidence: Sequence[Evidence]) -> dict[str, float]:
    """The weight of each word of the terms in the evidence; phrases count for each of their words.

    >>> term_weights([Evidence("term", 0, 2.0, name="title:interest rate"), Evidence("term", 1, -0.5, name="rate")])
    {'interest': 2.0, 'rate': 2.0}
    """
    weights: dict[str, float] = {}
    for one in evidence:
        for word in one.source.removeprefix("title:").split():
            weights[word] = max(weights.get(word, 0.0), one.weight, key=abs)
    return weights


def excerpt(
    text: str, weights: Mapping[str, float], *, analyzer: Analyzer | None = None, length: int = 420
) -> list[Piece]:
    """The stretch of `length` characters with the most evidence, in pieces, the words that are evidence apart.

    Line breaks and runs of spaces become one space. A word is evidence when the analyzer makes one of the weighted
    terms of it. A stretch counts each term once. Of equals the earliest wins, so that a text without evidence is
    shown from its beginning.
    """
    text = " ".join(text[:100_000].split())
    words = list(_WORD.finditer(text))
    found = _found(words, weights, analyzer or Analyzer())
    start = _best_start(words, found, weights, length)
    end = min(start + length, len(text))
    pieces, at = [Piece("… ")] if start else [], start
    for word, term in zip(words, found, strict=True):
        if term is not None and start <= word.start() and word.end() <= end:
            pieces += [Piece(text[at : word.start()]), Piece(word.group(), weights[term])]
            at = word.end()
    pieces.append(Piece(text[at:end] + (" …" if end < len(text) else "")))
    return [piece for piece in pieces if piece.text]


def _found(words: Sequence[re.Match[str]], weights: Mapping[str, float], analyzer: Analyzer) -> list[str | None]:
    """The weighted term that each word stands for, or None."""
    if not weights or not words:
        return [None] * len(words)
    distinct = list(dict.fromkeys(word.group() for word in words))
    plain = Analyzer(tokens=analyzer.tokens, min_length=analyzer.min_length, stop=analyzer.stop, stem=analyzer.stem)
    terms = plain.terms(distinct)
    meant: dict[str, str | None] = {}
    for k, word in enumerate(distinct):
        own = [terms.words[i] for i in terms.ids[terms.starts[k] : terms.starts[k + 1]]]
        meant[word] = next((term for term in own if term in weights), None)
    return [meant[word.group()] for word in words]


def _best_start(
    words: Sequence[re.Match[str]], found: Sequence[str | None], weights: Mapping[str, float], length: int
) -> int:
    """Where the best stretch begins: at the start of the text, or a little before a word that is evidence."""
    marked = [(word.start(), word.end(), term) for word, term in zip(words, found, strict=True) if term is not None]
    best, start = 0.0, 0
    for begin in [0, *(max(0, place - 60) for place, _, _ in marked[:200])]:
        inside = {term for place, end, term in marked if begin <= place and end <= begin + length}
        value = sum(abs(weights[term]) for term in inside)
        if value > best + 1e-12:
            best, start = value, begin
    return next((word.start() for word in words if word.start() >= start), 0) if start else 0
