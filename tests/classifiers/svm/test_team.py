"""Chains of tasks on threads: every number of threads gives what running them one after the other gives."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricate.classifiers.svm.solvers.team import run_in_step, team_of

shapes = st.lists(st.lists(st.integers(0, 4), max_size=4), max_size=6)
"""For each chain, how many tasks each of its steps has."""


def recording(name, steps, log):
    """A chain whose tasks depend on the results of the step before; it notes what it is sent."""
    total = 0
    for step, count in enumerate(steps):
        results = yield [(name, step, place, total) for place in range(count)]
        log.append((name, step, results))
        total += sum(results)


def value(task):
    name, step, place, total = task
    return 1000 * name + 100 * step + 10 * place + total % 7


def by_hand(shapes):
    """What every chain is sent, one chain after the other, without any scheduling."""
    log = []
    for name, steps in enumerate(shapes):
        chain, results = recording(name, steps, log), None
        try:
            while True:
                results = [value(task) for task in chain.send(results)]
        except StopIteration:
            pass
    return log


@given(shapes=shapes, threads=st.integers(1, 4))
def test_chains_are_sent_the_results_of_their_tasks_in_order(shapes, threads):
    log = []
    with team_of(threads) as team:
        team.run(value, [recording(name, steps, log) for name, steps in enumerate(shapes)])
    assert sorted(log) == by_hand(shapes)


@given(shapes=shapes)
def test_chains_in_step_are_sent_the_same(shapes):
    log, sizes = [], []

    def run(tasks):
        sizes.append(len(tasks))
        return [value(task) for task in tasks]

    run_in_step(run, [recording(name, steps, log) for name, steps in enumerate(shapes)])
    assert sorted(log) == by_hand(shapes)
    assert all(sizes)  # nothing is sent away where there is nothing to do
    assert len(sizes) <= max((len(steps) for steps in shapes), default=0)


def test_no_chain_waits_for_another():
    """The second chain ends while the first one is still at its first task, which waits for that end."""
    ended = threading.Event()

    def slow():
        yield [lambda: ended.wait(10)]

    def quick():
        for _ in range(3):
            yield [lambda: True]
        ended.set()

    with team_of(2) as team:
        team.run(lambda task: task(), [slow(), quick()])
    assert ended.is_set()


def waiting(name, count, seen, log):
    """A chain that goes on when as many chains as `count` have done their first task."""
    seen.extend((yield [name]))
    while len(seen) < count:
        yield None
    log.append((name, (yield [name, name])))


@given(chains=st.integers(1, 6), share=st.floats(0, 1), threads=st.integers(1, 4))
def test_a_chain_may_wait_for_what_others_find(chains, share, threads):
    seen, log = [], []
    with team_of(threads) as team:
        count = round(share * chains)
        team.run(lambda name: name + 1, [waiting(name, count, seen, log) for name in range(chains)])
    assert sorted(log) == [(name, [name + 1, name + 1]) for name in range(chains)]


def test_chains_that_wait_stay_in_step():
    """Those that are asked before the last result is known take their next step together with the others."""
    steps, seen, log = [], [], []

    def run(tasks):
        steps.append(tasks)
        return tasks

    run_in_step(run, [waiting(name, 3, seen, log) for name in range(3)])
    assert steps == [[0, 1, 2], [0, 0, 1, 1, 2, 2]]


def test_a_chain_waits_while_another_takes_several_steps():
    seen, log = [], []

    def slow():
        for step in range(3):
            yield [step]
        seen.append(7)

    for threads in (1, 2):
        seen.clear(), log.clear()
        with team_of(threads) as team:
            team.run(lambda name: name, [waiting(5, 2, seen, log), slow()])
        assert log == [(5, [5, 5])]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_an_error_in_a_task_ends_the_run(threads):
    def failing():
        yield [1, 2]
        yield [0]
        pytest.fail("a chain went on after its task had failed")

    def other():
        for _ in range(20):
            yield [1]

    with team_of(threads) as team, pytest.raises(ZeroDivisionError):
        team.run(lambda task: 1 / task, [failing(), other()])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_an_error_in_a_chain_ends_the_run(threads):
    def failing():
        yield [1]
        raise LookupError("no next step")

    with team_of(threads) as team, pytest.raises(LookupError, match="no next step"):
        team.run(abs, [failing(), failing()])


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_started_function_is_called_once(threads):
    calls = []
    with team_of(threads) as team:
        begun = [team.start(lambda number: calls.append(number) or number, number) for number in range(20)]
        assert [result() for result in begun] == [result() for result in begun] == list(range(20))
        assert team.map(abs, [-3, -2, -1]) == [3, 2, 1]
        assert team.map(abs, []) == []
    assert sorted(calls) == list(range(20))


def test_what_no_helper_has_begun_is_done_by_the_one_who_waits():
    free = threading.Event()
    with team_of(2) as team:
        team.start(free.wait, 10)
        assert team.start(threading.get_ident)() == threading.get_ident()
        free.set()


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_of_a_started_function_is_raised_where_it_is_awaited(threads):
    with team_of(threads) as team:
        begun = team.start(divmod, 1, 0)
        with pytest.raises(ZeroDivisionError):
            begun()
