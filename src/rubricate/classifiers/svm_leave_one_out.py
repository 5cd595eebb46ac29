"""Exact leave-one-out of support vector machines from one training.

The question (joachims2000, section 5.2, open there): what would the SVM trained without document i say about it? n
trainings answer it. Here one training does: bounds settle most documents, and for the others the full solution is
repaired until its score is proved to be on one side of zero.

**Who is in doubt.** Let α, ξ, f be the full solution, y f the margins.

- A document with α_i = 0 changes nothing: the solution without it is the same.
- One that is misclassified with its own help stays so. With F the objective of the others and ℓ_i the loss of i, F(w)
  + ℓ_i(w) <= F(w') + ℓ_i(w') and F(w') <= F(w) give ℓ_i(w') >= ℓ_i(w) >= 1.
- With a free bias and stable solutions, 2 α_i R² + ξ_i < 1 proves that it is no error (joachims2000, lemma 1);
  without a bias, or with a penalised one, α_i K(x_i, x_i) < y_i f(x_i) does, for every solution (jaakkola1999).

**Removing a document.** Documents far from the margin keep their α, 0 or C, when one document goes. The others, the
margin set, are solved again without it, from the full solution, by steps on their kernel matrix, which all removals of
a category share (`native.leave_one_out`). Between steps, the equations f(x) = y of the documents with 0 < α < C are
solved by their inverse, which is made once. Then every other document is checked: if one would be on the wrong side of
its margin, it enters the margin set and the removal is repeated. |f'(x) − f(x)| <= |w' − w| |x| + |b' − b| tells for
most documents that they cannot be.

**When a score is certain.** Let P(w) be the primal value of any w, D the dual value of any feasible β, w* the optimum,
and G = P(w) − D. P is ½ w·w plus a convex function, so ½ |w − w*|² <= P(w) − P(w*) <= G. This holds even if w is not
that of β: w comes from the equations, β from the steps. Without a bias |f(x) − f*(x)|² <= 2 K(x, x) G, where a
penalised bias is one more feature of size 1. A free bias is a weighted quantile of y − w·x, and moves by no more than
w·x does for some document z, so |f(x) − f*(x)|² <= |(w − w*)·(x − z)|² <= 4 R² G, because |x − z|² = K(x, x) − K(x, z)
+ K(z, z) − K(x, z) <= 2R². In short |f − f*|² <= 2 reach2 · G. Documents outside the margin set that are on the right
side of their margin add nothing to G.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.classifiers.svm import class_costs
from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.native.leave_one_out import MarginSet, Removals, measure, retrain
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = [
    "FEW_FREE",
    "POLISHED",
    "SAFETY",
    "CategorySolution",
    "Demand",
    "LeftOut",
    "Removed",
    "SolvedSVMs",
    "has_dual",
    "leave_one_out_scores",
]

SAFETY = 0.02
"""How much the conditions are widened for what the full solution lacks of the optimum."""
FEW_FREE = 10
"""If a solution has so few documents with 0 < α < C, that of a retraining may have none: all are solved again."""
POLISHED, FINEST, ACCURACY = 1e-4, 1e-4, 0.01
"""By how much scores may be off: of the full solution; of near ties, which are then decided as they are; and if more is
asked for than signs."""
BAND, NEARBY = 0.1, 0.5
"""The margin set starts with documents whose margin is so near to 1, at most this share of the support vectors."""
ROUNDS = (*[32] * 4, *[128] * 4, 1024, 4096, 1 << 14, 1 << 16, 1 << 18)
"""Steps of each removal before its score is examined; after the last, a solution is taken as it is (`short`). While
documents reach and leave bounds, the equations of the others do more than steps: many small rounds come first."""
MAX_MARGIN_SET, MAX_VALUES = 8192, 1 << 23
"""Documents of the largest margin set (512 MB of kernel values; beyond, the SVM is trained anew for each document), and
numbers of the largest matrix that some removals together need besides."""
RIDGE = 1e-6
"""Added to the diagonal of equations, as a share of K(x, x): equal documents would make them singular."""


class Demand(NamedTuple):
    """When a score is certain: it is known to `finest`, or to `accuracy` and on one side of its bar.

    With `one_sided`, it is known to `finest`, or below its bar.
    """

    bars: Floats
    accuracy: float = np.inf
    finest: float = FINEST
    one_sided: bool = False

    def is_met(self, score: Floats, deviation: Floats) -> Bools:
        """Return which scores are certain."""
        if self.one_sided:
            return np.asarray((deviation <= self.finest) | (score + deviation < self.bars))
        clear = (deviation <= self.accuracy) & (np.abs(score - self.bars) > deviation)
        return np.asarray((deviation <= self.finest) | clear)

    def take(self, chosen: Ints | Bools) -> Demand:
        """Return that of some scores."""
        return self._replace(bars=self.bars[chosen])


class Removed(NamedTuple):
    """Documents left out one at a time: score, by how much it may be off, bias, |w' − w|², and how many documents then
    have 0 < α < C (−1: no solution in this margin set); the changes of β in the margin set (one row each)."""

    score: Floats
    deviation: Floats
    bias: Floats
    norm2: Floats
    free: Ints
    change: Floats


@dataclass(frozen=True, eq=False)
class SolvedSVMs:
    """The SVMs of all categories for their estimators: α and ξ (documents × categories), costs (2 × categories).

    C of a document is its side's cost times its weight.
    """

    svm: Any
    X: Sparse
    labels: Sparse
    alpha: Sparse
    slack: Sparse
    intercept: Floats
    stable: Bools
    gaps: Floats
    costs: Floats
    weights: Floats

    @classmethod
    def of(cls, svm: Any, X: Any, labels: Sparse, *, sample_weight: Any = None) -> SolvedSVMs:
        """Return those of a fitted SVM, or of a copy that is fitted now, with C_i = C · sample weight."""
        labels = indicator(labels)
        if not has_dual(svm):
            raise InvalidInput(
                f"{type(svm).__name__} has no dual variables and slacks; give an SVM, or a method such as "
                "cross_validation"
            )
        if not hasattr(svm, "alpha_"):
            svm = clone(svm).fit(X, labels, sample_weight=sample_weight)
        if svm.alpha_.shape[0] != labels.shape[0]:
            raise InvalidInput(
                f"the SVM was trained on {svm.alpha_.shape[0]} documents and there are {labels.shape[0]} label sets; "
                "give the documents it was trained on, in their order"
            )
        weights = _checked_weights(sample_weight, labels.shape[0])
        own = labels if svm.alpha_.shape[1] == labels.shape[1] else labels[:, [labels.shape[1] - 1]]
        svms = cls(
            svm=svm,
            X=sparse.csr_array(X, dtype=np.float64),
            labels=own,
            alpha=svm.alpha_,
            slack=svm.slack_,
            intercept=svm.intercept_,
            stable=svm.stable_,
            gaps=svm.primal_ - svm.dual_,
            costs=svm.C * class_costs(svm.class_weight, svm.classes_, own, weights=weights),
            weights=weights,
        )
        return svms if own is labels else svms._mirrored(labels)

    def _mirrored(self, labels: Sparse) -> SolvedSVMs:
        """Return the SVM of a y of two classes as those of both: the first is the second with the other sign."""
        if self.alpha.shape[1] != 1 or labels.shape[1] != 2:
            raise InvalidInput(f"an SVM of {self.alpha.shape[1]} categories and labels of {labels.shape[1]} categories")
        alpha, slack = (sparse.csr_array(sparse.hstack([part, part])) for part in (self.alpha, self.slack))
        return replace(
            self,
            labels=labels,
            alpha=alpha,
            slack=slack,
            intercept=np.array([-self.intercept[0], self.intercept[0]]),
            stable=np.tile(self.stable, 2),
            gaps=np.tile(self.gaps, 2),
            costs=np.hstack([self.costs[::-1], self.costs]),
        )

    @property
    def free(self) -> bool:
        """Whether the bias is free."""
        return bool(self.svm.bias == "free")

    @property
    def shift(self) -> float:
        """What the bias adds to the kernel: 1 if it is penalised."""
        return float(self.svm.bias == "penalised")

    @cached_property
    def own(self) -> Bools:
        """The documents (columns) of each category (rows)."""
        return np.ascontiguousarray(self.labels.toarray().T, bool)

    def side(self, c: int) -> tuple[Floats, Floats, Floats]:
        """Return y, C and β = yα of a category's documents."""
        own, alpha = self.own[c], self._alpha[:, [c]].toarray()[:, 0]
        y, cap = np.where(own, 1.0, -1.0), self.weights * self.costs[own.astype(int), c]
        return y, cap, y * np.minimum(alpha, cap)

    def _caps(self, entries: Any) -> Floats:
        """Return C of the documents and categories that a sparse array has entries for."""
        row, column = entries.coords
        caps: Floats = self.weights[row] * self.costs[self.own[column, row].astype(int), column]
        return caps

    @cached_property
    def _alpha(self) -> Any:
        """α by category.

        Σ (C_i − α_i) ξ_i is a part of the duality gap: if it is more, the costs are not those of the training.
        """
        alpha, slack = sparse.csc_array(self.alpha), sparse.coo_array(self.slack)
        part = np.bincount(slack.col, self._caps(slack) * slack.data, minlength=alpha.shape[1]).astype(np.float64)
        part -= np.asarray(alpha.multiply(self.slack).sum(axis=0)).ravel()
        total = np.where(self.own, self.costs[1][:, None], self.costs[0][:, None]) @ self.weights
        if np.any(alpha.data > self._caps(alpha.tocoo()) * (1 + 1e-6)) or np.any(part > 2 * self.gaps + 1e-6 * total):
            raise InvalidInput(
                "α and ξ of the SVM do not fit its C and these weights: it was trained with other sample weights; "
                "give the same as sample_weight="
            )
        return alpha

    @cached_property
    def free_counts(self) -> Ints:
        """How many documents of each category have 0 < α < C."""
        alpha = self._alpha.tocoo()
        free = (alpha.data > 0) & (alpha.data < self._caps(alpha))
        return np.bincount(alpha.col[free], minlength=alpha.shape[1])

    @cached_property
    def squares(self) -> Floats:
        """K(x, x) of each document, with what a penalised bias adds."""
        lengths2 = np.asarray(self.X.multiply(self.X).sum(axis=1), np.float64).ravel()
        return np.asarray(self.svm.kernel_function().diagonal(lengths2) + self.shift)

    @cached_property
    def reach2(self) -> Floats:
        """|f(x) − f*(x)|² of each document for |w − w*| = 1, at most: 2R² with a free bias, else K(x, x)."""
        return np.full(self.X.shape[0], 2 * float(self.svm.radius2_)) if self.free else self.squares

    @cached_property
    def bound(self) -> float:
        """R²: of K(x, x) − K(x, z) with a free bias, where a constant added to the kernel changes nothing (lemma 2);
        else of K(x, x), with what a penalised bias adds."""
        return float(self.svm.radius2_) if self.free else float(self.squares.max(initial=0.0))

    @cached_property
    def separates(self) -> Bools:
        """Which categories have documents on both sides, of those with a weight."""
        inside, total = self.own @ (self.weights > 0).astype(np.int64), np.count_nonzero(self.weights)
        return np.asarray((inside > 0) & (inside < total))

    def constant(self, c: int) -> LeftOut:
        """Return what leave-one-out says of a category with nothing to separate."""
        n, score = self.X.shape[0], np.full(self.X.shape[0], self.intercept[c])
        nobody = np.zeros(n, np.bool_)
        return LeftOut(score, np.zeros(n), score, nobody, nobody, nobody)

    def share_kernel(self) -> None:
        """Compute the kernel values of all documents, if they fit and categories would compute most of them again."""
        n, support = self.X.shape[0], np.diff(self._alpha.indptr).astype(float)
        if n <= MAX_MARGIN_SET and (support**2).sum() >= n * n:
            vars(self)["_kernel"] = self.svm.kernel_function().matrix(self.X, self.X) + self.shift

    def solutions(self) -> dict[int, CategorySolution] | None:
        """Return a place for the solutions of all categories; None if they would be too large to keep."""
        self.share_kernel()
        support = np.diff(self._alpha.indptr).astype(float)
        return {} if (support**2).sum() <= MAX_MARGIN_SET**2 else None

    def kernel_values(self, rows: Ints, columns: Ints) -> Floats:
        """Return K(x, z) of some documents and others, with what a penalised bias adds."""
        if (whole := vars(self).get("_kernel")) is not None:
            return np.asarray(whole[np.ix_(rows, columns)])
        return np.ascontiguousarray(self.svm.kernel_function().matrix(self.X[rows], self.X[columns]) + self.shift)

    def expand(self, documents: Ints, support: Ints, beta: Any) -> Floats:
        """Return Σ β_j K(x, x_j) of some documents: f without a free bias; one column for each column of β."""
        if self.svm.kernel == "linear":
            weights, extra = self.X[support].T @ beta, self.shift * np.asarray(beta.sum(axis=0))
            return np.asarray(self.X[documents] @ weights + extra)
        rows = max(1, MAX_VALUES // max(1, len(support)))
        parts = [documents[first : first + rows] for first in range(0, len(documents), rows)]
        return np.concatenate([np.empty((0, *beta.shape[1:])), *(self.kernel_values(p, support) @ beta for p in parts)])


class CategorySolution:
    """The solution of one category, solved further than the SVM was, from which documents can be left out.

    `full` are the scores of all documents, `members` the margin set, `steps` those made so far.
    """

    _margin_set: MarginSet

    def __init__(self, svms: SolvedSVMs, c: int) -> None:
        self.svms, self.steps = svms, 0
        self.y, self.cap, self.beta = svms.side(c)
        self.bias = float(svms.intercept[c]) if svms.free else 0.0
        self.members = self._equations = np.empty(0, np.int64)
        self._margin_set = MarginSet(np.empty((0, 0)), np.empty(0), np.empty(0), 0.0, svms.free)
        self._weighty = np.flatnonzero(self.cap > 0)
        self._set_scores()
        self._grow(self._near_margin())
        self._polish()

    @property
    def free(self) -> Bools:
        """Where 0 < α < C."""
        return np.asarray((self.beta != 0) & (np.abs(self.beta) < self.cap))

    @property
    def is_too_large(self) -> bool:
        """Whether the margin set is too large for a kernel matrix."""
        return len(self.members) > MAX_MARGIN_SET

    def _set_scores(self) -> None:
        support = np.flatnonzero(self.beta)
        self.full = self.svms.expand(np.arange(len(self.y)), support, self.beta[support]) + self.bias

    def _near_margin(self) -> Ints:
        """Return the documents with 0 < α < C and some others near the margin."""
        distance = np.where(self.free, 0.0, np.where(self.cap > 0, np.abs(self.y * self.full - 1), np.inf))
        most = int(self.free.sum() + NEARBY * np.count_nonzero(self.beta))
        nearest = np.argsort(distance, kind="stable")[:most]
        return nearest[distance[nearest] <= BAND]

    def _grow(self, more: Ints) -> None:
        """Take documents into the margin set."""
        before, self.members = self.members, np.union1d(self.members, more)
        if self.is_too_large:
            return
        own, new = self.members, ~np.isin(self.members, before)
        kernel = np.empty((len(own), len(own)))
        kernel[np.ix_(~new, ~new)] = self._margin_set.kernel
        kernel[new] = self.svms.kernel_values(own[new], own)
        kernel[:, new] = kernel[new].T
        outside = float(np.delete(self.beta, own).sum())
        self._margin_set = MarginSet(kernel, self.y[own], self.cap[own], outside, self.svms.free)

    def _polish(self) -> None:
        """Solve the margin set until no document outside is on the wrong side of its margin."""
        reach2 = self.svms.reach2.max(initial=0.0)
        while not self.is_too_large:
            beta, gradient = self.beta[self.members][None], (self.y - self.full + self.bias)[self.members][None]
            solved = Removals.start(np.array([-1]), np.zeros(1), beta, gradient)
            for limit in ROUNDS:
                retrain(self._margin_set, solved, limit)
                self.steps += int(solved.steps[0])
                measure(self._margin_set, solved)
                if reach2 * solved.gap[0] <= POLISHED**2 or solved.steps[0] < limit:
                    break
            self.beta[self.members], self.bias = solved.beta[0], float(solved.bias[0])
            self._set_scores()
            wrong = np.flatnonzero(self._lack(np.arange(len(self.y)), self.full) > 0)
            # Without 0 < α < C any document may be the one that ends the interval of best biases.
            entering = np.setdiff1d(wrong if self.free.any() or not self.svms.free else self._weighty, self.members)
            if not len(entering):
                self._invert()
                return
            self._grow(entering)

    def _invert(self) -> None:
        """Invert the equations of the documents with 0 < α < C: f + b = y, and with a free bias Σ β = 0."""
        self._equations = np.flatnonzero(self.free)
        where = np.searchsorted(self.members, self._equations)
        matrix = self._margin_set.kernel[np.ix_(where, where)]
        matrix += RIDGE * max(self.svms.squares.max(initial=0.0), RIDGE) * np.eye(len(matrix))
        if self.svms.free:
            matrix = np.pad(matrix, (0, 1), constant_values=1.0)
            matrix[-1, -1] = 0.0
        self._inverse = np.linalg.inv(matrix) if len(self._equations) else np.zeros((0, 0))

    def _lack(self, documents: Ints, scores: Floats) -> Floats:
        """Return by how much documents with α = 0 or α = C are on the wrong side of their margin; negative if not."""
        beyond = np.where(self.beta[documents] == 0, -1.0, 1.0) * np.where(self.cap[documents] > 0, 1.0, 0.0)
        return np.asarray((beyond * (self.y[documents] * scores.T - 1)).T)

    def leave_out(self, chosen: Ints, demand: Demand) -> tuple[Floats, Floats, Ints]:
        """Return scores of these documents when left out, by how much they may be off, and how many others are free."""
        score, deviation, free = np.empty(len(chosen)), np.zeros(len(chosen)), np.empty(len(chosen), np.int64)
        pending = np.arange(len(chosen))
        while len(pending) and not self.is_too_large:
            again: list[Ints] = []
            entering: list[Ints] = []
            size = max(16, min(256, MAX_VALUES // max(self.svms.X.shape[1], len(self.members))))
            for part in (pending[first : first + size] for first in range(0, len(pending), size)):
                removed = self._remove(chosen[part], demand.take(part))
                wrong, documents = self._outside(chosen[part], removed)
                score[part], deviation[part], free[part] = removed.score, removed.deviation, removed.free
                again.append(part[wrong])
                entering.append(documents)
            pending, before = np.concatenate(again), len(self.members)
            self._grow(np.concatenate(entering))
            if len(self.members) == before:
                break
        for k in pending:
            score[k], free[k] = self._train_without(chosen[k])
            deviation[k] = 0.0
        return score, deviation, free

    def left_out(self, chosen: Ints, demand: Demand) -> LeftOut:
        """Return the scores of all documents, with these left out.

        A document that is alone on its side, of those with a weight, leaves nothing to separate: the score is that of
        the other side, ∓1.
        """
        n, counted = len(self.y), self.svms.weights > 0
        score, deviation, unstable = self.full.copy(), np.zeros(n), np.zeros(n, np.bool_)
        alone = counted & (np.where(self.y > 0, *(np.count_nonzero(counted & (self.y == y)) for y in (1, -1))) == 1)
        score[alone], solved = -self.y[alone], alone.copy()
        chosen, demand, before = chosen[~alone[chosen]], demand.take(~alone[chosen]), self.steps
        score[chosen], deviation[chosen], free = self.leave_out(chosen, demand)
        solved[chosen], unstable[chosen] = True, (free == 0) & self.svms.free
        tie = demand._replace(finest=demand.finest if demand.one_sided else 0.0)
        short = int(np.count_nonzero(~tie.is_met(score[chosen], deviation[chosen])))
        support, steps = self.beta != 0, self.steps - before
        return LeftOut(score, deviation, self.full, solved, unstable, support, steps, short)

    def _remove(self, chosen: Ints, demand: Demand) -> Removed:
        """Leave documents out of the margin set, as if all others kept their α.

        Steps find out which documents reach or leave a bound, and the equations of the free ones give the rest: another
        w', with P(w') − D(β) >= ½ |w' − w*|².
        """
        svms, place, own_beta, start = (
            self.svms,
            _places(self.members, chosen),
            self.beta[chosen],
            self.beta[self.members],
        )
        rows, todo, inside = np.empty((len(chosen), len(start))), np.arange(len(chosen)), place >= 0
        rows[inside] = self._margin_set.kernel[place[inside]]
        rows[~inside] = svms.kernel_values(chosen[~inside], self.members)
        without = (self.y - self.full + self.bias)[self.members] + own_beta[:, None] * rows
        score, deviation, bias, norm2 = np.zeros((4, len(chosen)))
        removed = Removed(score, deviation, bias, norm2, np.full(len(chosen), -1), np.zeros(rows.shape))
        solved = Removals.start(place, own_beta, np.where(np.arange(len(start)) == place[:, None], 0.0, start), without)
        solved.bias[:] = self.bias
        shift, after = self._correct(chosen, solved, own_beta)
        for limit in ROUNDS:
            now, own = chosen[todo], own_beta[todo]
            beta, gradient = self._clip(solved.beta + shift, after)
            solved = Removals.start(place[todo], own, beta, gradient)
            retrain(self._margin_set, solved, limit)
            shift, after = self._correct(now, solved, np.zeros(len(todo)))
            better = solved._replace(gradient=after)
            measure(self._margin_set, better)
            gap = better.gap + 0.5 * _dots(shift, gradient - after)
            change = np.where(np.arange(len(start)) == place[todo, None], 0.0, beta + shift - start)
            pull = _dots(rows[todo], change)
            removed.score[todo] = self.full[now] - self.bias - own * svms.squares[now] + pull + better.bias
            removed.deviation[todo] = np.sqrt(2 * svms.reach2[now] * np.maximum(gap, 0.0))
            removed.norm2[todo] = own**2 * svms.squares[now] - 2 * own * pull + _dots(change, without[todo] - after)
            removed.bias[todo], removed.change[todo] = better.bias, change
            removed.free[todo] = self._count_free(beta)
            removed.free[todo[solved.steps < 0]] = -1
            self.steps += int(solved.steps.sum())
            left = ~demand.is_met(removed.score, removed.deviation)[todo] & (solved.steps == limit)
            todo, solved, shift, after = todo[left], solved._replace(beta=beta[left]), shift[left], after[left]
            if not len(todo):
                break
        return removed

    def _count_free(self, beta: Floats) -> Ints:
        return np.count_nonzero((beta != 0) & (beta != self._margin_set.y * self._margin_set.cap), axis=1)

    def _correct(self, chosen: Ints, solved: Removals, missing: Floats) -> tuple[Floats, Floats]:
        """Return the changes of β that give free documents the score y and Σ β what it lacks; and the gradient then."""
        where, own = np.searchsorted(self.members, self._equations), _places(self._equations, chosen)
        shift, beta = np.zeros(solved.beta.shape), solved.beta[:, where]
        if not len(where):
            return shift, solved.gradient
        held = np.flatnonzero(own >= 0)
        at = (held, own[held])
        inside = (beta != 0) & (beta != (self._margin_set.y * self._margin_set.cap)[where])
        inside[at] = True
        lack = np.where(inside, solved.gradient[:, where] - solved.bias[:, None], 0.0)
        answer = (np.column_stack([lack, missing]) if self.svms.free else lack) @ self._inverse
        # The document that is left out has no equation; if it was the only one, steps must do without.
        pivot = self._inverse[own[held], own[held]]
        factor = np.divide(answer[at], pivot, out=np.zeros(len(held)), where=pivot > 0)
        answer[held] -= factor[:, None] * self._inverse[own[held]]
        answer[held[pivot <= 0]] = 0.0
        answer[at] = 0.0
        shift[:, where] = answer[:, : len(where)]
        return shift, solved.gradient - shift @ self._margin_set.kernel

    def _clip(self, beta: Floats, gradient: Floats) -> tuple[Floats, Floats]:
        """Return β within its bounds, and the gradient then."""
        limits = self._margin_set.y * self._margin_set.cap
        clipped = np.clip(beta, np.minimum(limits, 0.0), np.maximum(limits, 0.0))
        return clipped, gradient + (beta - clipped) @ self._margin_set.kernel

    def _outside(self, chosen: Ints, removed: Removed) -> tuple[Bools, Ints]:
        """Return which removals put documents outside the margin set on the wrong side of their margin, and those."""
        outside = np.setdiff1d(self._weighty, self.members)
        wrong = (removed.free < 0) | ((removed.free == 0) & self.svms.free & (len(outside) > 0))
        moved = np.where(removed.free < 0, 0.0, removed.bias - self.bias)
        reach = np.sqrt(max(removed.norm2.max(), 0.0) * self.svms.squares[outside]) + np.abs(moved).max()
        near = outside[self._lack(outside, self.full[outside]) > -reach]
        support = np.concatenate([self.members, chosen])
        beta = np.concatenate([removed.change.T, np.diag(-self.beta[chosen])])
        scores = self.full[near, None] + self.svms.expand(near, support, beta) + moved
        # A document that is left out has no margin.
        lacking = (self._lack(near, scores) > 0) & (near[:, None] != chosen)
        entering = outside if wrong.any() else near[lacking.any(axis=1)]
        return wrong | lacking.any(axis=0), entering

    def _train_without(self, i: int) -> tuple[float, int]:
        """Train the SVM of this category without a document."""
        cap = self.cap.copy()
        cap[i] = 0.0
        options = {"C": 1.0, "class_weight": None, "probability": False, "tol": 1e-6, "gamma": self.svms.svm.gamma_}
        labels = sparse.csr_array((self.y > 0)[:, None])
        svm = clone(self.svms.svm).set_params(**options).fit(self.svms.X, labels, sample_weight=cap)
        alpha = svm.alpha_.toarray()[:, 0]
        score = svm.decision_function(self.svms.X[[i]])[0, 0]
        return float(score), int(np.count_nonzero((alpha > 0) & (alpha < cap)))


def _dots(a: Floats, b: Floats) -> Floats:
    """Return the inner products of the rows of two matrices."""
    return np.asarray(np.einsum("rj,rj->r", a, b))


def _places(members: Ints, documents: Ints) -> Ints:
    """Return where documents are in a sorted list, −1 for those that are not."""
    if not len(members):
        return np.full(len(documents), -1)
    place = np.minimum(np.searchsorted(members, documents), len(members) - 1)
    return np.where(members[place] == documents, place, -1)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The leave-one-out scores of one category.

    `score`, if `solved` or α = 0, is that of the retrained SVM; else of the full one, whose decision the retrained one
    shares. `deviation` is by how much it may be off. `unstable` marks retrained solutions without 0 < α < C. `full` are
    the scores of all documents, `support` marks those whose removal changes the solution (α > 0). `steps` are those of
    the solver, `short` the removals that ended before the score was certain.
    """

    score: Floats
    deviation: Floats
    full: Floats
    solved: Bools
    unstable: Bools
    support: Bools
    steps: int = 0
    short: int = 0

    def updated(self, more: LeftOut | None) -> LeftOut:
        """Return these scores with what is known of more documents."""
        if more is None:
            return self
        parts = {
            name: np.where(more.solved, getattr(more, name), getattr(self, name)) for name in ("score", "deviation")
        }
        both = {name: getattr(self, name) | getattr(more, name) for name in ("solved", "unstable")}
        return replace(self, **parts, **both, steps=self.steps + more.steps, short=self.short + more.short)

    @property
    def candidates(self) -> int:
        """The number of support vectors and others solved again."""
        return int(np.count_nonzero(self.solved | self.support))


def _doubtful(solution: CategorySolution, every: bool) -> Ints:
    """Return the documents whose decision a retraining may change (see the module for why).

    Of those that are classified rightly: with a free bias 2 α_i R² + ξ_i >= 1 (joachims2000, lemma 1), or any α_i > 0
    if few are free, or all if none is. Else α_i K(x_i, x_i) >= y_i f(x_i).
    """
    svms, alpha, margin = solution.svms, np.abs(solution.beta), solution.y * solution.full
    free = int(solution.free.sum())
    if svms.free and free == 0:
        return np.arange(len(alpha))
    if every or (svms.free and free <= FEW_FREE):
        return np.flatnonzero(alpha > 0)
    loss = alpha * (2 * svms.bound if svms.free else svms.squares)
    return np.flatnonzero((alpha > 0) & (margin >= -SAFETY) & (loss >= margin - SAFETY))


def leave_one_out_scores(svms: SolvedSVMs, c: int, *, every: bool = False) -> LeftOut:
    """Return the score of every document by the SVM of category c trained without it.

    Documents whose sign is in doubt are solved again, until it is certain; with `every` all support vectors, also to
    ACCURACY.
    """
    if not svms.separates[c]:
        return svms.constant(c)
    solution = CategorySolution(svms, c)
    chosen = _doubtful(solution, every)
    return solution.left_out(chosen, Demand(np.zeros(len(chosen)), ACCURACY if every else np.inf))


def leave_out_below(
    svms: SolvedSVMs,
    c: int,
    chosen: Ints,
    bars: Floats,
    *,
    finest: float,
    solutions: dict[int, CategorySolution] | None,
) -> LeftOut:
    """Leave these documents out of category c, until a score is certain to be below its bar, or known to `finest`.

    Solutions that were made before are taken from `solutions`, and kept there; None keeps none.
    """
    if not svms.separates[c]:
        return svms.constant(c)
    solution = (solutions or {}).get(c) or CategorySolution(svms, c)
    if solutions is not None:
        solutions[c] = solution
    # Without 0 < α < C any removal may move a free bias.
    changing = ((solution.beta != 0) | (svms.free and not solution.free.any()))[chosen]
    return solution.left_out(chosen[changing], Demand(bars[changing], finest=finest, one_sided=True))


def has_dual(classifier: Any) -> bool:
    """Return whether a classifier is one of our SVMs or gives what they give: α, ξ, R² and a kernel.

    With a centroid in it, the score is no longer that of α.
    """
    return bool(getattr(classifier, "has_dual", False)) and not getattr(classifier, "centroid", 0.0)


def _checked_weights(sample_weight: Any, documents: int) -> Floats:
    weights = np.ones(documents) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if weights.shape != (documents,) or not np.all(np.isfinite(weights) & (weights >= 0)):
        raise InvalidInput(f"sample_weight must be {documents} numbers, one per document, none negative")
    return weights
