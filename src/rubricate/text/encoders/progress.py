"""Whoever waits for an encoder may watch: scikit-learn's `fit` and `transform` cannot take a `Progress`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rubricate.types import Progress

__all__ = ["announce", "watched"]

_watchers: list[Progress] = []


@contextmanager
def watched(progress: Progress) -> Iterator[None]:
    """Tell `progress` of every encoding while the block runs, in whatever thread it happens."""
    _watchers.append(progress)
    try:
        yield
    finally:
        _watchers.remove(progress)


def announce(steps: int, *, total: int | None = None) -> None:
    """Tell those who watch how many more texts are encoded; with a total, an encoding begins."""
    for progress in tuple(_watchers):
        progress(steps, total=total, text=None if total is None else "encoding texts")
