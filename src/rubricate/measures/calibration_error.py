"""The expected calibration error of probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.measures.rankings.probabilities import Reliability, reliability, reliability_by_category
from rubricate.types import Floats, Sparse

__all__ = ["calibration_error"]


@measure("probability", "ECE", greater_is_better=False)
def calibration_error(scores: Any, truth: Sparse, *, bins: int = 10, pooled: bool = False) -> Floats:
    """Sum (pairs in the bin / pairs) · |observed − mean probability| over the bins, per category. guo2017, section 2.

    guo2017 takes the confidence of the predicted class; here each pair of document and category is a case of its
    own, as multi-label decisions are. `pooled=True` gives the one value of all pairs. NaN when there is no document.
    """
    if pooled:
        return np.atleast_1d(_error(reliability(scores, truth, bins=bins)))
    return _error(reliability_by_category(scores, truth, bins=bins))


def _error(curve: Reliability) -> Floats:
    gaps = np.abs(np.nan_to_num(curve.observed) - np.nan_to_num(curve.predicted)) * curve.counts
    pairs = curve.counts.sum(axis=-1)
    return np.divide(gaps.sum(axis=-1), pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0)
