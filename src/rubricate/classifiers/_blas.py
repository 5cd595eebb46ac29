"""One BLAS thread while some work lasts, so that its rounding does not depend on the machine's cores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

__all__ = ["one_blas_thread"]

_lock = Lock()
_users: list[Any] = []


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread; of several users at once, the first sets the limit and the last one lifts it.

    With more threads OpenBLAS may split a sum elsewhere, and threads that wait for each other on a busy machine cost
    far more than they give on blocks of a few columns.
    """
    with _lock:
        _users.append(_users[0] if _users else threadpool_limits(1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            limit = _users.pop()
            if not _users:
                limit.restore_original_limits()
