"""Whoever waits for an encoder may watch: a function that is told how many texts are done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

__all__ = ["Watcher", "announce", "watched"]

Watcher: TypeAlias = Callable[[int, int], None]
"""Called with the texts done and the texts to do, those that had to be encoded."""

_watchers: list[Watcher] = []


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Tell `watcher` of every encoding while the block runs, in whatever thread it happens."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def announce(done: int, total: int) -> None:
    """Tell those who watch how far an encoding is."""
    for watcher in tuple(_watchers):
        watcher(done, total)
