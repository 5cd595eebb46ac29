"""The second level of a stack: from the members' scores of a cell to its log-odds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit

from rubricate.classifiers.numerics.boosted_trees import grow_trees, score_trees
from rubricate.classifiers.numerics.logistic import fit_logistic
from rubricate.classifiers.stacking.cells import Cells, true_cells
from rubricate.native.trees import BoostedTrees, Boosting
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["FLOOR", "Blend", "blend_scores", "contributions_of", "learn_blend", "surroundings"]

FLOOR = -30.0
"""The score of a pair that is not a cell; scores of cells lie between it and its negative."""
FAR = 6.0
"""In the linear model a member's score is clipped at this many standard deviations from the mean."""
FENCE = 3.0
"""Scores this many times the middle nine tenths away from them do not count in mean and deviation."""
SMOOTH = 2.0
"""Documents added to the count of a category before shares are taken of it."""
LEAST, PENALTY = 40, 5.0
"""Cells in a leaf at least, and the penalty on its value: features that members share must not be learned by heart."""

NOTHING = np.zeros(0)
NO_TREES = BoostedTrees(0.0, np.zeros((0, 1), np.int64), np.zeros((0, 1)), np.zeros((0, 1), np.int64), np.zeros((0, 1)))


class Blend(NamedTuple):
    """What the second level has learned, as arrays.

    `centre`, `spread` of the members' scores; `counts`, the documents of each category of `total`; `together`, the
    share of the documents of c' that have c, categories c' × c; `belief`, weights of the first guess; `weights` of the
    logistic regression; then the parts of `BoostedTrees`.
    """

    centre: Floats
    spread: Floats
    counts: Floats
    total: int
    together: Sparse
    belief: Floats
    weights: Floats
    base: float
    features: Ints
    limits: Floats
    lefts: Ints
    values: Floats

    @property
    def trees(self) -> BoostedTrees:
        """The boosted trees."""
        features, lefts = (part.astype(np.int64, copy=False) for part in (self.features, self.lefts))
        limits, values = (part.astype(np.float64, copy=False) for part in (self.limits, self.values))
        return BoostedTrees(self.base, features, limits, lefts, values)

    def check(self, members: int, categories: int) -> None:
        """Raise ValueError unless every array has its size and every child of a tree comes after its parent."""
        sizes = (members, members, categories, members + 2, 3 * members + 6)
        parts = (self.centre, self.spread, self.counts, self.belief, self.weights)
        if any(np.shape(part) != (size,) for part, size in zip(parts, sizes, strict=True)):
            raise ValueError("the parts of a blend have the wrong sizes")
        if self.together.shape != (categories, categories):
            raise ValueError("the categories of a blend differ in number")
        if not all(np.isfinite(part).all() for part in (*parts, self.limits, self.values, self.base)):
            raise ValueError("the numbers of a blend must be finite")
        self._check_trees(2 * members + 4)

    def _check_trees(self, columns: int) -> None:
        """Check that nodes ask one of the columns (or none: a leaf) and lead on, so that every path ends."""
        features, lefts = self.features, self.lefts
        if features.ndim != 2 or any(part.shape != features.shape for part in (self.limits, lefts, self.values)):
            raise ValueError("the arrays of a blend's trees differ in shape")
        if not features.dtype.kind == lefts.dtype.kind == "i":
            raise ValueError("the features and children of a blend's trees must be whole numbers")
        nodes, inner = features.shape[1], features >= 0
        astray = (lefts <= np.arange(nodes)) | (lefts >= nodes - 1)  # the right child follows the left one
        if not nodes or np.any(features >= columns) or np.any(inner & astray):
            raise ValueError("a node of a blend's trees asks no column, or leads back")


def learn_blend(cells: Cells, labels: Sparse, *, rows: Bools, C: float, rounds: int, rate: float, leaves: int) -> Blend:
    """Learn from the cells of the documents in `rows` (booleans); labels of other documents are not looked at."""
    used, known = cells.of(rows), sparse.csr_array(labels[np.flatnonzero(rows)], dtype=np.float64)
    counts = np.asarray(known.sum(axis=0)).ravel()
    inside = (counts[used.categories] > 0) & (counts[used.categories] < known.shape[0])
    truth = true_cells(used, labels)
    centre, spread = _scale(used.scores)
    bare = Blend(centre, spread, counts, known.shape[0], _together(known), NOTHING, NOTHING, *NO_TREES)
    belief = fit_logistic(_first(bare, used)[inside], truth[inside], C=C)
    guessed = bare._replace(belief=belief)
    weights = fit_logistic(_linear(guessed, used)[inside], truth[inside], C=C)
    boosting = Boosting(rounds, rate, leaves, min_rows=LEAST, penalty=PENALTY)
    trees = grow_trees(_plain(guessed, used)[inside], truth[inside], boosting)
    return Blend(centre, spread, counts, known.shape[0], guessed.together, belief, weights, *trees)


def _scale(scores: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each member's scores, without those far outside of the middle nine tenths.

    Naive Bayes scores −1e9 where a category has no document: one such score among thousands would leave all others
    alike.
    """
    if not len(scores):
        return np.zeros(scores.shape[1]), np.ones(scores.shape[1])
    low, high = np.quantile(scores, (0.05, 0.95), axis=0)
    usual = (scores >= low - FENCE * (high - low)) & (scores <= high + FENCE * (high - low))
    counts = usual.sum(axis=0)
    centre = np.where(usual, scores, 0.0).sum(axis=0) / counts
    spread = np.sqrt(np.where(usual, (scores - centre) ** 2, 0.0).sum(axis=0) / counts)
    return centre, spread + 1e-9


def blend_scores(blend: Blend, cells: Cells) -> Floats:
    """Return the log-odds of the logistic regression plus those of the trees, one number per cell, within ±FLOOR."""
    linear = _linear(blend, cells)
    scores = linear @ blend.weights[:-1] + blend.weights[-1] + score_trees(blend.trees, _plain(blend, cells))
    scores = np.clip(scores, FLOOR, -FLOOR)
    counts = blend.counts[cells.categories]
    return np.where(counts == 0, FLOOR, np.where(counts == blend.total, -FLOOR, scores))


def contributions_of(blend: Blend, cells: Cells) -> Floats:
    """Return what each member, then its surroundings, then the trees add to the score: cells × (members + 2)."""
    members, parts = cells.scores.shape[1], _linear(blend, cells) * blend.weights[:-1]
    by_member = parts[:, :members] + parts[:, members : 2 * members] + parts[:, 2 * members : 3 * members]
    around = parts[:, 3 * members :].sum(axis=1) + blend.weights[-1]
    return np.column_stack([by_member, around, score_trees(blend.trees, _plain(blend, cells))])


def _together(labels: Sparse) -> Sparse:
    """Return P(c | c') from documents that have both, c' × c, zero on the diagonal."""
    both = sparse.csr_array(labels.T @ labels)
    both.setdiag(0.0)
    both.eliminate_zeros()
    frequency = np.asarray(labels.sum(axis=0)).ravel()
    return sparse.csr_array(sparse.diags_array(1.0 / (frequency + SMOOTH)) @ both)


def _standard(blend: Blend, scores: Floats) -> Floats:
    return np.clip((scores - blend.centre) / blend.spread, -FAR, FAR)


def _first(blend: Blend, cells: Cells) -> Floats:
    """Return the features of the first guess: the members' scores and the frequency of the category."""
    return np.column_stack([_standard(blend, cells.scores), _log_counts(blend, cells)])


def _log_counts(blend: Blend, cells: Cells) -> Floats:
    return np.log1p(blend.counts)[cells.categories] / np.log1p(max(blend.total, 1))


def surroundings(blend: Blend, cells: Cells) -> Floats:
    """Return what the other cells of the document say: co-occurring categories, rank, number of categories expected."""
    chance = expit(_first(blend, cells) @ blend.belief[:-1] + blend.belief[-1])
    starts = np.searchsorted(cells.documents, np.arange(cells.shape[0] + 1))
    grid = sparse.csr_array((chance, cells.categories, starts), shape=cells.shape)
    company = _at(sparse.csr_array(grid @ blend.together), cells)
    order = np.lexsort((cells.categories, -chance, cells.documents))
    rank = np.empty(len(chance))
    rank[order] = np.arange(len(chance)) - starts[cells.documents[order]]
    expected = np.bincount(cells.documents, chance, cells.shape[0])[cells.documents]
    return np.column_stack([company, rank, expected])


def _at(matrix: Sparse, cells: Cells) -> Floats:
    """Return the entries of a sparse matrix at the cells."""
    matrix.sort_indices()
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    known = rows * np.int64(matrix.shape[1]) + matrix.indices
    wanted = cells.documents * np.int64(matrix.shape[1]) + cells.categories
    at = np.searchsorted(known, wanted)
    stored = np.append(known, -1)[at] == wanted
    return np.where(stored, np.append(matrix.data, 0.0)[at], 0.0)


def _plain(blend: Blend, cells: Cells) -> Floats:
    """Return the features of the trees."""
    frequency = _log_counts(blend, cells)
    return np.column_stack([cells.scores, cells.maxima[cells.documents], surroundings(blend, cells), frequency])


def _linear(blend: Blend, cells: Cells) -> Floats:
    """Return the features of the logistic regression: scores, scores by frequency, maxima, then the surroundings."""
    scores, maxima = _standard(blend, cells.scores), _standard(blend, cells.maxima)[cells.documents]
    frequency = _log_counts(blend, cells)[:, None]
    company, rank, expected = surroundings(blend, cells).T
    return np.column_stack(
        [scores, scores * frequency, maxima, frequency, frequency**2, np.log(company + 1e-3), np.log1p(rank), expected]
    )
