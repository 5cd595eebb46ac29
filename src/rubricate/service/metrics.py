"""What the processes of a service have done, for Prometheus."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

__all__ = ["METRICS_FOLDER", "Metrics"]

METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder in which worker processes count; prometheus-client reads it when imported."""
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
GAUGES: dict[str, tuple[str, Literal["livemax", "livesum"]]] = {
    "rubricate_models": ("Models in use.", "livemax"),
    "rubricate_waiting_documents": ("Documents that wait for a model.", "livesum"),
    "rubricate_memory_bytes": ("Resident memory of the processes that answer requests.", "livesum"),
}
"""Names, help, and how the values of several processes become one."""


class Metrics:
    """What this process has done, or with a folder all processes that count in it.

    Parameters
    ----------
    gauges
        Functions that return the present value of each of `GAUGES`.
    folder
        The folder that `METRICS_FOLDER` names; None for a single process.
    """

    def __init__(self, gauges: Mapping[str, Callable[[], float]], folder: Path | None = None) -> None:
        disable_created_metrics()  # the time at which each series began: one more series for each of ours
        self._folder = folder
        own = CollectorRegistry()
        self._registry = own if folder is None else CollectorRegistry()
        if folder is not None:
            MultiProcessCollector(self._registry, str(folder))
        self._requests = Counter("rubricate_requests", "Requests.", ("method", "route", "status"), registry=own)
        self._seconds = Histogram(
            "rubricate_request_seconds", "Seconds per request.", ("method", "route"), buckets=SECONDS, registry=own
        )
        self._documents = Counter("rubricate_documents", "Documents classified.", ("model",), registry=own)
        self._batches = Histogram(
            "rubricate_batch_documents", "Documents per batch that went to a model.", buckets=SIZES, registry=own
        )
        self._gauges = [
            (Gauge(name, text, multiprocess_mode=mode, registry=own), gauges[name])
            for name, (text, mode) in GAUGES.items()
        ]

    def request(self, method: str, route: str, status: int, *, seconds: float) -> None:
        """Count a request; `route` is the pattern of its address, so that there are few."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def documents(self, model: str, count: int) -> None:
        """Count documents that were classified."""
        self._documents.labels(model).inc(count)

    def batch(self, size: int) -> None:
        """Count a batch that went to a model."""
        self._batches.observe(size)

    def refresh(self) -> None:
        """Write the present values of gauges to where other processes read them."""
        for gauge, value in self._gauges:
            gauge.set(value())

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """Return all metrics and their content type, in the text format or in that of OpenMetrics."""
        self.refresh()
        if self._folder is not None:
            _forget_dead(self._folder)
        encode, content_type = choose_encoder(accept)
        return encode(self._registry), content_type

    def close(self) -> None:
        """Remove the gauges of this process; what it counted stays."""
        if self._folder is not None:
            mark_process_dead(os.getpid(), str(self._folder))


def _forget_dead(folder: Path) -> None:
    """Remove the gauges of processes that died; a new process has taken the place of each."""
    if os.name != "posix":
        return
    for number in {int(file.stem.rpartition("_")[2]) for file in folder.glob("gauge_live*_*.db")}:
        try:
            os.kill(number, 0)  # asks only whether the process is there
        except ProcessLookupError:
            mark_process_dead(number, str(folder))
        except PermissionError:
            continue
