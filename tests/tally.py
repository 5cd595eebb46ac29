"""A count of the cases that a property compared: one that compares next to nothing fails."""

from __future__ import annotations

__all__ = ["EXAMPLES", "LEAST_SHARE", "count_cases"]

EXAMPLES: list[int] = []
"""How many cases each example of the running property compared, in the order of the examples."""
LEAST_SHARE = 0.25
"""The share of examples that must compare something; the others may be of a kind that leaves nothing to compare."""


def count_cases(number: int = 1) -> None:
    """Note that one example of a property compared this many results with another computation, or none."""
    EXAMPLES.append(int(number))
