"""When to stop reading: enough documents of a category are found, with a promise. lewis2021, section 5 (QBCB).

A random control sample holds r documents of the category, which nobody knows to be there while the others are read in
the order of their scores. If the true recall is t, each control document is already found with probability t, so the
number found is at most binomial(r, t). Stopping when j of the r are found keeps recall >= t with probability 1 − α if
P(binomial(r, t) >= j) <= α. With α = .05 at least 14, 29 and 59 control documents are needed for recall .8, .9 and .95,
and then all of them must be found; more control documents allow to miss some, and stop earlier.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc

from rubricate.errors import InvalidInput

__all__ = ["StoppingRule", "controls_needed", "stopping_rule"]


@dataclass(frozen=True)
class StoppingRule:
    """Stop when `needed` of the `controls` are found; None: the control sample is too small for the promise."""

    recall: float
    confidence: float
    controls: int
    needed: int | None

    def stop(self, found: int) -> bool:
        """Tell whether the promise holds when so many control documents are found."""
        return self.needed is not None and found >= self.needed


def stopping_rule(recall: float, controls: int, *, confidence: float = 0.95) -> StoppingRule:
    """Return how many of the control documents of the category must be found.

    >>> stopping_rule(0.9, 29).needed, stopping_rule(0.9, 28).needed, stopping_rule(0.9, 100).needed
    (29, None, 96)
    """
    _check(recall, confidence)
    # bdtrc(j − 1, r, t) = P(X >= j)
    found = np.arange(controls + 1)
    enough = np.flatnonzero(
        np.where(found > 0, bdtrc(np.maximum(found - 1, 0), controls, recall), 1.0) <= 1 - confidence
    )
    return StoppingRule(recall, confidence, controls, int(enough[0]) if controls and len(enough) else None)


def controls_needed(recall: float, *, confidence: float = 0.95) -> int:
    """Return the fewest control documents of the category for the promise: recall^r <= 1 − confidence.

    >>> [controls_needed(recall) for recall in (0.8, 0.9, 0.95)]
    [14, 29, 59]
    """
    _check(recall, confidence)
    return int(np.ceil(np.log(1 - confidence) / np.log(recall)))


def _check(recall: float, confidence: float) -> None:
    if not (0 < recall < 1 and 0 < confidence < 1):
        raise InvalidInput(
            f"recall {recall:g} with confidence {confidence:g}; both lie between 0 and 1, such as .9, .95"
        )
