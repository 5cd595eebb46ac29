"""Compact letter display: systems that share a letter are not distinguishable. piepho2004."""

from __future__ import annotations

from collections.abc import Sequence

from rubricate.types import Bools

__all__ = ["letters"]


def letters(different: Bools) -> list[str]:
    """Return the letters of systems, given which pairs are significantly different (a symmetric matrix).

    Two systems share a letter exactly if they are not different. Insert and absorb: start with one letter for all; for
    each different pair, split every letter that both have into one without the first and one without the second, and
    drop letters whose systems all have another. Letters are in the order of the systems, best first.

    >>> import numpy as np
    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))
    ['a', 'ab', 'b']
    """
    n = len(different)
    columns: list[frozenset[int]] = [frozenset(range(n))]
    for i in range(n):
        for j in range(i + 1, n):
            if different[i, j]:
                columns = _split(columns, i, j)
    order = sorted(columns, key=lambda column: (min(column), sorted(column)))
    names = [_name(k) for k in range(len(order))]
    return ["".join(name for name, column in zip(names, order, strict=True) if i in column) for i in range(n)]


def _split(columns: Sequence[frozenset[int]], i: int, j: int) -> list[frozenset[int]]:
    changed = [column for column in columns if i in column and j in column]
    if not changed:
        return list(columns)
    kept = [column for column in columns if not (i in column and j in column)]
    for column in changed:
        for part in (column - {i}, column - {j}):
            if part and not any(part <= other for other in kept):
                kept = [other for other in kept if not other < part] + [part]
    return kept


def _name(place: int) -> str:
    """Return a, b, …, z, then A, …, Z, then a2, b2, …"""
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    turn, sign = divmod(place, len(alphabet))
    return alphabet[sign] + (str(turn + 1) if turn else "")
