"""Cohen's kappa of truth and decisions on each category."""

from __future__ import annotations

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.types import Counts, Floats, Undefined

__all__ = ["kappa"]


@measure("counts", "kappa")
def kappa(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return 2(TP·TN − FP·FN) / ((TP+FP)(FP+TN) + (TP+FN)(FN+TN)) of each entry. cohen1960.

    0/0 where truth and decisions are the same constant. Agrees with scikit-learn's `cohen_kappa_score` of each
    category; kappa of K classes at once (single-label data) is `summaries.kappa` of an evaluation.
    """
    tp, fp, fn, tn = (np.asarray(part, np.float64) for part in (counts.tp, counts.fp, counts.fn, counts.tn))
    return ratio(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn), undefined)
