"""Run one task after the other, in this thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["serial"]


def serial(function: Callable[[Any], Any], tasks: Iterable[Any], ahead: int | None = None) -> Any:
    """Apply a function to every task, in order; with `ahead`, when its result is taken."""
    results = map(function, tasks)
    return list(results) if ahead is None else results
