"""The training error, and the bound that VC theory puts above it."""

from __future__ import annotations

from typing import Any

from rubricate.estimation.definition.estimate import Estimate, names_for
from rubricate.estimation.definition.estimator import estimator
from rubricate.estimation.resampling.deciding import described, learn
from rubricate.estimation.theory.bounds import kearns_ron, vc_excess
from rubricate.labels import indicator
from rubricate.measures import counts
from rubricate.types import AnyClassifier, Signature, Sparse

__all__ = ["training_error"]

BIAS = "strongly optimistic: measured on what was learned from (equation 8)"
SPREAD = "E(|Err − Err_emp|²) <= O(d ln(n/d) / n) for VC dimension d (equation 11)"


@estimator()
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
