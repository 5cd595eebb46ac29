"""The wrong decisions of a system, how sure it was of each, and labels that look wrong themselves."""

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
    """(rows, columns) of the labels wrongly given, and of those missed."""
    both = truth.multiply(decided)
    given, missed = ((part > both).nonzero() for part in (decided, truth))
    return given, missed


def margins(run: Run, decided: Sparse, rows: Ints, columns: Ints) -> Floats:
    """How far the scores of some pairs lie from the cut that their decisions reveal; zeros for a run without scores.

    The cut of a category is the middle between the lowest score it was given at and the highest it was not; where it
    was never given, that highest. Where cuts by document contradict the decisions less (Rcut), those are taken.
    A pair that is not ranked (-inf) is infinitely far from a finite cut. Cost: pairs of dense scores, or stored ones.
    """
    if run.scores is None:
        return np.zeros(len(rows))
    values, floor = score_values(run.scores)
    by_category, by_document = (_cuts(values, floor, decided, axis) for axis in (0, 1))
    cuts = by_category[0][columns] if by_category[1] <= by_document[1] else by_document[0][rows]
    scores = _at(values, floor, rows, columns)
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.abs(scores - cuts), nan=0.0, posinf=np.inf)


def _cuts(values: Any, floor: float, decided: Sparse, axis: int) -> tuple[Floats, int]:
    """The cut of each column (axis 0) or row (1), and how many of them the decisions contradict."""
    given = decided.nonzero()
    lowest = np.full(decided.shape[1 - axis], np.inf)
    np.minimum.at(lowest, given[1 - axis], _at(values, floor, *given))
    if sparse.issparse(values):
        highest = _highest_left(values, floor, decided, axis)
    else:
        left = np.array(values, np.float64)
        left[given] = -np.inf
        highest = left.max(axis=axis, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        middle = (lowest + highest) / 2
    cuts = np.where(np.isinf(lowest), highest, np.where(np.isinf(highest), lowest, middle))
    return cuts, int((lowest < highest).sum())


def _keys(matrix: Any) -> Ints:
    """Each stored pair as one ascending number."""
    rows = np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))
    return rows * matrix.shape[1] + matrix.indices


def _highest_left(values: Any, floor: float, decided: Sparse, axis: int) -> Floats:
    keys = _keys(values)
    left = ~np.isin(keys, _keys(decided), assume_unique=True)
    place = keys[left] % values.shape[1] if axis == 0 else keys[left] // values.shape[1]
    highest = np.full(values.shape[1 - axis], floor)
    np.maximum.at(highest, place, values.data[left])
    return highest


def _at(values: Any, floor: float, rows: Ints, columns: Ints) -> Floats:
    """The scores of some pairs; the floor where a sparse matrix has none."""
    if not sparse.issparse(values):
        return np.asarray(values[rows, columns], np.float64)
    if not values.nnz:
        return np.full(len(rows), floor)
    keys, wanted = _keys(values), np.asarray(rows, np.int64) * values.shape[1] + columns
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, values.data[place], floor).astype(np.float64)


class _Mistakes(NamedTuple):
    """All mistakes of a system: labels wrongly given and, where `missed`, those missed."""

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
        return _Mistakes(rows, columns, kinds, margins(results.runs[system], decided, rows, columns))

    return results.once(("mistakes", system), find)


def confident_mistakes(results: ReportResults, system: int, limit: int = 8) -> list[Mistake]:
    """The labels a system gave or missed most confidently, `limit` of each kind, clearest first.

    Of equal margins the earlier document and category come first.
    """
    rows, columns, missed, margin = _mistakes(results, system)
    order = np.lexsort((columns, rows, -margin, missed))
    given = int((~missed).sum())
    best: dict[Kind, Ints] = {"wrong": order[:given][:limit], "missed": order[given:][:limit]}
    return [
        Mistake(kind, int(rows[k]), int(columns[k]), float(margin[k])) for kind, places in best.items() for k in places
    ]


def likely_mislabelled(results: ReportResults, limit: int = 25) -> list[SuspectLabel]:
    """Labels that the systems contradict, most systems and clearest margins first; given ones if there are.

    A pair counts where at least two systems, and more than half of them, decide against its label (with one system:
    where it does). Confidence is the mean over those systems of the share of their mistakes with a smaller margin.
    """
    if results.data.suspects is not None:
        ordered = sorted(results.data.suspects, key=lambda one: (-one.against / max(one.systems, 1), -one.confidence))
        return ordered[:limit]
    systems = len(results.runs)
    keys, shares, given = _contradictions(results)
    pairs, first, place, against = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    confidence = np.bincount(place, weights=shares, minlength=len(pairs)) / np.maximum(against, 1)
    kept = np.flatnonzero((2 * against > systems) & (against >= min(2, systems)))
    best = kept[np.lexsort((pairs[kept], -confidence[kept], -against[kept]))[:limit]]
    return [_suspect(results, int(pairs[k]), bool(given[first[k]]), int(against[k]), confidence[k]) for k in best]


def _contradictions(results: ReportResults) -> tuple[Ints, Floats, Bools]:
    """For every mistake of every system: its pair as one number, the share of smaller margins, and if it was missed.

    The share is taken among the mistakes of the same system and kind.
    """
    keys, shares, given = [], [], []
    for system in range(len(results.runs)):
        found = _mistakes(results, system)
        share = np.zeros(len(found.rows))
        for kind in (False, True):
            own = found.margin[found.missed == kind]
            share[found.missed == kind] = np.searchsorted(np.sort(own), own) / max(len(own), 1)
        keys.append(found.rows.astype(np.int64) * len(results.categories) + found.columns)
        shares.append(share)
        given.append(found.missed)
    return np.concatenate(keys), np.concatenate(shares), np.concatenate(given)


def _suspect(results: ReportResults, pair: int, given: bool, against: int, confidence: float) -> SuspectLabel:
    row, column = divmod(pair, len(results.categories))
    document = str(results.runs[0].documents[row])
    return SuspectLabel(document, results.categories[column], given, against, len(results.runs), float(confidence))
