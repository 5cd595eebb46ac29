"""Notice inputs that reach lines of the package that no input has reached before.

From Python 3.12 on every input is watched, at no cost: the interpreter reports a line once (sys.monitoring, PEP 669).
Before that, lines are traced, which is slow, so only one input in `EVERY` is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

__all__ = ["Lines"]

EVERY = 100
PACKAGE = "rubricate"


class Lines:
    """The lines of the package that were reached so far."""

    def __init__(self) -> None:
        self.reached: set[tuple[str, int]] = set()
        self.calls, self.new = 0, False
        self.monitored = hasattr(sys, "monitoring")
        if self.monitored:
            self._monitor()

    def are_new(self, action: Callable[[], None]) -> bool:
        """Run an action; return whether it is known to have reached new lines."""
        self.calls, self.new = self.calls + 1, False
        if not self.monitored and self.calls % EVERY == 1:
            self._trace(action)
        else:
            action()
        return self.new

    def _add(self, code: CodeType, line: int) -> None:
        if PACKAGE in code.co_filename and (code.co_filename, line) not in self.reached:
            self.reached.add((code.co_filename, line))
            self.new = True

    def _monitor(self) -> None:
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined]

        def line(code: CodeType, number: int) -> Any:
            self._add(code, number)
            return monitoring.DISABLE

        monitoring.use_tool_id(monitoring.COVERAGE_ID, "fuzz")
        monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, line)
        monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)

    def _trace(self, action: Callable[[], None]) -> None:
        def trace(frame: FrameType, event: str, _: Any) -> Any:
            if PACKAGE not in frame.f_code.co_filename:
                return None
            if event == "line":
                self._add(frame.f_code, frame.f_lineno)
            return trace

        sys.settrace(trace)
        try:
            action()
        finally:
            sys.settrace(None)
