"""Which category stays the best one of a document when the document is left out: bounds for one label per document.

Leaving document i out lowers the score of its own category by at most ρ α_i R² and raises that of any other by at most
ρ α_i R², α_i being the document's in the SVM of that category: with ρ = 2 where the bias is free and solutions are
stable (joachims2000, lemma 1), with ρ = 1 otherwise (Jaakkola and Haussler 1999).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.classifiers.svm_leave_one_out import (
    ACCURACY,
    FEW_FREE,
    FINEST,
    POLISHED,
    SAFETY,
    LeftOut,
    SolvedSVMs,
    has_dual,
    leave_one_out_scores,
    leave_out_below,
)
from rubricate.engines import Engine, one_blas_thread, run_tasks
from rubricate.errors import InvalidInput
from rubricate.estimation.bounds import rogers_wagner
from rubricate.estimation.resampling import cross_validation
from rubricate.estimation.results import Estimate, estimator, names_for
from rubricate.labels import indicator
from rubricate.measures import counts
from rubricate.types import Bools, Floats, Signature, Sparse

__all__ = ["best_categories", "leave_one_out", "lowered_best", "may_be_best", "score_bounds"]


def _lowered_scores(scores: Any, svms: SolvedSVMs, factor: float) -> Floats:
    """Return the scores of the training documents, each moved by factor · α to the wrong side."""
    lowered = _both_columns(scores, svms.labels.shape[1])
    alpha = sparse.coo_array(svms.alpha)
    own = np.asarray(svms.labels.toarray(), bool)[alpha.row, alpha.col]
    lowered[alpha.row, alpha.col] += np.where(own, -1.0, 1.0) * factor * alpha.data
    return lowered


def lowered_best(scores: Any, svms: SolvedSVMs, factor: float) -> Sparse:
    """Return the best category of each document by its lowered scores."""
    return best_categories(_lowered_scores(scores, svms, factor), svms.labels)


def best_categories(scores: Floats, labels: Sparse) -> Sparse:
    """Return the best category of each document; one that is level with a document's own is taken instead of it.

    >>> labels = sparse.csr_array([[1, 0], [1, 0]], dtype=bool)
    >>> best_categories(np.array([[0.5, 0.5], [0.5, 0.1]]), labels).toarray().astype(int).tolist()
    [[0, 1], [1, 0]]
    """
    own = np.asarray(labels.toarray(), bool)
    others = np.where(own, -np.inf, scores)
    rival = np.argmax(others, axis=1)
    rows = np.arange(len(scores))
    mine = np.max(np.where(own, scores, -np.inf), axis=1)
    chosen = np.where(mine > others[rows, rival], np.argmax(own, axis=1), rival)
    return sparse.csr_array((np.ones(len(rows), bool), chosen, np.arange(len(rows) + 1)), shape=own.shape)


def _both_columns(scores: Any, columns: int) -> Floats:
    """Return a copy of scores with a column for each category, of two where an SVM has one vector for both."""
    values = np.array(scores, np.float64)
    return np.column_stack([-values, values]) if values.ndim == 1 and columns == 2 else values.reshape(-1, columns)


def score_bounds(scores: Any, svms: SolvedSVMs) -> tuple[Floats, Floats]:
    """Return the least and the largest score (documents × categories) of each document when it is left out.

    Wider by `SAFETY`, for what the solution lacks of the optimum. With a free bias the bounds hold if retrained SVMs
    have some 0 < α < C: if a category has few such documents, nothing is known about its support vectors; if it has
    none, about any document. A document alone on its side is scored as the other side, ∓1; a category with nothing to
    separate has one score.
    """
    full = _both_columns(scores, svms.labels.shape[1])
    moved = _lowered_scores(scores, svms, 2 * svms.bound if svms.free else svms.bound)
    low, high = np.minimum(moved, full) - SAFETY, np.maximum(moved, full) + SAFETY
    if svms.free:
        few = np.flatnonzero(svms.free_counts <= FEW_FREE)
        unknown = (svms.alpha[:, few].toarray() > 0) | (svms.free_counts[few] == 0)
        low[:, few], high[:, few] = np.where(unknown, -np.inf, low[:, few]), np.where(unknown, np.inf, high[:, few])
    own, counted = svms.own.T, svms.weights > 0
    inside, outside = np.count_nonzero(own[counted], axis=0), np.count_nonzero(~own[counted], axis=0)
    alone = counted[:, None] & np.where(own, inside == 1, outside == 1)
    low[alone] = high[alone] = np.where(own, -1.0, 1.0)[alone]
    constant = (inside == 0) | (outside == 0)
    low[:, constant] = high[:, constant] = svms.intercept[constant]
    return low, high


def may_be_best(low: Floats, high: Floats) -> tuple[Bools, Floats]:
    """Return which categories of which documents are still to be compared, and the bar that each must reach.

    The bar is the largest of the least scores of the other categories. A document with only one category that reaches
    its bar is decided.

    >>> low, high = np.array([[0.1, -1.0, -2.0], [0.0, -3.0, -2.0]]), np.array([[0.2, 0.3, -1.0], [1.0, -1.0, -1.0]])
    >>> may_be_best(low, high)[0]
    array([[ True,  True, False],
           [False, False, False]])
    """
    order = np.argsort(-low, axis=1, kind="stable")
    bars = np.repeat(np.take_along_axis(low, order[:, :1], axis=1), low.shape[1], axis=1)
    second = np.take_along_axis(low, order[:, 1:2], axis=1) if low.shape[1] > 1 else np.full((len(low), 1), -np.inf)
    np.put_along_axis(bars, order[:, :1], second, axis=1)
    reaching = high >= bars
    return reaching & (np.count_nonzero(reaching, axis=1) > 1)[:, None], bars


BIAS = "almost none: the expected estimate is the expected error after training on n − 1 documents (theorem 1)"
SPREAD = "higher than that of 10-fold cross-validation; mean square deviation <= 1/n + 6 Pr(h_n ≠ h_n−1) (theorem 2)"


@estimator("leave_one_out", needs_svm=True)
def leave_one_out(
    classifier: Any,
    X: Any,
    labels: Sparse,
    *,
    categories: Any = None,
    every: bool = False,
    single: bool = False,
    sample_weight: Any = None,
    engine: Engine | str = "threads",
    signature: Signature | None = None,
) -> Estimate:
    """Return Err_loo = (1/n) Σ L(h_{n\\i}(x_i), y_i), and the table of all such decisions (joachims2000, section 3.4).

    For an SVM one training is enough: only the documents that its conditions leave in doubt are removed, and the
    solution is repaired from the full one until the duality gap proves the decision
    (`rubricate.classifiers.svm_leave_one_out` says how and why). So decisions are those of retraining to the
    optimum, except for near ties, which `facts` counts as `short`. With a free bias the documents in doubt are those
    with 2 α_i R² + ξ_i >= 1 (lemma 1), every support vector if 10 or fewer documents have 0 < α < C, and every
    document if none has; otherwise those with α_i K(x_i, x_i) >= y_i f(x_i). A document that the full solution
    misclassifies remains so and is not solved again. Other classifiers are trained once per document.

    Parameters
    ----------
    classifier : an SVM fitted on these documents, whose solution is used, or any classifier to be fitted.
    every : solve all support vectors again, so that all scores are leave-one-out scores, for learning thresholds or
        calibration. They are off by 0.01 at most, mostly by much less.
    single : every document has one label and gets its best category. An SVM then solves again the documents whose own
        category may not stay the best one (2 α R², or α K(x, x), apart from the others; `theory.best_category`), in
        the categories that may then be the best.
    sample_weight : C_i = C w_i, as in `SVM.fit`, only for SVMs. A fitted SVM needs those of its training, others are
        refused. Documents are counted, not weights.
    engine : runs the categories of an SVM, or the trainings of another classifier.

    Returns
    -------
    Estimate
        `scores` are leave-one-out scores of all documents solved again and of those with α = 0, whose removal changes
        nothing; of the others the full solution's. With `single`, scores are only as exact as it takes to know the best
        one, unless `every` is set. Zero decides as "not in the category". `facts` holds `candidates`,
        documents with α > 0 and others solved again; `settled`, those of them that the conditions above settle;
        `solves`, the others; `steps`; `short`, near ties: removals whose sign is not certain, with `single` documents
        whose best category is not; `unstable`, retrained solutions without 0 < α < C, whose bias is the middle of an
        interval; `disagreement` of full and retrained decisions on the document left out, and theorem 2's bound with it
        (the document left out feels its removal most, so this is on the safe side).

    A document alone on its side is an error. Costs of `class_weight="balanced"` stay those of all documents.

    Bias: almost none (theorem 1). Spread: higher than that of 10-fold cross-validation. Cost: per category the kernel
    values of the documents near its margin, and mostly less than a millisecond for each document in doubt.
    Memory: up to 1 GB for each category under way; beyond 8,192 documents near a margin the SVM of that category is
    trained anew for each document in doubt.
    """
    if not has_dual(classifier):
        if sample_weight is not None:
            raise InvalidInput(
                "leave_one_out weighs documents only for an SVM; leave sample_weight out, or give an SVM"
            )
        estimate = cross_validation(
            classifier, X, labels, categories=categories, folds=labels.shape[0], stratified=False, single=single,
            engine=engine, signature=signature,
        )  # fmt: skip
        return replace(estimate, method="leave_one_out", bias=BIAS, spread=SPREAD)
    svm = classifier
    if single and not hasattr(svm, "alpha_"):
        svm = clone(svm).fit(X, indicator(labels), sample_weight=sample_weight)
    svms = SolvedSVMs.of(svm, X, labels, sample_weight=sample_weight)
    with one_blas_thread():
        if single and not every:
            left, short = _best_left_out(svms, svm.decision_function(X), engine)
        else:
            left, short = _run(svms, every=every, engine=engine)
    scores, full = (np.column_stack([getattr(each, name) for each in left]) for name in ("score", "full"))
    decided, before = (_decided(values, svms.labels, single=single) for values in (scores, full))
    return Estimate(
        method="leave_one_out",
        documents=svms.labels.shape[0],
        categories=names_for(categories, svms.labels.shape[1]),
        table=counts(svms.labels, decided),
        bias=BIAS,
        spread=SPREAD,
        undetermined=np.array([bool(category.unstable.any()) for category in left]),
        scores=scores,
        single_label=single,
        facts=_facts(left, decided, before, short),
        signature=signature or Signature(classifier=" ".join(repr(classifier).split())),
    )


def _decided(scores: Floats, labels: Sparse, *, single: bool) -> Sparse:
    return best_categories(scores, labels) if single else sparse.csr_array(scores > 0)


def _run(svms: SolvedSVMs, *, every: bool, engine: Engine | str) -> tuple[list[LeftOut], int]:
    """Leave the documents in doubt out of every category, each category a task of the engine; count near ties."""
    svms.share_kernel()
    categories = range(svms.labels.shape[1])
    left = run_tasks(lambda c: leave_one_out_scores(svms, c, every=every), categories, engine=engine)
    return left, sum(category.short for category in left)


def _best_left_out(svms: SolvedSVMs, scores: Any, engine: Engine | str) -> tuple[list[LeftOut], int]:
    """Leave out the documents whose own category may not stay the best one; return also how many are near ties.

    Removing a document lowers the score of its own category and raises the others, each by a bounded amount. First the
    documents in doubt are left out of their own category, then of those others that may still be better, last near
    ties once more.
    """
    low, high = score_bounds(scores, svms)
    solutions = svms.solutions()
    left: list[LeftOut] = []
    for part, finest in ((svms.own.T, ACCURACY), (~svms.own.T, ACCURACY), (True, FINEST)):
        pairs, bars = may_be_best(low, high)
        pairs &= part

        def work(c: int, pairs: Bools = pairs, bars: Floats = bars, finest: float = finest) -> LeftOut:
            chosen = np.flatnonzero(pairs[:, c])
            return leave_out_below(svms, c, chosen, bars[chosen, c], finest=finest, solutions=solutions)

        categories = [c for c in range(len(svms.own)) if not left or pairs[:, c].any()]
        found = dict(zip(categories, run_tasks(work, categories, engine=engine), strict=True))
        left = [left[c].updated(found.get(c)) if left else found[c] for c in range(len(svms.own))]
        for c, category in found.items():
            known = category.solved | (~category.support & (svms.free_counts[c] > 0 or not svms.free))
            error = np.where(category.solved, category.deviation, POLISHED)
            low[known, c], high[known, c] = (category.score - error)[known], (category.score + error)[known]
    return left, int(np.count_nonzero(may_be_best(low, high)[0].any(axis=1)))


def _facts(left: list[LeftOut], decided: Sparse, before: Sparse, short: int) -> dict[str, Any]:
    n = decided.shape[0]
    apart = np.asarray((decided != before).sum(axis=0)).ravel() / n
    resolved = np.array([int(category.solved.sum()) for category in left])
    candidates, solves = sum(category.candidates for category in left), int(resolved.sum())
    return {
        "trainings": 1,
        "candidates": candidates,
        "settled": candidates - solves,
        "solves": solves,
        "steps": int(sum(category.steps for category in left)),
        "short": short,
        "unstable": np.array([int(category.unstable.sum()) for category in left]),
        "resolved": resolved,
        "disagreement": apart,
        "theorem_2": np.array([rogers_wagner(n, float(share)) for share in apart]),
    }
