"""The contingency tables of every cut worth trying, for all categories at once, in memory ∝ labels.

A step is the lowest score that a cut still assigns. Steps are the distinct scores of a category's positives, and
+inf: "assign none". Any other cut has the hits of the next step above it and more false positives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rubricate.native.measures import as_rows, count_dense_steps, count_stored_steps
from rubricate.thresholds.decisions import ScoreGrid, scores_at
from rubricate.types import Bools, Counts, Floats, Ints, Sparse

__all__ = ["Curves", "curves"]


@dataclass(frozen=True, eq=False)
class Curves:
    """Category c owns the steps `starts[c]` to `starts[c + 1]`, ascending; the last one assigns none."""

    starts: Ints
    steps: Floats
    hits: Ints
    assigned: Ints
    under: Floats
    positives: Ints
    documents: int

    @property
    def category(self) -> Ints:
        """Return the category of each step."""
        return np.repeat(np.arange(len(self.positives)), np.diff(self.starts))

    def tables(self) -> Counts:
        """Return the contingency table of each step."""
        missed = self.positives[self.category] - self.hits
        wrong = self.assigned - self.hits
        return Counts(self.hits, wrong, missed, self.documents - self.assigned - missed)

    def best(self, values: Floats, allowed: Bools | None = None) -> Ints:
        """Return the step of each category with the highest value; of equals the one that assigns fewest documents.

        `allowed` leaves steps out; where it leaves none, "assign none" stands.
        """
        kept = values if allowed is None else np.where(allowed, values, -np.inf)
        if len(self.positives) == 0:
            return np.empty(0, np.int64)
        tops = np.maximum.reduceat(kept, self.starts[:-1])
        last = np.where(kept == tops[self.category], np.arange(len(kept)), -1)
        return np.maximum.reduceat(last, self.starts[:-1])

    def cuts(self, chosen: Ints) -> Floats:
        """Return the score halfway between the chosen step and the highest score under it.

        "None" is the next float above the highest finite score (+inf when there is no such score), a step without
        anything finite under it is its own cut. Always under < cut <= step, also where the middle would round.
        """
        step, under = self.steps[chosen], self.under[chosen]
        with np.errstate(invalid="ignore"):
            middle = step / 2 + under / 2
        cuts = np.where((middle > under) & (middle <= step), middle, step)
        return np.where(np.isinf(step) & np.isfinite(under), np.nextafter(under, np.inf), cuts)


def curves(grid: ScoreGrid, labels: Sparse, *, pooled: bool = False) -> Curves:
    """Trace the curves of all categories, or with `pooled` the one curve of all cells, for a common cut.

    Cost documents × categories comparisons (sparse: stored scores), labels · log(labels) for the sorting.
    """
    documents, categories = grid.shape
    shape = (documents * categories, 1) if pooled else (documents, categories)
    columns = np.zeros(labels.nnz, np.int64) if pooled else labels.indices.astype(np.int64)
    starts, steps, hits = _steps(columns, scores_at(grid, labels), shape[1])
    assigned, under = _count(grid, starts, steps, shape=shape)
    return Curves(starts, steps, hits, assigned, under, np.bincount(columns, minlength=shape[1]), shape[0])


def _steps(columns: Ints, scores: Floats, categories: int) -> tuple[Ints, Floats, Ints]:
    """Return where each category starts, its distinct finite scores and +inf, and the positives at or above each."""
    reachable = scores > -np.inf
    column = np.r_[columns[reachable], np.arange(categories)]
    score = np.r_[scores[reachable], np.full(categories, np.inf)]
    order = np.lexsort((score, column))
    column, score = column[order], score[order]
    first = np.r_[True, (column[1:] != column[:-1]) | (score[1:] != score[:-1])][: len(column)]
    begins = np.flatnonzero(first)
    starts = np.searchsorted(column[begins], np.arange(categories + 1))
    above = np.r_[0, np.cumsum(order < len(column) - categories)]
    ends = above[np.r_[begins, len(column)][starts[1:]]]
    return starts, score[begins], np.repeat(ends, np.diff(starts)) - above[begins]


def _count(grid: ScoreGrid, starts: Ints, steps: Floats, *, shape: tuple[int, int]) -> tuple[Ints, Floats]:
    """Count the cells that reach each step; also return the highest score under it."""
    if grid.dense is not None:
        return count_dense_steps(grid.dense.reshape(shape), starts, steps)
    stored = as_rows(grid.stored)
    columns = stored.terms if shape == grid.shape else np.zeros_like(stored.terms)
    missing = shape[0] - np.bincount(columns, minlength=shape[1])
    return count_stored_steps(columns, stored.values, starts, steps, floor=grid.floor, missing=missing)
