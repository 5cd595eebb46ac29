"""Leave-one-out: each document decided by a classifier trained on all others; exact and fast for SVMs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.classifiers.svm.solvers.leave_one_out import (
    ACCURACY,
    FINEST,
    POLISHED,
    LeftOut,
    SolvedSVMs,
    has_dual,
    leave_one_out_scores,
    leave_out_below,
)
from rubricate.engines import Engine, one_blas_thread, run_tasks
from rubricate.errors import InvalidInput
from rubricate.estimation.cross_validation import cross_validation
from rubricate.estimation.definition.estimate import Estimate, names_for
from rubricate.estimation.definition.estimator import estimator
from rubricate.estimation.theory.best_category import best_categories, may_be_best, score_bounds
from rubricate.estimation.theory.bounds import rogers_wagner
from rubricate.labels import indicator
from rubricate.measures import counts
from rubricate.types import Bools, Floats, Signature, Sparse

__all__ = ["leave_one_out"]

BIAS = "almost none: the expected estimate is the expected error after training on n − 1 documents (theorem 1)"
SPREAD = "higher than that of 10-fold cross-validation; mean square deviation <= 1/n + 6 Pr(h_n ≠ h_n−1) (theorem 2)"


@estimator(needs_svm=True)
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
    (`rubricate.classifiers.svm.solvers.leave_one_out` says how and why). So decisions are those of retraining to the
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
