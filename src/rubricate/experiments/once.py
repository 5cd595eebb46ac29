"""Values made once and shared by threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

__all__ = ["Once"]


class Once:
    """A cache: of threads that ask for one key, one makes the value and the others wait for it.

    The `limit` values used last are kept; a value that threads still hold lives on with them. To another process it
    goes empty.

    >>> once = Once(limit=2)
    >>> once.get("a", lambda: 1), once.get("a", lambda: 2)
    (1, 1)
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Once], tuple[int]]:
        return Once, (self.limit,)

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of a key; an error of `make` is raised and nothing kept."""
        with self._lock:
            own = self._making.setdefault(key, threading.Lock())
        with own:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return self._values[key]
            value = make()
            with self._lock:
                self._values[key] = value
                while len(self._values) > self.limit:
                    self._values.popitem(last=False)
            return value
