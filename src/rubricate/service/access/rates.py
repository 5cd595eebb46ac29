"""How often a client may ask: a bucket of tokens per client that fills at a steady rate."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict

__all__ = ["RateLimits"]

CLIENTS = 10_000
"""Clients that are remembered; those not seen for longest are forgotten, which is to their advantage."""


class RateLimits:
    """Buckets of `burst` requests that fill with `rate` requests per second."""

    def __init__(self, rate: float, burst: float | None = None) -> None:
        self.rate, self.burst = rate, max(1.0, 2 * rate if burst is None else burst)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, client: str, now: float | None = None) -> int:
        """Return 0 and count a request, or the seconds to wait before the next is allowed.

        >>> rates = RateLimits(1, burst=2)
        >>> [rates.wait("a", now=0.0) for _ in range(3)], rates.wait("b", now=0.0), rates.wait("a", now=1.0)
        ([0, 0, 1], 0, 0)
        """
        moment = time.monotonic() if now is None else now
        with self._lock:
            level, seen = self._buckets.pop(client, (self.burst, moment))
            level = min(self.burst, level + (moment - seen) * self.rate)
            allowed = level >= 1
            self._buckets[client] = (level - 1 if allowed else level, moment)
            if len(self._buckets) > CLIENTS:
                self._buckets.popitem(last=False)
        return 0 if allowed else math.ceil((1 - level) / self.rate)
