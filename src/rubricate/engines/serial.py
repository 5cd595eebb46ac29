"""Run one task after the other, in this thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["serial"]


def serial(function: Callable[[Any], Any], tasks: Iterable[Any]) -> list[Any]:
    """Apply a function to every task, in order."""
    return [function(task) for task in tasks]
