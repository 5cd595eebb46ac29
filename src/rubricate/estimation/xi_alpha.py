"""Estimates from one training: ξα and the training error. joachims2000, sections 3.1 and 4."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.classifiers.svm import SVM
from rubricate.classifiers.svm_leave_one_out import SolvedSVMs
from rubricate.errors import InvalidInput
from rubricate.estimation.bounds import kearns_ron, vc_excess
from rubricate.estimation.leave_one_out import lowered_best
from rubricate.estimation.resampling import described, learn
from rubricate.estimation.results import Estimate, estimator, names_for
from rubricate.labels import indicator
from rubricate.measures import counts
from rubricate.types import AnyClassifier, Counts, Ints, Signature, Sparse

__all__ = ["training_error", "xi_alpha"]

BIAS = "strongly optimistic: measured on what was learned from (equation 8)"
SPREAD = "E(|Err − Err_emp|²) <= O(d ln(n/d) / n) for VC dimension d (equation 11)"


@estimator("training_error")
def training_error(
    classifier: AnyClassifier,
    X: Any,
    labels: Sparse,
    *,
    categories: Any = None,
    dimension: float | None = None,
    delta: float = 0.05,
    single: bool = False,
    signature: Signature | None = None,
) -> Estimate:
    """Measure Err_emp = (1/n) Σ L(h(x_i), y_i) (joachims2000, section 3.1).

    `dimension` is the VC dimension of the hypotheses, by default the number of terms and one more, that of
    hyperplanes; ∞ gives no bound. In `facts`: `vc_bound` a category, which the error does not exceed with probability
    1 − `delta` (equation 10), and `theorem_4`, how far the leave-one-out error of a learner that minimises its training
    error may be from the error.

    Bias: strongly optimistic. Spread: small, and beside the point. Cost: one training, one classification.
    """
    labels = indicator(labels)
    decided = learn(classifier, X, labels, single=single)(X)
    table, n = counts(labels, decided), labels.shape[0]
    d = dimension if dimension is not None else _hyperplanes(X)
    facts: dict[str, Any] = {"trainings": 1}
    if d is not None:
        bound = (table.fp + table.fn) / n + vc_excess(n, d, delta)
        facts |= {"dimension": d, "delta": delta, "vc_bound": bound, "theorem_4": kearns_ron(n, d, delta)}
    return Estimate(
        method="training_error",
        documents=n,
        categories=names_for(categories, labels.shape[1]),
        table=table,
        bias=BIAS,
        spread=SPREAD,
        single_label=single,
        facts=facts,
        signature=described(classifier, signature),
    )


def _hyperplanes(X: Any) -> float | None:
    """Return the VC dimension of hyperplanes in the space of X; None for texts."""
    return float(X.shape[1] + 1) if getattr(X, "ndim", 0) == 2 else None


XI_ALPHA_BIAS = "pessimistic: the expected estimate is at least the expected error after training on n − 1 documents"
XI_ALPHA_SPREAD = (
    "about that of a hold-out test with as many documents as there are for training (joachims2000, section 6)"
)


@estimator("xi_alpha", needs_svm=True)
def xi_alpha(
    classifier: SVM,
    X: Any,
    labels: Sparse,
    *,
    categories: Any = None,
    rho: float = 1.0,
    radius2: float | None = None,
    single: bool = False,
    sample_weight: Any = None,
    signature: Signature | None = None,
) -> Estimate:
    """Return the ξα-estimates of every category (joachims2000, definitions 1 to 4).

    d, d₊, d₋ count the training documents, positives, negatives for which ρ α_i R² + ξ_i >= 1. The contingency table is
    TP = n₊ − d₊, FN = d₊, FP = d₋, TN = n₋ − d₋, and so

        Err = d/n    Rec = 1 − d₊/n₊    Prec = (n₊ − d₊)/(n₊ − d₊ + d₋)    F1 = (2n₊ − 2d₊)/(2n₊ − d₊ + d₋)

    Parameters
    ----------
    classifier : an SVM; if it is fitted on these documents, its solution is used, otherwise it is fitted here.
    rho : 2 bounds the leave-one-out error where the full and the retrained solutions are stable (lemma 1); 1 is the
        practical choice for text. Without a bias, or with a penalised one, 1 is a bound for every solution, because the
        retrained score is at least y f(x_i) − α_i K(x_i, x_i) (Jaakkola and Haussler 1999), K with what the bias adds.
    radius2 : R² >= K(x, x) − K(x, z), or R² >= K(x, x) without a free bias; by default as tight as the documents allow.
        A constant added to the kernel changes neither α, ξ (lemma 2) nor R², so the least K may be taken as 0.
    single : every document has one label and gets its best category. A document is in doubt unless the score of its own
        category, less ρ α R², is above that of every other category, plus ρ α R² (α being that document's in each of
        these SVMs); it counts as the category that is then best. With one category this is the definition above.
    sample_weight : weights for an SVM that is fitted here, any C_i; documents are counted, not weights.

    `undetermined` marks categories without a stable solution (no 0 < α < C, definition 1), a positive or a negative
    document. `facts` has `d`, `d_positive`, `d_negative` per category. Bias: pessimistic (theorem 3), strongly so for
    rare categories and ρ = 2. Spread: about that of a hold-out test of n documents. Cost: thousandths of the training.
    """
    if not rho > 0:
        raise InvalidInput(f"rho must be positive, 1 or 2 as a rule, got {rho}")
    svm = classifier
    if single and not hasattr(svm, "alpha_"):
        svm = clone(svm).fit(X, indicator(labels), sample_weight=sample_weight)
    svms = SolvedSVMs.of(svm, X, labels, sample_weight=sample_weight)
    radius = svms.bound if radius2 is None else float(radius2)
    own, factor = svms.labels, rho * radius
    doubted = _not_best(svm.decision_function(X), svms, factor) if single else _in_doubt(svms, factor)
    d, positive = _sums(doubted, own)
    held, n, negative = np.bincount(own.indices, minlength=own.shape[1]), own.shape[0], d - positive
    facts = {"rho": rho, "radius2": radius, "trainings": 1, "d": d, "d_positive": positive, "d_negative": negative}
    return Estimate(
        method="xi_alpha",
        documents=n,
        categories=names_for(categories, own.shape[1]),
        table=Counts(tp=held - positive, fp=negative, fn=positive, tn=n - held - negative),
        bias=XI_ALPHA_BIAS,
        spread=XI_ALPHA_SPREAD,
        single_label=single,
        undetermined=(held == 0) | (held == n) | (~svms.stable if svms.free else False),
        facts=facts,
        signature=signature or Signature(classifier=" ".join(repr(classifier).split())),
    )


def _not_best(scores: Any, svms: SolvedSVMs, factor: float) -> Sparse:
    """Return where the labels and the best categories after lowering by factor · α_i differ: documents × categories."""
    return sparse.csr_array(svms.labels != lowered_best(scores, svms, factor))


def _in_doubt(svms: SolvedSVMs, factor: float) -> Sparse:
    """Return where factor · α_i + ξ_i >= 1: boolean, documents × categories."""
    both = sparse.csr_array(svms.alpha * factor + svms.slack)
    both.data = both.data >= 1
    return sparse.csr_array(both, dtype=bool)


def _sums(doubted: Sparse, labels: Sparse) -> tuple[Ints, Ints]:
    """Return how many documents of each category are in doubt, and how many of them belong to it."""
    columns = labels.shape[1]
    positive = sparse.csr_array(doubted.multiply(labels))
    positive.eliminate_zeros()
    whole = np.bincount(doubted.indices, doubted.data, minlength=columns).astype(np.int64)
    return whole, np.bincount(positive.indices, minlength=columns).astype(np.int64)
