"""ξα: error, recall, precision and F1 of an SVM from one training, without any resampling."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.classifiers.svm.solvers.leave_one_out import SolvedSVMs
from rubricate.classifiers.svm.svm import SVM
from rubricate.errors import InvalidInput
from rubricate.estimation.definition.estimate import Estimate, names_for
from rubricate.estimation.definition.estimator import estimator
from rubricate.estimation.theory.best_category import lowered_best
from rubricate.labels import indicator
from rubricate.types import Counts, Ints, Signature, Sparse

__all__ = ["xi_alpha"]

BIAS = "pessimistic: the expected estimate is at least the expected error after training on n − 1 documents"
SPREAD = "about that of a hold-out test with as many documents as there are for training (joachims2000, section 6)"


@estimator(needs_svm=True)
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
        bias=BIAS,
        spread=SPREAD,
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
