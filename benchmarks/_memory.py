"""The memory of a process as Linux tells it, in megabytes: now, or the most until it ends."""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Thread

__all__ = ["Watch", "megabytes"]


def megabytes(field: str, process: int | None = None) -> float:
    """Return a field of the status of a process, this one by default: VmHWM is the peak, RssAnon what no file backs.

    The peak in the resources of a process would count what its parent held before its start.
    """
    lines = Path(f"/proc/{process or os.getpid()}/status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) / 1024


class Watch:
    """The most that fields of the status of another process reach, looked at five times a second until it ends."""

    def __init__(self, process: int, *fields: str) -> None:
        self.process, self.peaks = process, dict.fromkeys(fields, 0.0)
        Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        try:
            while True:
                for field, peak in self.peaks.items():
                    self.peaks[field] = max(peak, megabytes(field, self.process))
                time.sleep(0.2)
        except OSError:
            return
