"""Hashes of settings and of documents: equal content, equal hash, on every machine."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.matrices import stacked
from rubricate.types import Documents

__all__ = ["Arrays", "Cache", "Entry", "Make", "Memory", "Once", "canonical", "digest", "documents_digest"]


def canonical(value: Any) -> str:
    """Return JSON in its one canonical form: keys sorted, no spaces, no NaN.

    >>> canonical({"b": 1, "a": [0.5, None]})
    '{"a":[0.5,null],"b":1}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"settings of a stored trial must be numbers, texts, lists and tables, as JSON has them: {error}"
        ) from None


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def documents_digest(documents: Documents) -> str:
    """Return the hash of documents: ids, titles, bodies, labels, categories, and vectors where they have some.

    Cost: one pass over the text, some hundred MB per second.
    """
    sha = hashlib.sha256()
    _add_texts(sha, documents.ids)
    _add_texts(sha, documents.bodies)
    _add_texts(sha, documents.titles if documents.titles is not None else ())
    _add_texts(sha, documents.categories)
    labels = documents.labels
    for array in (labels.indptr, labels.indices):
        sha.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    if "vectors" in documents.fields:
        _add_matrix(sha, stacked(documents.fields["vectors"]))
    return sha.hexdigest()


def _add_matrix(sha: Any, matrix: Any) -> None:
    """Add a dense matrix, or the arrays of a sparse one."""
    if sparse.issparse(matrix):
        for array in (matrix.indptr, matrix.indices):
            sha.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    sha.update(np.ascontiguousarray(matrix.data if sparse.issparse(matrix) else matrix, dtype="<f8").tobytes())


def _add_texts(sha: Any, texts: Iterable[str]) -> None:
    """Add each text behind its length, so that no two lists give the same bytes."""
    count = 0
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        sha.update(len(raw).to_bytes(8, "little") + raw)
        count += 1
    sha.update(b"end" + count.to_bytes(8, "little"))


Arrays: TypeAlias = Mapping[str, NDArray[Any]]
Make: TypeAlias = Callable[[], tuple[Arrays, Mapping[str, Any]]]
"""Computes a result: arrays by name, and notes on them."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A kept result: arrays by name, notes on them, and the seconds that they took."""

    arrays: Arrays
    notes: Mapping[str, Any]
    seconds: float


class Cache(Protocol):
    """What a procedure keeps its results in: `Memory`, or the `Store` of experiments.

    `shared` says whether other processes see what one of them keeps.
    """

    shared: bool

    def has(self, what: Any) -> bool:
        """Return whether there is a result for `what`."""

    def keep(self, what: Any, entry: Entry) -> None:
        """Keep a result that was computed elsewhere."""

    def remember(self, what: Any, make: Make) -> Entry:
        """Return the result that is kept, else compute and keep it."""


class Memory:
    """A cache that lives as long as the object, with any hashable description.

    >>> memory = Memory()
    >>> memory.remember("a", lambda: ({}, {"n": 1})).notes, memory.remember("a", lambda: ({}, {"n": 2})).notes
    ({'n': 1}, {'n': 1})
    """

    shared = False

    def __init__(self) -> None:
        self._entries: dict[Hashable, Entry] = {}

    def __reduce__(self) -> tuple[type[Memory], tuple[()]]:
        """Pickle as an empty cache."""
        return Memory, ()

    def has(self, what: Hashable) -> bool:
        """Return whether there is a result for `what`."""
        return what in self._entries

    def keep(self, what: Hashable, entry: Entry) -> None:
        """Keep a result that was computed elsewhere."""
        self._entries[what] = entry

    def remember(self, what: Hashable, make: Make) -> Entry:
        """Return the result that is kept, else compute and keep it."""
        if what not in self._entries:
            began = time.perf_counter()
            arrays, notes = make()
            self._entries[what] = Entry(arrays, notes, time.perf_counter() - began)
        return self._entries[what]


class Once:
    """Values made once: of several threads that ask for one key, one makes the value and the others wait for it.

    The `limit` values used last are kept; a value that threads still hold lives on with them. Pickles as an empty
    cache.

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
        """Return the value of a key; an error of `make` is raised and nothing is kept."""
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
