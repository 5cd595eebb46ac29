"""Intervals for proportions and sums of proportions, for whole arrays: Wilson, MOVER, logit with Student's t."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from rubricate.labelling.predictions import logistic
from rubricate.types import Floats

__all__ = ["finite", "logit_t", "mover", "quantile", "wilson_ends"]


def quantile(level: float) -> float:
    """Return z for a two-sided level."""
    return float(ndtri(0.5 + level / 2))


def finite(labelled: Any, population: Any) -> Floats:
    """Return labelled / (1 − labelled / population): what so many labels are worth when few documents are left."""
    left = np.maximum(1 - np.asarray(labelled, float) / np.maximum(population, 1), 1e-9)
    return np.asarray(labelled / left)


def wilson_ends(p: Any, n: Any, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return Wilson's interval of proportions p of n; 0 to 1 where n is 0. wilson1927."""
    z2 = quantile(level) ** 2
    p, n = np.broadcast_arrays(np.asarray(p, float), np.asarray(n, float))
    kept = np.maximum(n, 1e-9)
    middle = (p + z2 / (2 * kept)) / (1 + z2 / kept)
    half = np.sqrt(z2 * np.maximum(p * (1 - p), 0) / kept + z2 * z2 / (4 * kept * kept)) / (1 + z2 / kept)
    low = np.where((n <= 0) | (p <= 0), 0.0, np.maximum(middle - half, 0.0))
    high = np.where((n <= 0) | (p >= 1), 1.0, np.minimum(middle + half, 1.0))
    return low, high


def mover(p: Floats, ends: tuple[Floats, Floats], weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Combine proportions of strata (axis 0) into a weighted sum with an interval. zou2008 (MOVER).

    The sum is m = Σ W p; it reaches down by √Σ (W (p − low))² and up by √Σ (W (high − p))².
    """
    low, high = ends
    total = (weights * p).sum(axis=0)
    down = np.sqrt(((weights * (p - low)) ** 2).sum(axis=0))
    up = np.sqrt(((weights * (high - p)) ** 2).sum(axis=0))
    return total, np.maximum(total - down, 0.0), np.minimum(total + up, 1.0)


def logit_t(value: Any, error: Any, freedom: Any, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the interval of a share on the logit scale: logit v ± t · error / (v (1 − v)), with Student's t."""
    kept = np.clip(np.asarray(value, float), 1e-4, 1 - 1e-4)
    t = np.asarray(stdtrit(np.maximum(freedom, 1.0), 0.5 + level / 2))
    centre, reach = np.log(kept / (1 - kept)), t * np.asarray(error) / (kept * (1 - kept))
    return logistic(centre - reach), logistic(centre + reach)
