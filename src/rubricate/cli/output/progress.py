"""A progress bar with the time left, on standard error and only if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["progress", "visible_encoding", "visible_engine"]

Advance = Callable[[int], None]


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Advance]:
    """Give long work a function to call with the number of steps done since; without a total, show the time elapsed."""
    if not sys.stderr.isatty():
        yield lambda steps: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    time = TimeElapsedColumn() if total is None else TimeRemainingColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), time)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda steps: bar.update(task, advance=steps)


@contextmanager
def visible_encoding() -> Iterator[None]:
    """Show how many texts an encoder has encoded, while the block runs; a bar for each pass over more than a few."""
    if not sys.stderr.isatty():
        yield
        return
    from rubricate.text.encoders.progress import watched

    bars: list[Any] = []

    def show(done: int, total: int) -> None:
        if not bars and done < total:
            bar = progress("encoding texts", total)
            bars[:] = [bar, bar.__enter__(), 0]
        if bars:
            bars[1](done - bars[2])
            bars[2] = done
            if done >= total:
                bars[0].__exit__(None, None, None)
                bars.clear()

    try:
        with watched(show):
            yield
    finally:
        if bars:
            bars[0].__exit__(None, None, None)


def visible_engine(name: str, what: str) -> Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]:
    """Return an engine that works like the one of this name and shows how many of its tasks are done.

    Its `labelled` returns the same engine with another label, for a step of the work.
    """
    from rubricate.engines import run_tasks

    def run(function: Callable[[Any], Any], tasks: Iterable[Any]) -> list[Any]:
        waiting = list(tasks)
        with progress(what, len(waiting)) as advance:

            def counted(task: Any) -> Any:
                result = function(task)
                advance(1)
                return result

            return run_tasks(counted, waiting, engine=name)

    run.labelled = lambda label: visible_engine(name, label)  # type: ignore[attr-defined]
    return run
