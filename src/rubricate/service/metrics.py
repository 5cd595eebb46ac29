"""Counters and histograms in the text format of Prometheus."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable

__all__ = ["Metrics"]

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
Labels = tuple[tuple[str, str], ...]


class _MetricHistogram:
    """Cumulative counts of observations by upper bound."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds, self.counts, self.total = bounds, [0] * (len(bounds) + 1), 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, labels: Labels) -> Iterable[str]:
        running = 0
        for bound, count in zip((*self.bounds, float("inf")), self.counts, strict=True):
            running += count
            shown = "+Inf" if bound == float("inf") else f"{bound:g}"
            yield f"{name}_bucket{_text((*labels, ('le', shown)))} {running}"
        yield f"{name}_sum{_text(labels)} {self.total:.6f}"
        yield f"{name}_count{_text(labels)} {running}"


class Metrics:
    """What one process has done since it started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counters: dict[tuple[str, Labels], float] = {}
        self._histograms: dict[tuple[str, Labels], _MetricHistogram] = {}
        self._gauges: dict[str, tuple[str, Callable[[], float]]] = {}

    def request(self, method: str, route: str, status: int, *, seconds: float) -> None:
        """Count a request; `route` is the pattern of its address, so that there are few."""
        labels = (("method", method), ("route", route))
        with self._lock:
            self._count("rubricate_requests_total", (*labels, ("status", str(status))), 1)
            self._histogram("rubricate_request_seconds", labels, SECONDS).observe(seconds)

    def documents(self, model: str, count: int) -> None:
        """Count documents that were classified."""
        with self._lock:
            self._count("rubricate_documents_total", (("model", model),), count)

    def batch(self, size: int) -> None:
        """Count a batch that went to a model."""
        with self._lock:
            self._histogram("rubricate_batch_documents", (), SIZES).observe(size)

    def gauge(self, name: str, help_text: str, read: Callable[[], float]) -> None:
        """Show a number that is read when it is asked for."""
        self._gauges[name] = (help_text, read)

    def text(self) -> str:
        """Return all metrics, as Prometheus reads them."""
        lines: list[str] = []
        for name, (help_text, read) in sorted(self._gauges.items()):
            lines += [f"# HELP {name} {help_text}", f"# TYPE {name} gauge", f"{name} {read():g}"]
        with self._lock:
            for name in sorted({name for name, _ in self._counters}):
                lines.append(f"# TYPE {name} counter")
                lines += [f"{name}{_text(labels)} {n:g}" for (own, labels), n in self._counters.items() if own == name]
            for name in sorted({name for name, _ in self._histograms}):
                lines.append(f"# TYPE {name} histogram")
                for (own, labels), histogram in self._histograms.items():
                    lines += histogram.lines(name, labels) if own == name else ()
        return "\n".join(lines) + "\n"

    def _count(self, name: str, labels: Labels, n: float) -> None:
        self._counters[name, labels] = self._counters.get((name, labels), 0) + n

    def _histogram(self, name: str, labels: Labels, bounds: tuple[float, ...]) -> _MetricHistogram:
        return self._histograms.setdefault((name, labels), _MetricHistogram(bounds))


def _text(labels: Labels) -> str:
    escaped = ((name, value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")) for name, value in labels)
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}" if labels else ""
