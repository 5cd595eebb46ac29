"""Matthews' correlation coefficient of the decisions on each category."""

from __future__ import annotations

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.types import Counts, Floats, Undefined

__all__ = ["mcc"]


@measure("counts", "MCC")
def mcc(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return (TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)) of each entry. matthews1975.

    0/0 where truth or decisions are constant. Agrees with scikit-learn's `matthews_corrcoef` of each category; the
    coefficient of K classes at once (single-label data) is `summaries.mcc` of an evaluation.
    """
    tp, fp, fn, tn = (np.asarray(part, np.float64) for part in (counts.tp, counts.fp, counts.fn, counts.tn))
    spread = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return ratio(tp * tn - fp * fn, spread, undefined)
