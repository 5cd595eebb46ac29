"""Decide in one call."""

from __future__ import annotations

from typing import Any

from rubricate.thresholds._resolve import resolve
from rubricate.thresholds._threshold import Threshold
from rubricate.types import Sparse

__all__ = ["decide"]


def decide(scores: Any, cut: str | float | Threshold, *, held_out: tuple[Any, Any] | None = None) -> Sparse:
    """Decide on scores by a threshold, which learns first where held-out (scores, labels) are given.

    Decisions are a boolean `csr_array`, documents × categories.

    >>> decide([[0.1, 0.7, 0.4], [0.6, 0.2, 0.5]], "rcut:1").toarray().astype(int).tolist()
    [[0, 1, 0], [1, 0, 0]]
    """
    chosen = resolve(cut)
    if held_out is not None:
        chosen.fit(*held_out)
    return chosen.decide(scores)
