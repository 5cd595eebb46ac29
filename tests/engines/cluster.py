"""A Dask cluster of real processes, as a user starts it: `dask scheduler` and `dask worker` with a memory limit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Cluster", "cluster", "wait_for"]

DASK = (sys.executable, "-m", "dask")
PATIENCE = 60
"""Seconds in which a process must have started."""


@dataclass
class Cluster:
    """The address of a scheduler, and its worker processes."""

    address: str
    workers: list[subprocess.Popen[bytes]]

    @property
    def engine(self) -> str:
        """Value of --engine."""
        return f"dask:{self.address}"


@contextmanager
def cluster(folder: Path, workers: int = 2, *, memory: str = "1GiB", **environment: str) -> Iterator[Cluster]:
    """Start a scheduler and workers of one thread each, without nannies: a killed worker stays dead."""
    file, own = folder / "scheduler.json", {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    with ExitStack() as stack:

        def start(*arguments: Any) -> subprocess.Popen[bytes]:
            log = stack.enter_context((folder / f"{arguments[0]}.log").open("ab"))
            process = subprocess.Popen([*DASK, *map(str, arguments)], stdout=log, stderr=log, env=own, cwd=folder)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        start("scheduler", "--port", 0, "--host", "127.0.0.1", "--scheduler-file", file, "--no-dashboard", "--no-show")
        wait_for(file.exists)
        options = ("--scheduler-file", file, "--nthreads", 1, "--no-nanny", "--memory-limit", memory)
        started = [start("worker", *options, "--no-dashboard", "--local-directory", folder) for _ in range(workers)]
        address = json.loads(file.read_text("utf-8"))["address"]
        if workers:
            from distributed import Client

            with Client(address, timeout=PATIENCE, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=PATIENCE)
        yield Cluster(address, started)


def wait_for(condition: Callable[[], Any]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("this has not happened in time")
        time.sleep(0.05)
