"""Batches: shared among requests, cut for long ones, dropped for those who leave."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from rubricate.service.models.lane import PIECE, Lane, LaneFull
from rubricate.service.models.rows import Question, Questions


class Gate:
    """A model that answers when it is let, and remembers its batches."""

    def __init__(self, whole=False):
        self.whole, self.batches, self.gate = whole, [], threading.Event()
        self.maker = SimpleNamespace(rows=self.rows)

    def rows(self, batch, questions):
        self.gate.wait(10)
        self.batches.append([question.id for question in batch])
        return [question.id.encode() for question in batch]


def _documents(prefix, n):
    return [Question(f"{prefix}{i}", "text") for i in range(n)]


def _run(scenario):
    async def within():
        with ThreadPoolExecutor(1) as pool:
            await asyncio.wait_for(scenario(pool), 20)

    asyncio.run(within())


def test_what_waits_together_is_answered_together():
    async def scenario(pool):
        model, lane = Gate(), Lane(pool, limit=100)
        asks = [asyncio.create_task(lane.rows(model, _documents(name, 2), Questions())) for name in "abc"]
        await asyncio.sleep(0)
        model.gate.set()
        assert await asyncio.gather(*asks) == [[b"a0", b"a1"], [b"b0", b"b1"], [b"c0", b"c1"]]
        assert len(model.batches) <= 2

    _run(scenario)


def test_a_long_request_lets_short_ones_pass():
    async def scenario(pool):
        model, lane, order = Gate(), Lane(pool, limit=10_000), []

        async def ask(name, n):
            rows = await lane.rows(model, _documents(name, n), Questions())
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
        model, lane = Gate(), Lane(pool, limit=10_000)
        whole = Gate(whole=True)
        model.gate.set()
        whole.gate.set()
        asks = [lane.rows(model, _documents("a", 1), Questions(top=top)) for top in (1, 2)]
        asks += [lane.rows(whole, _documents("w", 700), Questions()) for _ in range(2)]
        await asyncio.gather(*asks)
        assert sorted(map(len, model.batches)) == [1, 1]
        assert list(map(len, whole.batches)) == [700, 700]

    _run(scenario)


def test_who_leaves_is_not_answered_and_who_comes_too_late_is_refused():
    async def scenario(pool):
        model, lane = Gate(), Lane(pool, limit=5)
        first = asyncio.create_task(lane.rows(model, _documents("a", 1), Questions()))
        await asyncio.sleep(0.05)
        second = asyncio.create_task(lane.rows(model, _documents("b", 3), Questions()))
        await asyncio.sleep(0)
        with pytest.raises(LaneFull):
            await lane.rows(model, _documents("c", 3), Questions())
        second.cancel()
        model.gate.set()
        assert await first == [b"a0"]
        assert model.batches == [["a0"]]

    _run(scenario)


def test_an_error_of_the_model_reaches_those_who_asked():
    async def scenario(pool):
        model, lane = Gate(), Lane(pool, limit=5)
        model.maker.rows = lambda batch, questions: 1 / 0
        with pytest.raises(ZeroDivisionError):
            await lane.rows(model, _documents("a", 1), Questions())
        model.maker.rows = model.rows
        model.gate.set()
        assert await lane.rows(model, _documents("b", 1), Questions()) == [b"b0"]

    _run(scenario)
