"""Batches: shared among requests, cut for long ones, dropped for those who leave."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from rubricate.io.reader import Record
from rubricate.service.batching import PIECE, QueueFull, RequestBatcher
from rubricate.service.responses import ClassifyOptions


class Gate:
    """A model that answers when it is let, and remembers its batches."""

    def __init__(self, whole=False):
        self.whole, self.batches, self.gate = whole, [], threading.Event()
        self.writer = SimpleNamespace(rows=self.rows)

    def rows(self, batch, options):
        self.gate.wait(10)
        self.batches.append([question.id for question in batch])
        return [question.id.encode() for question in batch]


def _documents(prefix, n):
    return [Record(f"{prefix}{i}", "text") for i in range(n)]


def _run(scenario):
    async def within():
        with ThreadPoolExecutor(1) as pool:
            await asyncio.wait_for(scenario(pool), 20)

    asyncio.run(within())


def test_what_waits_together_is_answered_together():
    async def scenario(pool):
        model, batcher = Gate(), RequestBatcher(pool, limit=100)
        asks = [asyncio.create_task(batcher.rows(model, _documents(name, 2), ClassifyOptions())) for name in "abc"]
        await asyncio.sleep(0)
        model.gate.set()
        assert await asyncio.gather(*asks) == [[b"a0", b"a1"], [b"b0", b"b1"], [b"c0", b"c1"]]
        assert len(model.batches) <= 2

    _run(scenario)


def test_a_long_request_lets_short_ones_pass():
    async def scenario(pool):
        model, batcher, order = Gate(), RequestBatcher(pool, limit=10_000), []

        async def ask(name, n):
            rows = await batcher.rows(model, _documents(name, n), ClassifyOptions())
            order.append(name)
            assert rows == [f"{name}{i}".encode() for i in range(n)]

        asks = [asyncio.create_task(ask("long", 20 * PIECE)), asyncio.create_task(ask("short", 1))]
        await asyncio.sleep(0)
        model.gate.set()
        await asyncio.gather(*asks)
        assert order == ["short", "long"]

    _run(scenario)


def test_requests_with_other_options_and_whole_sets_are_not_mixed():
    async def scenario(pool):
        model, batcher = Gate(), RequestBatcher(pool, limit=10_000)
        whole = Gate(whole=True)
        model.gate.set()
        whole.gate.set()
        asks = [batcher.rows(model, _documents("a", 1), ClassifyOptions(top=top)) for top in (1, 2)]
        asks += [batcher.rows(whole, _documents("w", 700), ClassifyOptions()) for _ in range(2)]
        await asyncio.gather(*asks)
        assert sorted(map(len, model.batches)) == [1, 1]
        assert list(map(len, whole.batches)) == [700, 700]

    _run(scenario)


def test_who_leaves_is_not_answered_and_who_comes_too_late_is_refused():
    async def scenario(pool):
        model, batcher = Gate(), RequestBatcher(pool, limit=5)
        first = asyncio.create_task(batcher.rows(model, _documents("a", 1), ClassifyOptions()))
        await asyncio.sleep(0.05)
        second = asyncio.create_task(batcher.rows(model, _documents("b", 3), ClassifyOptions()))
        await asyncio.sleep(0)
        with pytest.raises(QueueFull):
            await batcher.rows(model, _documents("c", 3), ClassifyOptions())
        second.cancel()
        model.gate.set()
        assert await first == [b"a0"]
        assert model.batches == [["a0"]]

    _run(scenario)


def test_an_error_of_the_model_reaches_those_who_asked():
    async def scenario(pool):
        model, batcher = Gate(), RequestBatcher(pool, limit=5)
        model.writer.rows = lambda batch, options: 1 / 0
        with pytest.raises(ZeroDivisionError):
            await batcher.rows(model, _documents("a", 1), ClassifyOptions())
        model.writer.rows = model.rows
        model.gate.set()
        assert await batcher.rows(model, _documents("b", 1), ClassifyOptions()) == [b"b0"]

    _run(scenario)
