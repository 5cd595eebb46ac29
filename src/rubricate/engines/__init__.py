"""Where work runs: one map over tasks, in this thread, on threads, or on a cluster.

An engine is a function `(function, tasks) -> results in the order of the tasks`. Results never depend on the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar

from rubricate import registry

__all__ = ["Engine", "run_tasks"]

Engine: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]
Task = TypeVar("Task")
Result = TypeVar("Result")


def run_tasks(
    function: Callable[[Task], Result], tasks: Iterable[Task], *, engine: Engine | str = "serial"
) -> list[Result]:
    """`function` of every task, in the order of the tasks.

    >>> run_tasks(abs, [-1, 2], engine="threads")
    [1, 2]
    """
    chosen = registry.load("engines", engine) if isinstance(engine, str) else engine
    return chosen(function, tasks)
