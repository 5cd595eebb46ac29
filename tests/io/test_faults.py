"""Fault injection: the n-th call of the system fails, for every n; then all is done or the old file is intact."""

from __future__ import annotations

import errno
import io
import os
from itertools import count

import numpy as np
import pytest

import rubricate as rb
from rubricate import storage as atomic_module
from rubricate.errors import InvalidFile
from rubricate.experiments.store import Store
from rubricate.storage import write_file

WHAT = {"kind": "scores"}
LAST = 3
"""Open, write, fsync and rename at least; the folder, flushed after the rename, may fail without harm."""


class Faults:
    """Fails call number `at` (from 0) among open, write, fsync and rename; `calls` counts them."""

    def __init__(self, monkeypatch, at):
        self.at, self.calls = at, 0
        for name in ("open", "fsync", "replace"):
            monkeypatch.setattr(os, name, self.failing(getattr(os, name)))
        monkeypatch.setattr(atomic_module.os, "fdopen", self.fdopen)

    def failing(self, function):
        def call(*arguments, **options):
            self.calls += 1
            if self.calls - 1 == self.at:
                raise OSError(errno.EIO, "Input/output error")
            return function(*arguments, **options)

        return call

    def fdopen(self, handle, mode):
        raw = io.FileIO(handle, mode)
        raw.write = self.failing(raw.write)
        return raw


def save(folder):
    rb.save(rb.thresholds.Rcut(t=3), folder / "file")


def write(folder):
    write_file(folder / "file", b"new")


def put(folder):
    Store(folder).put(WHAT, {"values": np.arange(3.0)})


@pytest.mark.parametrize(("action", "old"), [(save, b"old"), (write, b"old"), (put, None)])
def test_every_call_that_fails_leaves_the_old_file_or_the_new_one(tmp_path, action, old):
    """The store starts from nothing: what lies under a key is the same result, so failing to renew it is fine."""
    action(tmp_path)
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    size = file.stat().st_size
    for at in count():
        file.unlink() if old is None else file.write_bytes(old)
        message = attempt(action, tmp_path, at)
        assert message is None or "Input/output error" in message
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert files == ([] if message and old is None else [file]), "no part file is left"
        if message is None:
            assert file.stat().st_size == size
        elif old is not None:
            assert file.read_bytes() == old
        if message is None and at > LAST:
            break
        file.touch()


def attempt(action, folder, at):
    """Return the error of an action whose call number `at` fails, None where it succeeds."""
    with pytest.MonkeyPatch.context() as patch:
        Faults(patch, at)
        try:
            action(folder)
        except InvalidFile as error:
            return str(error)
    return None
