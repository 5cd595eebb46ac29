"""`rubricate evaluate --engine`: the same numbers from every engine, also when a worker is killed midway."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from tests.engines.cluster import cluster, wait_for

from rubricate import cli
from rubricate.measures.resampling import BLOCK_DRAWS, bootstrap


def write_files(folder, documents, categories):
    """Write a truth and two runs with scores and decisions."""
    rng = np.random.default_rng(0)
    true = rng.random((documents, categories)) < 2 / categories
    names = [f"c{c}" for c in range(categories)]
    labels = [";".join(name for name, own in zip(names, row, strict=True) if own) for row in true]
    rows = [f"d{d},{own}" for d, own in enumerate(labels)]
    (folder / "truth.csv").write_text("\n".join(["document,labels", *rows]))
    for run, noise in (("good", 0.6), ("bad", 1.2)):
        scores = true + noise * rng.random(true.shape)
        lines = (
            f"d{d},c{c},{scores[d, c]:.5f},{int(scores[d, c] > 0.9)}"
            for d in range(documents)
            for c in range(categories)
        )
        (folder / f"{run}.csv").write_text("\n".join(["document,category,score,decision", *lines]))


@pytest.fixture
def evaluate(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, 80, 5)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rubricate", "evaluate", "truth.csv", "good.csv", "bad.csv", *arguments])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return run


@pytest.mark.slow
@pytest.mark.parametrize("by", ["macro_f1", "kappa"])
def test_every_engine_gives_the_same_numbers(by, evaluate):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    options = ("--bootstrap", "45", "--by", by, "--json", "--engine")
    answers = {engine: evaluate(*options, engine) for engine in ("threads", "serial", "dask")}
    assert answers["threads"][0] == 0
    assert '"ranking.by_category.average_precision"' in answers["threads"][1]
    assert answers["threads"] == answers["serial"] == answers["dask"]


def test_an_engine_that_is_not_there(evaluate):
    code, out, talk = evaluate("--engine", "dusk")
    assert (code, out) == (2, "")
    assert "no engine named 'dusk'. Did you mean 'dask'?" in talk


@pytest.mark.parametrize("draws", [1, BLOCK_DRAWS, 2 * BLOCK_DRAWS + 3])
def test_blocks_of_draws_are_the_draws_of_one_generator(draws):
    def statistics(weights):
        return {"sum": float(weights @ np.arange(7)), "first": float(weights[0])}

    rng = np.random.default_rng(5)
    expected = [statistics(np.bincount(rng.integers(0, 7, 7), minlength=7)) for _ in range(draws)]
    drawn = bootstrap(statistics, 7, draws=draws, seed=5, engine="threads")
    assert drawn["sum"].tolist() == [row["sum"] for row in expected]
    assert drawn["first"].tolist() == [row["first"] for row in expected]


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_midway_changes_no_number(tmp_path):
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    write_files(tmp_path, 2000, 30)
    command = [sys.executable, "-m", "rubricate", "evaluate", "truth.csv", "good.csv", "bad.csv", "--bootstrap", "500"]
    command += ["--by", "micro_f1", "--json"]
    expected = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, check=True).stdout
    with cluster(tmp_path) as there:
        run = subprocess.Popen([*command, "--engine", there.engine], cwd=tmp_path, stdout=subprocess.PIPE)
        with distributed.Client(there.address, set_as_default=False) as client:
            wait_for(lambda: any(client.processing().values()) or run.poll() is not None)
        assert run.poll() is None
        os.kill(there.workers[0].pid, signal.SIGKILL)
        out, _ = run.communicate()
    assert run.returncode == 0
    assert out == expected
