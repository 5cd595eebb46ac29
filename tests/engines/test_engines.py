"""Every engine gives the results of every task in order, and passes errors on."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import CancelledError, Future
from importlib import import_module

import pytest
from threadpoolctl import threadpool_info

from rubricate import __version__, cli, registry
from rubricate.engines import AHEAD, free_cores, one_blas_thread, run_tasks, stream_tasks
from rubricate.errors import InvalidInput


@pytest.fixture(params=registry.names("engines"))
def engine(request):
    if request.param == "dask":
        pytest.importorskip("distributed", reason="the extra dask is not installed")
    return request.param


@pytest.mark.slow
def test_results_come_in_the_order_of_the_tasks(engine):
    assert run_tasks(lambda x: x * x, range(50), engine=engine) == [x * x for x in range(50)]


@pytest.mark.slow
def test_no_task_gives_no_result(engine):
    assert run_tasks(abs, [], engine=engine) == []


def test_an_error_in_a_task_is_raised(engine):
    with pytest.raises(ZeroDivisionError):
        run_tasks(lambda x: 1 // x, [1, 0, 2], engine=engine)


def test_tasks_know_their_share_of_the_cores(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert free_cores() == 6
    assert set(run_tasks(lambda _: free_cores(), range(6), engine="threads")) == {1}
    assert set(run_tasks(lambda _: free_cores(), range(2), engine="threads")) == {3}
    assert run_tasks(lambda _: free_cores(), range(8), engine="threads") == [1] * 6 + [3] * 2
    within = run_tasks(
        lambda _: run_tasks(lambda _: free_cores(), range(2), engine="threads"), range(2), engine="threads"
    )
    assert within == [[1, 1], [1, 1]]
    assert free_cores() == 6


def test_a_stream_has_the_results_in_the_order_of_the_tasks(engine):
    assert list(stream_tasks(lambda x: x * x, iter(range(50)), engine=engine)) == [x * x for x in range(50)]
    assert list(stream_tasks(abs, [], engine=engine)) == []


@pytest.mark.slow
def test_a_stream_takes_few_tasks_ahead(engine):
    taken = []
    results = stream_tasks(abs, (taken.append(i) or i for i in range(1000)), engine=engine)
    gaps = [len(taken) - result for result in results]
    assert len(gaps) == 1000
    assert max(gaps) <= AHEAD * os.cpu_count() + 1


def test_a_stream_ends_with_the_error_of_a_task(engine):
    taken = []
    results = stream_tasks(lambda x: 1 // (3 - x), (taken.append(i) or i for i in range(1000)), engine=engine)
    with pytest.raises(ZeroDivisionError):
        list(results)
    assert len(taken) <= 4 + AHEAD * os.cpu_count()


def test_a_stream_through_any_function():
    assert list(stream_tasks(abs, iter([-1, -2]), engine=lambda function, tasks: [function(t) for t in tasks])) == [
        1,
        2,
    ]


def test_an_engine_may_be_any_function():
    assert run_tasks(abs, [-1], engine=lambda function, tasks: [function(t) + 1 for t in tasks]) == [2]


def test_blas_has_one_thread_until_the_last_block_ends():
    def threads() -> list[int]:
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = threads()
    with one_blas_thread():
        with one_blas_thread():
            assert set(threads()) <= {1}
        assert set(threads()) <= {1}
    assert threads() == before


def test_an_engine_without_an_address_refuses_one():
    with pytest.raises(InvalidInput, match="takes no address"):
        run_tasks(abs, [1], engine="threads:tcp://127.0.0.1:1")


def test_a_scheduler_that_is_not_there(monkeypatch):

    monkeypatch.setattr(import_module("rubricate.engines.dask"), "PATIENCE", 0.3)
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        with pytest.raises(InvalidInput, match="no Dask scheduler answers"):
            run_tasks(abs, [1], engine=f"dask:{address}")


class _Cluster:
    """Stands in for a client whose workers say this."""

    status = "running"

    def __init__(self, *versions, problem=None):
        self.versions, self.problem = versions, problem

    def wait_for_workers(self, n_workers, timeout):
        if not self.versions and self.problem is None:
            raise TimeoutError

    def run(self, function):
        if self.problem is not None:
            raise self.problem
        return {f"tcp://worker-{i}": version for i, version in enumerate(self.versions)}


@pytest.mark.parametrize(
    ("cluster", "reason"),
    [
        (_Cluster(), "has no workers"),
        (_Cluster(__version__, "0.0.1"), r"tcp://worker-1 has Rubricate 0\.0\.1"),
        (_Cluster(problem=ModuleNotFoundError("no rubricate")), "cannot import Rubricate"),
    ],
)
def test_workers_that_cannot_give_the_same_numbers(cluster, reason, monkeypatch):

    monkeypatch.setitem(import_module("rubricate.engines.dask")._clients, "tcp://here", cluster)
    with pytest.raises(InvalidInput, match=reason):
        run_tasks(abs, [1], engine="dask:tcp://here")


class _Lossy:
    """Stands in for a client whose workers lose what they were sent, some times."""

    status = "running"

    def __init__(self, losses):
        self.losses, self.sent = losses, 0
        self.scheduler = type("Scheduler", (), {"address": "tcp://here"})

    def wait_for_workers(self, n_workers, timeout):
        pass

    def run(self, function):
        return {"tcp://worker": function()}

    def nthreads(self):
        return {"tcp://worker": 1}

    def scatter(self, value, **options):
        self.sent += 1
        return value

    def submit(self, function, task, wrapped, pure):
        future = Future()
        if self.losses:
            self.losses -= 1
            future.set_exception(CancelledError())
        else:
            future.set_result(function(task, wrapped))
        return future


def test_what_a_cluster_loses_is_sent_again(monkeypatch):
    client = _Lossy(losses=2)
    monkeypatch.setitem(import_module("rubricate.engines.dask")._clients, "tcp://here", client)
    assert run_tasks(abs, [-1, -2, -3], engine="dask:tcp://here") == [1, 2, 3]
    assert 1 < client.sent <= 3


def test_a_cluster_that_loses_everything_is_given_up(monkeypatch):
    monkeypatch.setitem(import_module("rubricate.engines.dask")._clients, "tcp://here", _Lossy(losses=1000))
    with pytest.raises(InvalidInput, match="--memory-limit"):
        run_tasks(abs, [-1], engine="dask:tcp://here")


def test_a_worker_that_joins_with_another_version(monkeypatch):
    module = import_module("rubricate.engines.dask")
    wrapped = module._Wrapped(abs)
    wrapped.version = "0.0.1"
    with pytest.raises(InvalidInput, match=r"not 0\.0\.1"):
        module._call(-1, wrapped)


def _die_once(task):
    """Kill the worker at the third task, the first time that it is run."""
    number, marker = task
    if number == 2 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_changes_nothing(tmp_path):
    """Real processes: a scheduler's address, two workers under a memory limit, one of them killed midway."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": "1GiB"}
    with distributed.LocalCluster(**options) as cluster:
        tasks = [(number, tmp_path / "killed") for number in range(8)]
        assert run_tasks(_die_once, tasks, engine=f"dask:{cluster.scheduler_address}") == [n * n for n in range(8)]
    assert (tmp_path / "killed").exists()


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
def test_train_on_a_cluster_writes_the_same_model(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    words = {"grain": "wheat corn harvest", "fuel": "oil gas crude", "metal": "gold ore silver"}
    lines = [
        f'{{"text": "{" ".join(w.split()[i % 3 :])} {i}", "labels": "{c}"}}'
        for i in range(30)
        for c, w in words.items()
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster:
        for name, engine in (("a", "serial"), ("b", f"dask:{cluster.scheduler_address}")):
            command = ["rubricate", "train", str(tmp_path / "t.jsonl"), "--classifier", "svm", "--engine", engine]
            monkeypatch.setattr(sys, "argv", [*command, "-o", str(tmp_path / name)])
            with pytest.raises(SystemExit) as left:
                cli.main()
            assert not left.value.code
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
