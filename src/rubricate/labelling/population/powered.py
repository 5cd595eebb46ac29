"""The prediction-powered mean (PPI++), as its authors define it, for labelled and unlabelled documents kept apart.

θ̂ = λ · mean(g over unlabelled) + mean(y − λ g over labelled), λ = cov(y, g) / ((1 + n / N) var(g)), kept in [0, 1];
variance λ² var(g over unlabelled) / N + var(y − λ g) / n. angelopoulos2023, section 6. It holds for means of categories
that are common; the estimators of `categories` hold for rare ones too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.labelling.population.bounds import quantile

__all__ = ["powered_mean"]


def powered_mean(labelled: Any, predicted: Any, unlabelled: Any, *, level: float = 0.95) -> tuple[float, float, float]:
    """Return estimate, low and high of a mean.

    Parameters
    ----------
    labelled, predicted : numbers of the labelled documents: the truth, and what the system predicts.
    unlabelled : predictions for the other documents.
    level : confidence of the interval.
    """
    y, g, rest = (np.asarray(part, float).ravel() for part in (labelled, predicted, unlabelled))
    if len(y) < 2 or len(y) != len(g) or not len(rest):
        raise InvalidInput(f"{len(y)} labels, {len(g)} predictions of them and {len(rest)} others; give 2, 2 and 1")
    spread = (1 + len(y) / len(rest)) * float(np.var(np.concatenate([g, rest]), ddof=1))
    tuned = float(np.clip(np.mean((y - y.mean()) * (g - g.mean())) / spread, 0, 1)) if spread > 0 else 0.0
    value = tuned * float(rest.mean()) + float((y - tuned * g).mean())
    variance = tuned**2 * float(rest.var()) / len(rest) + float((y - tuned * g).var()) / len(y)
    reach = quantile(level) * float(np.sqrt(variance))
    return value, value - reach, value + reach
