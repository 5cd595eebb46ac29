"""The names of terms by their numbers; those of phrases are put together when they are asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["TermNames"]


class TermNames(Sequence[str]):
    """Names in the order of their numbers. Of millions of phrases few are frequent enough to need a name.

    `between` stands between the parts of a phrase.

    >>> names = TermNames(["stock", "price"])
    >>> names.add_phrases(np.array([[0, 1], [2, 0]]))
    >>> names[3], len(names), list(names)
    ('stock price stock', 4, ['stock', 'price', 'stock price', 'stock price stock'])
    """

    def __init__(self, names: Iterable[str] = (), *, between: str = " ") -> None:
        self._names: list[str | None] = list(names)
        self._between = between
        self._firsts: list[int] = []
        self._blocks: list[NDArray[np.integer[Any]]] = []

    def append(self, name: str) -> None:
        """Add a name."""
        self._names.append(name)

    def extend(self, names: Iterable[str]) -> None:
        """Add names."""
        self._names.extend(names)

    def add_phrases(self, pairs: NDArray[np.integer[Any]]) -> None:
        """Add phrases, each given by the number of the term or phrase it extends and that of its last term."""
        if len(pairs):
            self._firsts.append(len(self._names))
            self._blocks.append(pairs)
            self._names.extend([None] * len(pairs))

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        name = self._names[number]
        if name is None:
            number = range(len(self))[number]
            block = bisect_right(self._firsts, number) - 1
            extended, last = self._blocks[block][number - self._firsts[block]].tolist()
            name = self._names[number] = f"{self[extended]}{self._between}{self[last]}"
        return name

    def __iter__(self) -> Iterator[str]:
        names: list[Any] = self._names
        for first, pairs in zip(self._firsts, self._blocks, strict=True):
            for number, (extended, last) in enumerate(pairs.tolist(), first):
                if names[number] is None:  # parts come before what they are parts of
                    names[number] = f"{names[extended]}{self._between}{names[last]}"
        return iter(names)
