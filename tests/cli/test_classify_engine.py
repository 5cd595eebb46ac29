"""`rubricate classify --engine`: the same bytes from every engine, also when a worker is killed midway."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress

import pandas as pd
import pytest
from tests.cli.test_train import WORDS, stories
from tests.engines.cluster import cluster, wait_for

import rubricate as rb
from rubricate import cli
from rubricate.cli import document_options as inputs
from rubricate.cli.answers import ModelAnswers
from rubricate.training.model_file import read_model

WAYS = (
    ["-o", "out.csv"],
    ["-o", "out.jsonl.gz", "--json", "--top", "2"],
    ["-o", "out.parquet", "--abstain", "0.6"],
    ["-o", "out.csv", "--explain", "--outside", "0.05"],
)


def line(number):
    words = " ".join(WORDS.values()).split()
    text = " ".join(words[(number * step) % len(words)] for step in (1, 3, 7, 11))
    return json.dumps({"id": f"n{number}", "text": f"{text} {number % 97}"})


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    rows = list(stories(120))
    path = tmp_path_factory.mktemp("model") / "m.rubric"
    rb.Categorizer(rb.SVM(), engine="serial", folds=2).fit([r[1] for r in rows], [r[2] for r in rows]).save(path)
    return path


@pytest.fixture
def classify(monkeypatch, capsys, tmp_path, saved):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rubricate", "classify", str(saved), *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        return left.value.code or 0, capsys.readouterr().err

    return run


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_every_engine_writes_the_same_bytes(way, classify, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    monkeypatch.setattr(inputs, "BATCH", 40)
    lines = list(map(line, range(390)))
    data = "new.parquet" if "out.parquet" in way else "new.jsonl.gz"
    if data == "new.parquet":
        pytest.importorskip("pyarrow", reason="the extra frames is not installed")
        pd.DataFrame(map(json.loads, lines)).to_parquet(data)
    else:
        (tmp_path / data).write_bytes(gzip.compress("\n".join(lines).encode()))
    written = {}
    for engine in ("threads", "serial", "dask"):
        code, talk = classify(data, *way, "--engine", engine)
        assert code == 0, talk
        written[engine] = (tmp_path / way[1]).read_bytes()
    assert written["threads"] == written["serial"] == written["dask"]


@pytest.mark.slow
def test_an_unreadable_line_leaves_the_old_file(classify, tmp_path, monkeypatch):
    monkeypatch.setattr(inputs, "BATCH", 40)
    (tmp_path / "new.jsonl").write_text("\n".join([*map(line, range(300)), "{", line(1)]))
    (tmp_path / "out.csv").write_text("old")
    messages = {engine: classify("new.jsonl", "-o", "out.csv", "--engine", engine) for engine in ("threads", "serial")}
    assert messages["threads"] == messages["serial"]
    assert messages["serial"][0] == 2
    assert "line 301" in messages["serial"][1]
    assert (tmp_path / "out.csv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.jsonl", "out.csv"]


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        ("thread", "Did you mean 'threads'"),
        ("threads:tcp://127.0.0.1:1", "takes no address"),
        ("dask:tcp://127.0.0.1:9", "no Dask scheduler answers"),
    ],
)
def test_an_engine_that_is_not_there(engine, reason, classify, tmp_path, monkeypatch):
    if engine.startswith("dask"):
        pytest.importorskip("distributed", reason="the extra dask is not installed")
        import rubricate.engines.dask  # noqa: F401

        monkeypatch.setattr(sys.modules["rubricate.engines.dask"], "PATIENCE", 0.3)
    (tmp_path / "new.jsonl").write_text(line(1))
    code, talk = classify("new.jsonl", "-o", "out.csv", "--engine", engine)
    assert code == 2
    assert reason in talk
    assert not (tmp_path / "out.csv").exists()


def test_a_model_travels_as_data(saved):
    options = {"abstain": None, "top": 2, "confident": True, "explain": 2}
    here = ModelAnswers(read_model(saved), options)
    there = pickle.loads(pickle.dumps(here))
    batch = inputs.as_document("wheat corn oil")
    assert there._model is None
    assert there(batch).answers() == here(batch).answers()
    assert there.model() is there.model()


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", [["--json"], ["-o", "out.parquet"]], ids=["stream", "parquet"])
def test_a_worker_killed_midway_changes_nothing(way, saved, tmp_path):
    """Real processes: the documents come through a pipe, and a worker dies when some of them are answered."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    lines = [line(number) + "\n" for number in range(12 * inputs.BATCH)]
    command = [sys.executable, "-m", "rubricate", "classify", str(saved), "-", "--format", "jsonl", *way]
    output = tmp_path / (way[1] if way[0] == "-o" else "stdout")

    @contextmanager
    def started(*more):
        with (tmp_path / "stdout").open("wb") as out:
            run = subprocess.Popen([*command, *more], stdin=subprocess.PIPE, stdout=out, text=True, cwd=tmp_path)
            yield run
            run.stdin.close()
            assert run.wait(100) == 0

    with started() as run:
        run.stdin.writelines(lines)
    expected = output.read_bytes()
    with cluster(tmp_path) as there, started("--engine", there.engine) as run:
        run.stdin.writelines(lines[: 7 * inputs.BATCH])  # at most four are ahead: some are answered now
        wait_for(lambda: way[0] == "-o" or output.stat().st_size)
        os.kill(there.workers[0].pid, signal.SIGKILL)
        run.stdin.writelines(lines[7 * inputs.BATCH :])
    assert len(expected) > 100_000
    assert output.read_bytes() == expected


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
def test_an_interrupt_leaves_the_old_file(saved, tmp_path):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    (tmp_path / "out.csv").write_text("old")
    command = [sys.executable, "-m", "rubricate", "classify", str(saved), "-", "--format", "jsonl", "-o", "out.csv"]
    with cluster(tmp_path, workers=1) as there:
        run = subprocess.Popen([*command, "--engine", there.engine], stdin=subprocess.PIPE, text=True, cwd=tmp_path)
        run.stdin.writelines(line(number) + "\n" for number in range(4 * inputs.BATCH))
        wait_for(lambda: len(list(tmp_path.glob("*out.csv*"))) > 1)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == 130
        with suppress(BrokenPipeError):
            run.stdin.close()
    assert [path.name for path in tmp_path.glob("*out.csv*")] == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "old"


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
def test_workers_of_another_version(saved, tmp_path):
    """Real processes: classify, evaluate and train refuse them before any work."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    (tmp_path / "sitecustomize.py").write_text("import rubricate._version as own\nown.__version__ = '0.0.1'\n")
    (tmp_path / "new.jsonl").write_text(line(1))
    (tmp_path / "truth.csv").write_text("document,labels\nd1,earn\nd2,\n")
    commands = (
        ["classify", str(saved), "new.jsonl", "-o", "out.csv"],
        ["evaluate", "truth.csv", "truth.csv", "--csv"],
        ["train", "truth.csv", "-o", "m.rubric"],
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    with cluster(tmp_path, workers=1, PYTHONPATH=path) as there:
        for command in commands:
            whole = [sys.executable, "-m", "rubricate", *command, "--engine", there.engine]
            done = subprocess.run(whole, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stdout) == (2, "")
            assert "has Rubricate 0.0.1" in done.stderr
            assert "Fix: install the same version" in done.stderr
    assert not (tmp_path / "out.csv").exists()
    assert not (tmp_path / "m.rubric").exists()
