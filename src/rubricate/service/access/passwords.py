"""Hash and check passwords with argon2id, a few at a time.

One hash takes 64 MB and a good part of a second by design, so requests that hash could exhaust the memory of the
machine. Two are computed at once; a few wait for their turn; further ones are refused at once (`PasswordsBusy`) and
never occupy the threads that answer everybody else.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from rubricate.errors import RubricateError

__all__ = ["Passwords", "PasswordsBusy"]

MAX_HASHING, MAX_WAITING = 2, 8
"""Hashes that are computed at once, and those that wait; each of these holds one of the forty threads for requests."""
_HASHER = PasswordHasher()  # argon2id
_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$eEz16WLq5nBr12HSsYI2LA$hT/d/ok8mEENRMUovdjNR9L35gGcv2e2atkOgRByNIc"
"""The hash of a forgotten password: checking it costs as much as a real one, so that names cannot be guessed."""


class PasswordsBusy(RubricateError):
    """Too many passwords wait to be hashed or checked."""


class Passwords:
    """Hashes and checks passwords, at most `at_once` at a time, while at most `waiting` wait."""

    def __init__(self, at_once: int = MAX_HASHING, waiting: int = MAX_WAITING) -> None:
        self._admitted = threading.BoundedSemaphore(at_once + waiting)
        self._hashing = threading.BoundedSemaphore(at_once)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn; raise `PasswordsBusy` if too many wait already."""
        if not self._admitted.acquire(blocking=False):
            raise PasswordsBusy("too many passwords are being checked; try again in a moment")
        try:
            with self._hashing:
                yield
        finally:
            self._admitted.release()

    def hash(self, password: str) -> str:
        """Return the hash of a password."""
        with self.turn():
            return _HASHER.hash(password)

    def verify(self, hashed: str | None, password: str) -> bool:
        """Tell whether a password has this hash. None, for an account that does not exist, takes as long."""
        with self.turn():
            try:
                _HASHER.verify(_NOBODY if hashed is None else hashed, password)
            except (VerificationError, InvalidHashError):
                return False
        return hashed is not None
