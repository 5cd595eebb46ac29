"""Progress on standard error, only if that is a terminal: a bar, how much is done, and the time left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from rubricate.cli.output.terminal import behind_guard

if TYPE_CHECKING:
    from rubricate.types import Progress

__all__ = ["progress", "visible_encoding", "visible_engine"]


@contextmanager
def progress(text: str | None = None, total: int | None = None, *, in_bytes: bool = False) -> Iterator[Progress]:
    """Give long work a `Progress`. Without a text, the bar appears when the work names itself."""
    if not sys.stderr.isatty():
        yield _silent
        return
    bar = _Bar(in_bytes=in_bytes)
    try:
        if text is not None:
            bar(total=total, text=text)
        yield bar
    finally:
        bar.close()


def _silent(steps: int = 0, *, total: int | None = None, text: str | None = None) -> None:
    """Show nothing."""


class _Bar:
    """One bar at a time, for the work named last; it goes when the work is done, that of a download stays."""

    def __init__(self, *, in_bytes: bool) -> None:
        self._in_bytes, self._lock = in_bytes, Lock()
        self._shown: Any = None

    def __call__(self, steps: int = 0, *, total: int | None = None, text: str | None = None) -> None:
        with self._lock:
            if text is not None:
                self.close()
                self._shown = self._opened(text, total)
            if self._shown is not None:
                self._shown.advance(self._shown.task_ids[0], steps)
                if self._shown.finished:
                    self.close()

    def close(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown.stop()
            self._shown = None

    def _opened(self, text: str, total: int | None) -> Any:
        from rich import progress as rich
        from rich.console import Console

        count = [rich.DownloadColumn(), rich.TransferSpeedColumn()] if self._in_bytes else [rich.MofNCompleteColumn()]
        time = rich.TimeElapsedColumn() if total is None else rich.TimeRemainingColumn()
        columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), *count, time)
        bar = rich.Progress(*columns, console=Console(file=behind_guard(sys.stderr)), transient=not self._in_bytes)
        bar.add_task(text, total=total)
        bar.start()
        return bar


@contextmanager
def visible_encoding() -> Iterator[None]:
    """Show how many texts an encoder has encoded, while the block runs."""
    if not sys.stderr.isatty():
        yield
        return
    from rubricate.text.encoders.progress import watched

    with progress() as show, watched(show):
        yield


def visible_engine(name: str, what: str) -> Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]:
    """Return an engine that works like the one of this name and shows how many of its tasks are done.

    Its `labelled` returns the same engine with another label, for a step of the work.
    """
    from rubricate.engines import run_counted

    def run(function: Callable[[Any], Any], tasks: Iterable[Any]) -> list[Any]:
        with progress() as show:
            return run_counted(function, tasks, engine=name, progress=show, text=what)

    run.labelled = lambda label: visible_engine(name, label)  # type: ignore[attr-defined]
    return run
