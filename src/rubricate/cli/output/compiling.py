"""Report once that kernels are being compiled, if a person is waiting."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

__all__ = ["CompilationWatch"]

PATIENCE = 1.0
"""Seconds of compilation before anything is said."""
NOTICE = "rubricate: compiling, once: the next run starts at once ('rubricate warm' compiles everything)"


class CompilationWatch:
    """Counts the functions that Numba compiles in a block; on a terminal it says so once that takes a second.

    Code that is loaded from the cache is not compiled and does not count.
    """

    def __init__(self) -> None:
        self.compiled, self._began, self._said = 0, 0.0, not sys.stderr.isatty()

    def __enter__(self) -> Self:
        from numba.core import event

        watch = self

        class Listener(event.Listener):
            def on_start(self, event: Any) -> None:
                watch.started()

            def on_end(self, event: Any) -> None:
                watch.ended()

        self._listener = Listener()
        event.register("numba:compile", self._listener)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        from numba.core import event

        event.unregister("numba:compile", self._listener)

    def started(self) -> None:
        """Take note that a compilation begins."""
        self._began = self._began or time.monotonic()
        self._say()

    def ended(self) -> None:
        """Take note that one is done."""
        self.compiled += 1
        self._say()

    def _say(self) -> None:
        if not self._said and time.monotonic() - self._began > PATIENCE:
            self._said = True
            print(NOTICE, file=sys.stderr, flush=True)
