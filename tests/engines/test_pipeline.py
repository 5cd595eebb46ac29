"""The pipeline: order, errors of every stage, constant memory, what is written before an error."""

from __future__ import annotations

import threading
import time

import pytest

from rubricate.engines import AHEAD, pipeline


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
def test_results_are_written_in_the_order_of_the_items(threads):
    written = []

    def slow_first(item):
        time.sleep(0.002 * (item % 3 == 0))
        return item * item

    pipeline(range(40), slow_first, written.append, threads=threads)
    assert written == [item * item for item in range(40)]


@pytest.mark.parametrize("threads", [0, 2])
def test_no_items_write_nothing(threads):
    pipeline([], abs, pytest.fail, threads=threads)


def test_a_result_is_written_before_the_next_item_is_read():
    """A pipe must be answered while it flows: the reader may wait for more input at any time."""
    written = threading.Event()

    def items():
        yield 1
        assert written.wait(10)
        yield 2

    pipeline(items(), abs, lambda result: written.set(), threads=2)


def test_what_was_read_before_an_error_is_written():
    written = []

    def items():
        yield from range(10)
        raise ValueError("line 11")

    with pytest.raises(ValueError, match="line 11"):
        pipeline(items(), abs, written.append, threads=2)
    assert written == list(range(10))


def test_the_error_of_the_earliest_item_is_raised():
    written = []

    def work(item):
        if item >= 3:
            raise KeyError(item)
        return item

    def items():
        yield from range(4)
        raise ValueError("after item 3")

    with pytest.raises(KeyError, match="3"):
        pipeline(items(), work, written.append, threads=2)
    assert written == [0, 1, 2]


def test_an_error_while_writing_stops_the_reading():
    read = []

    def items():
        for item in range(1000):
            read.append(item)
            yield item

    def write(result):
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        pipeline(items(), abs, write, threads=2)
    assert len(read) <= 2 * AHEAD + 2


def test_few_items_are_on_their_way_at_a_time():
    read, gaps = [0], []

    def items():
        for item in range(200):
            read[0] += 1
            yield item

    pipeline(items(), abs, lambda result: gaps.append(read[0] - result), threads=2)
    assert max(gaps) <= 2 * AHEAD + 2


def test_an_interrupt_writes_no_more():
    def items():
        yield 1
        raise KeyboardInterrupt

    started = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        pipeline(items(), lambda item: time.sleep(0.05), lambda result: None, threads=2)
    assert threading.active_count() == started
