"""Every engine gives the results of every task in order, and passes errors on."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_info

from rubricate import registry
from rubricate.engines import one_blas_thread, run_tasks


@pytest.fixture(params=registry.names("engines"))
def engine(request):
    if request.param == "dask":
        pytest.importorskip("distributed", reason="the extra dask is not installed")
    return request.param


def test_results_come_in_the_order_of_the_tasks(engine):
    assert run_tasks(lambda x: x * x, range(50), engine=engine) == [x * x for x in range(50)]


def test_no_task_gives_no_result(engine):
    assert run_tasks(abs, [], engine=engine) == []


def test_an_error_in_a_task_is_raised(engine):
    with pytest.raises(ZeroDivisionError):
        run_tasks(lambda x: 1 // x, [1, 0, 2], engine=engine)


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
