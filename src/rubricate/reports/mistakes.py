"""Excerpts of documents in which the words that spoke for or against a decision are marked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from rubricate.measures.true_ranks import score_values
from rubricate.reports.data import SuspectLabel
from rubricate.reports.html import Html, isolated, shorten, tag
from rubricate.reports.results import ReportResults
from rubricate.text.analyzer import Analyzer
from rubricate.types import Bools, Evidence, Floats, Ints, Run, Sparse

__all__ = [
    "Mistake",
    "Piece",
    "confident_mistakes",
    "evidence_line",
    "excerpt",
    "label_chips",
    "likely_mislabelled",
    "margins",
    "term_weights",
    "text_of",
    "wrong_pairs",
]

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


def text_of(results: ReportResults, row: int, evidence: list[Evidence], *, length: int = 420) -> Html | None:
    """Return the excerpt of a document with its evidence words marked; None without documents."""
    documents = results.data.documents
    if documents is None:
        return None
    weights, analyzer = term_weights(evidence), results.data.analyzer
    title = excerpt(documents.titles[row], weights, analyzer=analyzer, length=200) if documents.titles else []
    body = excerpt(documents.bodies[row], weights, analyzer=analyzer, length=length)
    heading = tag("strong", [_piece(piece) for piece in title], tag("br")) if title else None
    return tag("p", heading, [_piece(piece) for piece in body], class_="text", dir="auto")


def _piece(piece: Piece) -> Html | str:
    if not piece.weight:
        return piece.text
    tooltip = f"{'for' if piece.weight > 0 else 'against'}: {piece.weight:+.3g}"
    return tag("mark", piece.text, title=tooltip, class_=None if piece.weight > 0 else "against")


def label_chips(results: ReportResults, row: int, bad: int | None = None) -> list[Html]:
    """Return the true labels of a document."""
    truth = results.truth
    own = truth.indices[truth.indptr[row] : truth.indptr[row + 1]]
    chips = [tag("span", isolated(results.categories[c], 40), class_="chip bad" if c == bad else "chip") for c in own]
    return chips or [tag("span", "none", class_="chip")]


def evidence_line(evidence: list[Evidence], most: int = 6) -> Html | None:
    """Return the strongest evidence in one line: each item with its weight."""
    if not evidence:
        return None
    strongest = sorted(evidence, key=lambda item: -abs(item.weight))[:most]
    parts = [
        tag(
            "span",
            isolated(item.source, 30),
            f" {item.weight:+.2g}",
            class_="chip",
            title=shorten(item.detail, 200) or None,
        )
        for item in strongest
    ]
    return tag("p", "Evidence: ", parts)


Kind = Literal["wrong", "missed"]


@dataclass(frozen=True)
class Mistake:
    """A label wrongly given or missed: the row of the document, the column of the category, the distance to the cut."""

    kind: Kind
    row: int
    column: int
    margin: float


def wrong_pairs(truth: Sparse, decided: Sparse) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    """Return (rows, columns) of the labels wrongly given, and of those missed."""
    both = truth.multiply(decided)
    given, missed = ((part > both).nonzero() for part in (decided, truth))
    return given, missed


def margins(run: Run, decided: Sparse, pairs: tuple[Ints, Ints]) -> Floats:
    """Return how far the scores of some pairs (rows, columns) lie from the cut that the decisions reveal.

    The cut of a category is the middle between the lowest score it was given at and the highest it was not given at;
    where it was never given, that highest score. Where cuts per document contradict the decisions less (Rcut), those
    are used. A pair that is not ranked (-inf) is infinitely far from a finite cut; a run without scores has margins
    of 0. Cost: all pairs of dense scores, or the stored ones.
    """
    rows, columns = pairs
    if run.scores is None:
        return np.zeros(len(rows))
    scores = _ScoreMatrix(*score_values(run.scores))
    (by_category, misfits), (by_document, other_misfits) = (scores.cuts(decided, axis) for axis in (0, 1))
    cuts = by_category[columns] if misfits <= other_misfits else by_document[rows]
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.abs(scores.at(rows, columns) - cuts), nan=0.0, posinf=np.inf)


class _ScoreMatrix(NamedTuple):
    """Scores, dense or sparse; what a sparse matrix does not store has the floor."""

    values: Any
    floor: float

    def at(self, rows: Ints, columns: Ints) -> Floats:
        """Return the scores of some pairs."""
        values = self.values
        if not sparse.issparse(values):
            return np.asarray(values[rows, columns], np.float64)
        if not values.nnz:
            return np.full(len(rows), self.floor)
        keys, wanted = _keys(values), np.asarray(rows, np.int64) * values.shape[1] + columns
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[place] == wanted, values.data[place], self.floor).astype(np.float64)

    def cuts(self, decided: Sparse, axis: int) -> tuple[Floats, int]:
        """Return the cut of each column (axis 0) or row (1), and how many of them the decisions contradict."""
        given = decided.nonzero()
        lowest = np.full(decided.shape[1 - axis], np.inf)
        np.minimum.at(lowest, given[1 - axis], self.at(*given))
        highest = self._highest_left(decided, axis)
        with np.errstate(invalid="ignore"):
            middle = (lowest + highest) / 2
        cuts = np.where(np.isinf(lowest), highest, np.where(np.isinf(highest), lowest, middle))
        return cuts, int((lowest < highest).sum())

    def _highest_left(self, decided: Sparse, axis: int) -> Floats:
        """Return the highest score of each column (axis 0) or row (1) among the pairs that were not given."""
        values = self.values
        if not sparse.issparse(values):
            left = np.array(values, np.float64)
            left[decided.nonzero()] = -np.inf
            return left.max(axis=axis, initial=-np.inf)
        keys = _keys(values)
        kept = ~np.isin(keys, _keys(decided), assume_unique=True)
        place = keys[kept] % values.shape[1] if axis == 0 else keys[kept] // values.shape[1]
        highest = np.full(values.shape[1 - axis], self.floor)
        np.maximum.at(highest, place, values.data[kept])
        return highest


def _keys(matrix: Any) -> Ints:
    """Number each stored pair, in ascending order."""
    rows = np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))
    return rows * matrix.shape[1] + matrix.indices


class _Mistakes(NamedTuple):
    """All mistakes of a system: labels wrongly given and, where `missed` is true, labels missed."""

    rows: Ints
    columns: Ints
    missed: Bools
    margin: Floats


def _mistakes(results: ReportResults, system: int) -> _Mistakes:
    def find() -> _Mistakes:
        decided = results.decided(system)
        (given, given_columns), (missed, missed_columns) = wrong_pairs(results.truth, decided)
        rows, columns = np.append(given, missed), np.append(given_columns, missed_columns)
        kinds = np.arange(len(rows)) >= len(given)
        return _Mistakes(rows, columns, kinds, margins(results.runs[system], decided, (rows, columns)))

    return results.once(("mistakes", system), find)


def confident_mistakes(results: ReportResults, system: int, limit: int = 8) -> list[Mistake]:
    """Return the labels that a system gave or missed most confidently, `limit` of each kind, clearest first.

    Equal margins are sorted by document, then by category.
    """
    rows, columns, missed, margin = _mistakes(results, system)
    order = np.lexsort((columns, rows, -margin, missed))
    given = int((~missed).sum())
    best: dict[Kind, Ints] = {"wrong": order[:given][:limit], "missed": order[given:][:limit]}
    return [
        Mistake(kind, int(rows[k]), int(columns[k]), float(margin[k])) for kind, places in best.items() for k in places
    ]


def likely_mislabelled(results: ReportResults, limit: int = 25) -> list[SuspectLabel]:
    """Return the labels that the systems contradict, most systems and clearest margins first.

    Suspects that came with the data replace them. A pair counts where at least two systems, and more than half of
    them, decide against its label (a single system: where it does). Confidence is the mean over those systems of the
    share of their mistakes with a smaller margin.
    """
    if results.data.suspects is not None:
        ordered = sorted(
            results.data.suspects, key=lambda suspect: (-suspect.against / max(suspect.systems, 1), -suspect.confidence)
        )
        return ordered[:limit]
    systems = len(results.runs)
    keys, shares, given = _contradictions(results)
    pairs, first, place, against = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    confidence = np.bincount(place, weights=shares, minlength=len(pairs)) / np.maximum(against, 1)
    kept = np.flatnonzero((2 * against > systems) & (against >= min(2, systems)))
    best = kept[np.lexsort((pairs[kept], -confidence[kept], -against[kept]))[:limit]]
    rows, columns = np.divmod(pairs[best], len(results.categories))
    return [
        SuspectLabel(
            document=str(results.runs[0].documents[row]),
            category=results.categories[column],
            given=bool(given[first[k]]),
            against=int(against[k]),
            systems=systems,
            confidence=float(confidence[k]),
        )
        for k, row, column in zip(best, rows.tolist(), columns.tolist(), strict=True)
    ]


def _contradictions(results: ReportResults) -> tuple[Ints, Floats, Bools]:
    """Return for every mistake of every system its pair as a number, the share of smaller margins, and its kind.

    The share is taken among the mistakes of the same system and kind.
    """
    keys, shares, given = [], [], []
    for system in range(len(results.runs)):
        mistakes = _mistakes(results, system)
        share = np.zeros(len(mistakes.rows))
        for kind in (False, True):
            own = mistakes.margin[mistakes.missed == kind]
            share[mistakes.missed == kind] = np.searchsorted(np.sort(own), own) / max(len(own), 1)
        keys.append(mistakes.rows.astype(np.int64) * len(results.categories) + mistakes.columns)
        shares.append(share)
        given.append(mistakes.missed)
    return np.concatenate(keys), np.concatenate(shares), np.concatenate(given)
