"""Every command and every writer with its n-th call failing: success, or one clear error with the old files intact."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.corpora.test_fetch import Server
from tests.faults.injection import KINDS, calls_of, chosen, injected
from tests.reports.studies import small_study

import rubricate as rb
from rubricate.cli import main
from rubricate.corpora import fetch as fetch_corpus
from rubricate.corpora.sources import DataFile, Source
from rubricate.errors import RubricateError, UnreadableFile
from rubricate.experiments.store import DamagedEntry, Store
from rubricate.io.prediction_files import write_run
from rubricate.labels import indicator
from rubricate.reports.report import write_report
from rubricate.types import Decisions, Run, Scores

OLD = b"an older file"
MOST, MOST_IN_PROOF = 6, int(os.environ.get("RUBRICATE_FAULTS", "40"))
"""Calls of one kind that are failed in each action; in the proof practically all."""
WORDS = {"grain": "wheat corn harvest bushel", "crude": "oil barrel opec refinery"}
PLAN = """
title = "faults"
resamples = 20
folds = 2
tests = ["s"]
[[corpora]]
name = "news.csv"
[[systems]]
name = "nb"
classifier = "nb"
weights = "nnn"
"""
counts: dict[str, int] = {}


class CommandFailed(RubricateError):
    """A command ended with an exit code other than 0 and a message."""


@dataclass(frozen=True)
class Action:
    """Something to do in a folder; `target` is what it writes, over an older file, or nothing.

    With `resumes` a part may be left, from which the next run goes on. `errors` may be raised beside those of ours and
    MemoryError: a page is made of files of the package itself.
    """

    run: Callable[[Path], Any]
    target: str = ""
    retries: bool = True
    resumes: bool = False
    errors: tuple[type[Exception], ...] = ()


def command(*parts: str | Path) -> None:
    """Run a command in this process; an error must be one message, never a traceback."""
    messages = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["rubricate", *map(str, parts)])
        patch.setattr(sys, "stdout", io.StringIO())
        patch.setattr(sys, "stderr", messages)
        try:
            main()
        except SystemExit as left:
            if left.code:
                assert "rubricate: " in messages.getvalue(), messages.getvalue()
                assert "Traceback" not in messages.getvalue()
                raise CommandFailed(messages.getvalue()) from None


def documents(path: Path) -> None:
    """Write 24 documents in two categories, three of each for testing."""
    rows = [
        f"{label}{i},{words.split()[i % 4]} {words},{label},{'test' if i > 8 else 'train'}\n"
        for label, words in WORDS.items()
        for i in range(12)
    ]
    path.write_text("id,text,labels,split\n" + "".join(rows))


def make_run() -> Run:
    names, ids = ("grain", "crude"), tuple(f"d{i}" for i in range(5))
    values = np.linspace(-1, 1, 10).reshape(5, 2)
    return Run(
        "x", ids, names, scores=Scores(values, names, ids), decisions=Decisions(indicator(values > 0), names, ids)
    )


def train(folder: Path) -> None:
    """Train with intervals of few resamples, which took nine tenths of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rubricate.cli.train.RESAMPLES", 10)
        command("train", folder / "news.csv", "-o", folder / "new.rubric", "--classifier", "nb", "--weights", "nnn")


def classify(folder: Path) -> None:
    command("classify", folder / "model.rubric", folder / "news.csv", "-o", folder / "out.jsonl", "--json")


def study(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DamagedEntry)
        command("study", folder / "plan.toml", "--store", folder / "store", "--engine", "serial")


def report(folder: Path) -> None:
    write_report(small_study(documents=20, noises=(0.4,), names=("a",)), folder / "page.html", figures=False)


def fetch(folder: Path) -> None:
    file = DataFile("a.txt", sha256=hashlib.sha256(b"content" * 99).hexdigest())
    fetch_corpus(
        Source("toy", "Toy", "free", ("all",), None, files=(file,)), origin=folder / "a.txt", folder=folder / "to"
    )


def download(folder: Path) -> None:
    """Fetch from a server in this process; it answers from memory, so that no fault is its own."""
    running = Server()
    file = DataFile("b.txt", addresses=(running.address,), sha256=hashlib.sha256(running.content).hexdigest())
    try:
        fetch_corpus(Source("toy", "Toy", "free", ("all",), None, files=(file,)), folder=folder / "to")
    finally:
        running.http.shutdown()
        running.http.server_close()


def store(folder: Path) -> None:
    entry = Store(folder / "kept").remember({"kind": "scores"}, lambda: ({"values": np.arange(3.0)}, {}))
    assert entry.arrays["values"].tolist() == [0, 1, 2]


ACTIONS = {
    "fetch": Action(fetch, "to/a.txt", retries=False),
    "download": Action(download, "to/b.txt", retries=False, resumes=True),
    "save": Action(lambda folder: rb.save(rb.thresholds.Rcut(t=3), folder / "saved.rubric"), "saved.rubric"),
    "open": Action(lambda folder: rb.Categorizer.open(folder / "model.rubric")),
    "write_run csv": Action(lambda folder: write_run(make_run(), folder / "run.csv"), "run.csv"),
    "write_run jsonl": Action(lambda folder: write_run(make_run(), folder / "run.jsonl"), "run.jsonl"),
    "write_run parquet": Action(lambda folder: write_run(make_run(), folder / "run.parquet"), "run.parquet"),
    "store": Action(store),
    "train": Action(train, "new.rubric"),
    "classify": Action(classify, "out.jsonl"),
    "study": Action(study),
    "report": Action(report, "page.html", errors=(OSError,)),
}


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with documents, a model, a plan; every action has run once, so that modules and kernels are loaded."""
    folder = tmp_path_factory.mktemp("prepared")
    documents(folder / "news.csv")
    (folder / "plan.toml").write_text(PLAN)
    (folder / "a.txt").write_bytes(b"content" * 99)
    train(folder)
    (folder / "new.rubric").rename(folder / "model.rubric")
    return folder


def fresh(prepared: Path, folder: Path, action: Action) -> Path:
    """Return a new copy of the folder, with an older file where the action writes."""
    shutil.copytree(prepared, folder)
    if action.target and action.retries:
        (folder / action.target).write_bytes(OLD)
    return folder


def left_over(folder: Path) -> list[str]:
    return [
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.name.endswith((".part", ".tmp", ".lock"))
    ]


def attempt(action: Action, folder: Path, kind: str, at: int) -> str:
    """Run the action with one call failing; return the message of its error, or nothing."""
    with injected(kind, at):
        try:
            action.run(folder)
        except (RubricateError, MemoryError, *action.errors) as error:
            return str(error) or "memory"
    return ""


def fail_each(action: Action, prepared: Path, tmp_path: Path, kind: str, most: int) -> int:
    """Fail the calls of a kind one by one; return how many were failed."""
    first = fresh(prepared, tmp_path / "first", action)
    action.run(first)  # the modules are loaded
    wanted = (first / action.target).read_bytes() if action.target else b""
    calls = calls_of(lambda: action.run(fresh(prepared, tmp_path / "counted", action)), kind)
    for at in chosen(calls, most):
        folder = fresh(prepared, tmp_path / f"{at}", action)
        message = attempt(action, folder, kind, at)
        if action.target and action.retries:
            content = (folder / action.target).read_bytes()
            # What fails behind the renaming (a summary that is printed) leaves the whole new file.
            assert content in (OLD, wanted) if message else content == wanted, f"call {at}: {message}"
        assert action.resumes or not left_over(folder), f"call {at} leaves files: {message}"
        assert (prepared / "model.rubric").read_bytes() == (folder / "model.rubric").read_bytes()
        action.run(folder)
        if action.target:
            assert (folder / action.target).read_bytes() == wanted, "once nothing fails, it succeeds"
        assert not left_over(folder), f"call {at}, repeated, leaves files"
        shutil.rmtree(folder)
    return len(chosen(calls, most))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS])
@pytest.mark.parametrize("name", ["save", "open", "write_run csv", "store", "fetch"])
def test_some_calls_fail(prepared, tmp_path, name, kind):
    fail_each(ACTIONS[name], prepared, tmp_path, kind, MOST)


@pytest.mark.proof
@pytest.mark.parametrize("kind", [*KINDS])
@pytest.mark.parametrize("name", [*ACTIONS])
def test_every_call_fails(prepared, tmp_path, name, kind):
    """With RUBRICATE_COUNTS=FILE the numbers of injected faults are written there as JSON."""
    counts[f"{name}, {kind}"] = fail_each(ACTIONS[name], prepared, tmp_path, kind, MOST_IN_PROOF)
    if os.environ.get("RUBRICATE_COUNTS"):
        Path(os.environ["RUBRICATE_COUNTS"]).write_text(json.dumps(counts, indent=2))


@pytest.mark.parametrize("kind", ["open", "read", "allocation"])
def test_a_store_that_cannot_be_read_now_keeps_its_entries(prepared, tmp_path, kind):
    """Nothing sound is deleted because of errors that pass, and none is taken for damaged."""
    store(tmp_path)
    (entry,) = Store(tmp_path / "kept").entries()
    content, failed = entry.read_bytes(), 0
    for at in range(calls_of(lambda: store(tmp_path), kind)):
        with injected(kind, at), warnings.catch_warnings():
            warnings.simplefilter("error", DamagedEntry)
            try:
                store(tmp_path)
            except (UnreadableFile, MemoryError):
                failed += 1
        assert entry.read_bytes() == content
    assert failed
