"""How often a client may ask: a bucket of tokens per client that fills at a steady rate."""

from __future__ import annotations

import hashlib
import ipaddress
import math
import mmap
import struct
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

__all__ = ["LoginLimits", "RateLimits", "SharedBuckets", "network_of"]

CLIENTS = 10_000
"""Clients that are remembered; those not seen for longest are forgotten, which is to their advantage."""
LOGINS_PER_ADDRESS, LOGINS_PER_NAME = 5, 10
"""Attempts to log in per minute: from one address, and with one name from addresses that are new to it."""
SLOTS = 1 << 16
"""Buckets of several processes. Two clients of some thousands may share one, and then its rate."""


class Buckets:
    """What clients have taken from their buckets, and when, in the memory of one process."""

    def __init__(self) -> None:
        self._taken: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, client: str, moment: float, *, rate: float, burst: float) -> float:
        """Take one token if there is one; return how many there were."""
        with self._lock:
            taken, seen = self._taken.pop(client, (0.0, moment))
            taken = max(0.0, taken - (moment - seen) * rate)
            allowed = burst - taken >= 1
            self._taken[client] = (taken + 1 if allowed else taken, moment)
            if len(self._taken) > CLIENTS:
                self._taken.popitem(last=False)
        return burst - taken


class SharedBuckets:
    """The same in a file of one machine, for the processes of one service; each client has a slot by its digest."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("a+b")
        self._file.truncate(SLOTS * 16)  # zeros: nothing was taken
        self._slots = mmap.mmap(self._file.fileno(), SLOTS * 16)
        self._lock = threading.Lock()  # the lock of the file is that of the process

    def take(self, client: str, moment: float, *, rate: float, burst: float) -> float:
        """Take one token if there is one; return how many there were."""
        digest = hashlib.blake2b(client.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        place = 16 * (int.from_bytes(digest, "big") % SLOTS)
        with self._lock, _locked(self._file):
            taken, seen = struct.unpack_from("dd", self._slots, place)
            taken = max(0.0, taken - (moment - seen) * rate)
            struct.pack_into("dd", self._slots, place, taken + 1 if burst - taken >= 1 else taken, moment)
        return float(burst - taken)


@contextmanager
def _locked(file: BinaryIO) -> Iterator[None]:
    """Keep the other processes out."""
    import fcntl  # there is none on Windows

    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


class RateLimits:
    """Buckets of `burst` requests that fill with `rate` requests per second."""

    def __init__(self, rate: float, burst: float | None = None, buckets: Buckets | SharedBuckets | None = None) -> None:
        self.rate, self.burst = rate, max(1.0, 2 * rate if burst is None else burst)
        self._buckets = Buckets() if buckets is None else buckets

    def wait(self, client: str, now: float | None = None) -> int:
        """Return 0 and count a request, or the seconds to wait before the next is allowed.

        >>> rates = RateLimits(1, burst=2)
        >>> [rates.wait("a", now=0.0) for _ in range(3)], rates.wait("b", now=0.0), rates.wait("a", now=1.0)
        ([0, 0, 1], 0, 0)
        """
        moment = time.monotonic() if now is None else now
        level = self._buckets.take(client, moment, rate=self.rate, burst=self.burst)
        return 0 if level >= 1 else math.ceil((1 - level) / self.rate)


@lru_cache(maxsize=1024)
def network_of(address: str) -> str:
    """Return what counts as one client: an IPv4 address, or the /64 network of an IPv6 address, which one host owns.

    >>> network_of("192.0.2.7"), network_of("2001:db8::1:2"), network_of("::ffff:192.0.2.7"), network_of("testclient")
    ('192.0.2.7', '2001:db8::', '192.0.2.7', 'testclient')
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed), 64), strict=False).network_address)


class LoginLimits:
    """Limits on attempts to log in: five per minute from one address, ten per minute with one name.

    The limit per name makes guessing from many addresses slow. It does not hold for an address from which the account
    has logged in before, so nobody can lock a person out by wrong attempts from elsewhere; from other addresses the
    wait that it asks for is at most six seconds. It holds for names without an account, too, so it does not tell which
    names exist.
    """

    def __init__(self, addresses: SharedBuckets | None = None, names: SharedBuckets | None = None) -> None:
        self._addresses = RateLimits(LOGINS_PER_ADDRESS / 60, burst=LOGINS_PER_ADDRESS, buckets=addresses)
        self._names = RateLimits(LOGINS_PER_NAME / 60, burst=LOGINS_PER_NAME, buckets=names)

    def wait(self, address: str, name: str, *, is_known: Callable[[], bool], now: float | None = None) -> int:
        """Return 0 and count an attempt, or the seconds to wait; `is_known` tells whether the address is known.

        >>> limits = LoginLimits()
        >>> [limits.wait(f"192.0.2.{n}", "ann", is_known=lambda: False, now=0.0) for n in range(11)]
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6]
        >>> limits.wait("198.51.100.1", "ann", is_known=lambda: True, now=0.0)
        0
        """
        wait = self._addresses.wait(network_of(address), now)
        if wait:
            return wait
        wait = self._names.wait(name, now)
        return 0 if wait and is_known() else wait
