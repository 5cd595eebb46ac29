"""The wrong decisions of a system, its confidence in each, and labels that look wrong themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from rubricate.measures.rankings.scores import score_values
from rubricate.reports.data import SuspectLabel
from rubricate.reports.results import ReportResults
from rubricate.types import Bools, Floats, Ints, Run, Sparse

__all__ = ["Mistake", "confident_mistakes", "likely_mislabelled", "margins", "wrong_pairs"]

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
