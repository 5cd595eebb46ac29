"""Logistic regression by Newton's method, for few features and many rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from rubricate.native.trees import BINS, BoostedTrees, Boosting, grow_boosted_trees, score_boosted_trees
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = [
    "FLOOR",
    "Blend",
    "Cells",
    "blend_scores",
    "contributions_of",
    "fit_logistic",
    "gather_cells",
    "grow_trees",
    "join_cells",
    "learn_blend",
    "score_trees",
    "surroundings",
    "true_cells",
]

STEPS = 50
FREE = 1e-6
"""Penalty of the intercept: next to none, and enough to keep it finite where all rows are of one class."""


def fit_logistic(X: Floats, truth: Floats, *, C: float) -> Floats:
    """Return the weights, the intercept last, that minimise ½ w·w + C Σ log(1 + exp(−y (w·x + b))), y = ±1.

    Newton steps, halved until the objective falls, up to a relative gain of 1e-10. Cost: rows × features² per step.

    >>> fit_logistic(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 0.0, 1.0, 1.0]), C=1.0).round(2).tolist()
    [0.96, -1.44]
    """
    problem = _Problem(np.column_stack([X, np.ones(len(X))]), truth, np.r_[np.ones(X.shape[1]), FREE], C)
    w = np.zeros(X.shape[1] + 1)
    value = problem.objective(w)
    for _ in range(STEPS):
        w, before = problem.descend(w, problem.newton_step(w), value), value
        value = problem.objective(w)
        if before - value <= 1e-10 * abs(before):
            break
    return w


@dataclass(frozen=True, eq=False)
class _Problem:
    """Rows with a column of ones, their truth (0 or 1), the penalty of each weight, and C."""

    A: Floats
    truth: Floats
    penalty: Floats
    C: float

    def objective(self, w: Floats) -> float:
        """Return what is minimised."""
        margins = self.A @ w
        return float(0.5 * (self.penalty * w) @ w + self.C * (np.logaddexp(0, margins) - self.truth * margins).sum())

    def newton_step(self, w: Floats) -> Floats:
        """Return the inverse Hessian times the gradient."""
        chance = expit(self.A @ w)
        slope = self.penalty * w + self.C * (self.A.T @ (chance - self.truth))
        bend = self.C * (self.A.T @ (self.A * (chance * (1 - chance))[:, None])) + np.diag(self.penalty)
        return np.linalg.solve(bend, slope)

    def descend(self, w: Floats, step: Floats, value: float) -> Floats:
        """Return w less the step, halved until the objective is below `value`; w itself where it never is."""
        for halving in range(30):
            moved = w - step * 0.5**halving
            if self.objective(moved) < value:
                return moved
        return w


def grow_trees(X: Floats, truth: Floats, settings: Boosting) -> BoostedTrees:
    """Grow trees on X, rows × features, whose values are put into at most 128 bins at quantiles."""
    limits = [_limits(column) for column in X.T]
    bins = np.empty(X.shape, np.uint8)
    for f, edges in enumerate(limits):
        bins[:, f] = np.searchsorted(edges, X[:, f], side="left")
    trees = grow_boosted_trees(bins, truth.astype(np.float64), settings)
    table = np.full((max(len(limits), 1), BINS), np.inf)
    for f, edges in enumerate(limits):
        table[f, : len(edges)] = edges
    asked = trees.features
    ends = np.where(asked >= 0, table[asked, trees.limits], 0.0)
    return trees._replace(limits=ends)


def score_trees(trees: BoostedTrees, X: Floats) -> Floats:
    """Return the log-odds of each row."""
    return score_boosted_trees(trees, np.ascontiguousarray(X))


def _limits(values: Floats) -> NDArray[np.float64]:
    """Return where bins end: between distinct values, at quantiles where there are more than BINS of them."""
    distinct = np.unique(values)
    if len(distinct) > BINS:
        ranks = np.linspace(0, len(values) - 1, BINS + 1)[1:-1].astype(np.int64)
        chosen = np.unique(np.searchsorted(distinct, np.sort(values)[ranks]))
        chosen = chosen[chosen < len(distinct) - 1]
    else:
        chosen = np.arange(len(distinct) - 1)
    low, high = distinct[chosen], distinct[chosen + 1]
    middle = low + (high - low) / 2
    return np.where(middle < high, middle, low)


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells in the order of documents, then categories.

    `documents` and `categories` say where each is, `scores` what each member said (cells × members), `maxima` the
    highest score of each member over the categories of a document (documents × members). Scores are rounded to single
    precision, so that the last digits of a sum, which depend on its order, decide no tie and no split of a tree.
    """

    documents: Ints
    categories: Ints
    scores: Floats
    maxima: Floats
    shape: tuple[int, int]

    def of(self, rows: Bools) -> Cells:
        """Return the cells of some of the documents; their numbers stay."""
        kept = rows[self.documents]
        return Cells(self.documents[kept], self.categories[kept], self.scores[kept], self.maxima, self.shape)


def gather_cells(scores: Sequence[Floats], depth: int) -> Cells:
    """Gather per document the `depth` best categories of the first member and a sixth as many (at least 1) of others.

    Equal scores go to the earlier category.
    """
    shape = scores[0].shape
    chosen = np.zeros(shape, bool)
    rounded = [matrix.astype(np.float32) for matrix in scores]
    for number, matrix in enumerate(rounded):
        best = min(shape[1], depth if number == 0 else max(1, depth // 6))
        np.put_along_axis(chosen, np.argsort(-matrix, axis=1, kind="stable")[:, :best], True, axis=1)
    documents, categories = np.nonzero(chosen)
    values, maxima = (
        np.column_stack(columns).astype(np.float64)
        for columns in ([matrix[chosen] for matrix in rounded], [matrix.max(axis=1) for matrix in rounded])
    )
    return Cells(documents, categories, values, maxima, shape)


def join_cells(parts: Sequence[tuple[Ints, Cells]], shape: tuple[int, int]) -> Cells:
    """Join the cells of parts of a collection; each part comes with the numbers of its documents."""
    documents = np.concatenate([rows[cells.documents] for rows, cells in parts])
    order = np.argsort(documents, kind="stable")
    maxima = np.empty((shape[0], parts[0][1].maxima.shape[1]))
    for rows, cells in parts:
        maxima[rows] = cells.maxima
    categories = np.concatenate([cells.categories for _, cells in parts])
    scores = np.concatenate([cells.scores for _, cells in parts])
    return Cells(documents[order], categories[order], scores[order], maxima, shape)


def true_cells(cells: Cells, labels: Sparse) -> Floats:
    """Return 1 for the cells that are labels, 0 for the others."""
    rows = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))
    known = np.sort(rows * np.int64(labels.shape[1]) + labels.indices)
    wanted = cells.documents * np.int64(labels.shape[1]) + cells.categories
    at = np.searchsorted(known, wanted)
    return (np.append(known, -1)[at] == wanted).astype(np.float64)


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
