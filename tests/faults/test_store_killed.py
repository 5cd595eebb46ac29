"""Two processes on one store, killed at random moments: what was kept stays, and whatever has a name is sound."""

from __future__ import annotations

import os
import random
import select
import signal
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from rubricate.experiments.store import DamagedEntry, Store

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

KEYS = 40
FEW, MANY = 12, 200


def wanted(key: int) -> np.ndarray:
    return np.random.default_rng(key).random(2000 + 500 * (key % 7))


def what(key: int) -> dict[str, object]:
    return {"kind": "scores", "key": key}


def work(folder: Path, report: int, seed: int) -> None:
    """Keep and read back results for ever; report the key of each that the store has said it has."""
    generator = random.Random(seed)
    store = Store(folder)
    while True:
        key = generator.randrange(KEYS)
        if generator.random() < 0.3:
            store.put(what(key), {"values": wanted(key)})
        entry = store.remember(what(key), lambda key=key: ({"values": wanted(key)}, {"key": key}))
        assert np.array_equal(entry.arrays["values"], wanted(key))
        os.write(report, bytes([key]))


class Worker:
    """A forked process that works on the store."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.reports, report = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            try:
                work(folder, report, seed)
            finally:
                os._exit(3)
        os.close(report)

    def keys(self) -> set[int]:
        """Return the keys reported so far."""
        keys: set[int] = set()
        while select.select([self.reports], [], [], 0)[0] and (data := os.read(self.reports, 4096)):
            keys.update(data)
        return keys

    def kill(self) -> set[int]:
        """Kill it as hard as the system can; return the keys it had reported."""
        os.kill(self.pid, signal.SIGKILL)
        status = os.waitpid(self.pid, 0)[1]
        assert os.WIFSIGNALED(status), "it ended by itself: an entry was wrong, or an error was raised"
        keys = self.keys()
        os.close(self.reports)
        return keys


@pytest.mark.slow
@pytest.mark.parametrize("kills", [pytest.param(FEW), pytest.param(MANY, marks=pytest.mark.proof)])
def test_nothing_that_was_kept_is_lost(tmp_path, kills):
    generator = random.Random(kills)
    kept: set[int] = set()
    workers = [Worker(tmp_path, seed) for seed in (1, 2)]
    for number in range(kills):
        time.sleep(generator.random() * 0.06)
        victim = number % 2
        kept |= workers[victim].kill()
        workers[victim] = Worker(tmp_path, number + 3)
        for key in kept:
            assert Store(tmp_path).has(what(key)), f"key {key} is gone after {number} kills"
    for worker in workers:
        kept |= worker.kill()
    assert kept, "some work was done between the kills"
    store = Store(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DamagedEntry)
        for key in kept:
            assert np.array_equal(store.get(what(key)).arrays["values"], wanted(key))
        for path in store.entries():
            key = next(key for key in range(KEYS) if store.path(what(key)) == path)
            assert store.get(what(key)) is not None, "whatever has a name is sound"
    parts = list(tmp_path.rglob("*.part"))
    for part in parts:
        os.utime(part, (0, 0))
    Store(tmp_path)
    assert not list(tmp_path.rglob("*.part")), f"{len(parts)} files of killed processes are removed a day later"
