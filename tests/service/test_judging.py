"""Judging uploaded predictions: the numbers of the library, and the report page."""

from __future__ import annotations

import asyncio
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from rubricate.io.predictions import read_runs
from rubricate.measures.evaluation import evaluate
from rubricate.significance.comparison import compare

pytestmark = pytest.mark.slow

TRUTH = b"document,labels\n1,a\n2,b\n3,a;b\n4,b\n5,\n"
RUNS = {
    "one.csv": b"document,labels\n1,a\n2,b\n3,b\n4,b\n5,a\n",
    "two.csv": b"document,labels\n1,b\n2,b\n3,a\n4,a\n5,\n",
}


def _files(runs=RUNS):
    return [("truth", ("t.csv", TRUTH)), *(("runs", (name, content)) for name, content in runs.items())]


def test_evaluate_gives_the_numbers_of_the_library(client, tmp_path):
    for name, content in {"truth.csv": TRUTH, **RUNS}.items():
        (tmp_path / name).write_bytes(content)
    answer = client.post("/evaluate", files=_files()).json()
    expected = [evaluate(run) for run in read_runs(tmp_path / "truth.csv", [tmp_path / name for name in RUNS])]
    assert [each["run"] for each in answer["evaluations"]] == ["one", "two"]
    assert [each["micro"]["f1"] for each in answer["evaluations"]] == [float(each.micro["f1"]) for each in expected]
    assert answer["report"].startswith("<!doctype html>")


@pytest.mark.proof
def test_compare_gives_tests_and_the_page_alone_on_demand(client, tmp_path):
    for name, content in {"truth.csv": TRUTH, **RUNS}.items():
        (tmp_path / name).write_bytes(content)
    answer = client.post("/compare", files=_files()).json()
    expected = compare(read_runs(tmp_path / "truth.csv", [tmp_path / name for name in RUNS]))
    found = [(each["test"], each["measure"], each["p_value"]) for each in answer["comparison"]["comparisons"]]
    assert found == [(each.test, each.measure, each.p_value) for each in expected]
    assert [each[:2] for each in found] == [("permutation", "micro_f1"), ("permutation", "macro_f1")]
    page = client.post("/compare", files=_files(), data={"answer": "html"})
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (_files({"x.csv": b"\x00\x01"}), "a NUL byte: not a text file"),
        (_files({"../../etc/passwd": b"document,labels\n1,zzz\n"}), "no row for 4 documents"),
        (_files({"one.csv": RUNS["one.csv"]}), "two runs"),
    ],
)
def test_files_that_do_not_fit_are_422_without_a_path_of_the_server(client, files, words):
    answer = client.post("/compare", files=files)
    assert (answer.status_code, words in answer.json()["detail"]) == (422, True), answer.text
    assert "/tmp" not in answer.text


def test_many_comparisons_at_once_are_answered_or_refused_with_the_seconds_to_wait(serve, monkeypatch):
    """Sixteen at once: never more processes than allowed and a spare one, and nobody is blamed for the crowd."""
    from rubricate.service import upload_process as process

    running, most, start = set(), [], process.ParserPool.start

    async def counted(pool, *arguments):
        started = await start(pool, *arguments)
        running.add(started)
        most.append(sum(each.returncode is None for each in running))
        return started

    monkeypatch.setattr(process.ParserPool, "start", counted)
    client = serve(max_parsers=2)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: client.post("/compare", files=_files()), range(16)))
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) <= {200, 503}
    assert statuses.count(200) >= 2
    assert all(answer.headers["retry-after"] == "5" for answer in answers if answer.status_code == 503)
    assert max(most) <= 3
    began = time.perf_counter()
    assert client.post("/compare", files=_files()).status_code == 200  # by the process that was started ahead
    assert time.perf_counter() - began < 60
    spare = client.app.state.service.parsers._spare
    client.__exit__(None, None, None)
    assert spare.returncode is not None


def test_a_full_pool_refuses_and_has_room_again(tmp_path):
    from rubricate.service.problems import Refusal
    from rubricate.service.upload_process import ParserPool

    async def work():
        pool = ParserPool(1, seconds=60, wait=0.05)
        async with pool.run("file", {"format": "jsonl"}):
            with pytest.raises(Refusal) as refused:
                await pool.run("file", {"format": "jsonl"}).__aenter__()
        async with pool.run("file", {"format": "jsonl"}) as process:
            process.feed(_chunks(b'{"text": "wheat"}'))
            answers = [answer async for answer in process.lines()]
        return refused.value, answers

    refused, answers = asyncio.run(work())
    assert (refused.status_code, refused.retry) == (503, 5)
    assert answers == [{"records": [{"text": "wheat"}]}]


def test_tasks_that_end_together_leave_one_spare_process(monkeypatch):
    from rubricate.service.upload_process import ParserPool

    started = []

    class Counted(ParserPool):
        async def start(self, *arguments):
            await asyncio.sleep(0.05)
            command = (sys.executable, "-c", "input()")
            started.append(await asyncio.create_subprocess_exec(*command, stdin=-1, stdout=-1))
            return started[-1]

    async def work():
        pool = Counted(3, seconds=60)

        async def task():
            async with pool.run("compare", {}):
                pass

        await asyncio.gather(task(), task(), task())
        alive = sum(each.returncode is None for each in started)
        await pool.close()
        return alive, sum(each.returncode is None for each in started)

    assert asyncio.run(work()) == (1, 0)
    assert len(started) == 4


async def _chunks(*parts):
    for part in parts:
        yield part


def test_a_parser_that_takes_too_long_is_killed(serve):
    client = serve(upload_timeout=0.01)
    answer = client.post("/evaluate", files=_files())
    assert (answer.status_code, "within" in answer.json()["detail"]) == (422, True)
