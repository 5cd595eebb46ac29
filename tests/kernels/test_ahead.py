"""Kernels compiled by a second process: waited for once, taken from its files, and compiled here if it fails."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

import pytest

from rubricate.kernels import ahead, is_compiled
from rubricate.kernels._cache import FOLDER, KernelIndex
from rubricate.text import Analyzer
from rubricate.text.representation import Representation
from rubricate.training.ahead import INTERVALS, LONGEST, SVMS, compile_ahead, compile_meanwhile

SEEN = """
import sys
from numba.core import event
names = set()
class Listener(event.Listener):
    def on_start(self, event): pass
    def on_end(self, event): names.add(event.data["dispatcher"].py_func.__module__.rpartition(".")[2])
event.register("numba:compile", Listener())
from rubricate.cli import main
sys.argv = ["rubricate", "train", sys.argv[1], "-o", sys.argv[2], "--folds", "2"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
from rubricate.training.ahead import compile_ahead
print(compile_ahead(), *sorted(names))
"""


@pytest.fixture
def index(tmp_path):
    return KernelIndex(str(tmp_path), "svm_local.f-1-abc.py311", "stamp")


def test_a_kernel_is_waited_for_once(monkeypatch):
    monkeypatch.setattr(ahead, "_compilers", {})
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert ahead.start("this", ["a", "b"])
    assert [ahead.waited(name) for name in ("a", "a", "b", "c")] == [True, False, True, False]


@pytest.fixture
def compiler(monkeypatch, tmp_path):
    """A process that says that it is done with two files, and with a third when it is told to."""
    told = tmp_path / "told"
    code = f"""
import pathlib, time
print("a", "b", flush=True)
print("c", end="", flush=True)
while not pathlib.Path({str(told)!r}).exists():
    time.sleep(0.01)
print("", "d", flush=True)
time.sleep(60)
"""
    (tmp_path / "compiling.py").write_text(code, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(ahead, "_compilers", {})
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert ahead.start("compiling", ["a", "b", "c", "d", "e"])
    own = ahead._compilers["a"]
    yield own, told
    own.end()


def test_what_is_done_is_not_waited_for_longer_than_that(compiler, monkeypatch):
    own, told = compiler
    assert ahead.waited("b")
    assert own.done == {"a", "b"}, "half a line says nothing"
    assert own.process.poll() is None
    told.touch()
    assert ahead.waited("c")
    assert own.done == {"a", "b", "c", "d"}
    monkeypatch.setattr(ahead, "PATIENCE", 0.05)
    assert ahead.waited("e"), "it is not done: patience has an end"
    assert own.process.poll() is None


def test_one_core_starts_nothing(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setattr(subprocess, "Popen", None)
    assert not ahead.start("this", ["a"])


def test_a_process_that_cannot_be_started_is_done_without(monkeypatch):
    def refuse(*_, **__):
        raise OSError("no more processes")

    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert not ahead.start("this", ["a"])


def test_code_that_appears_meanwhile_is_taken(index, monkeypatch):
    def finish(file):
        assert file == "svm_local"
        index.save("key", "code")
        return True

    monkeypatch.setattr(ahead, "waited", finish)
    assert index.load("key") == "code"
    monkeypatch.setattr(ahead, "waited", pytest.fail)
    assert index.load("key") == "code", "what is there is not waited for"


def test_without_code_after_the_wait_there_is_none(index, monkeypatch):
    monkeypatch.setattr(ahead, "waited", lambda file: True)
    assert index.load("key") is None


def test_nothing_is_started_where_the_code_is_there(monkeypatch):
    started = []
    monkeypatch.setattr(ahead, "start", lambda module, files: started.append(files) or True)
    monkeypatch.setattr("rubricate.training.ahead.is_compiled", lambda *_: True)
    assert not compile_ahead()
    monkeypatch.setattr("rubricate.training.ahead.is_compiled", lambda *_: False)
    assert compile_ahead()
    assert started == [(*SVMS, *INTERVALS)]
    assert all((FOLDER / f"{name}.py").is_file() for name in started[0])


def test_representations_are_tried_only_while_machines_are_compiled_elsewhere(monkeypatch):
    monkeypatch.setattr(ahead, "_compilers", {})
    compile_meanwhile([None])  # nothing is cloned
    monkeypatch.setattr(ahead, "_compilers", {"svm_joint": None})
    representation = Representation(Analyzer(ngrams=(1, 2)))
    fitted = []
    monkeypatch.setattr(Representation, "fit_transform", lambda self, X: fitted.append((self, X)))
    compile_meanwhile([representation])
    assert len(fitted) == 1
    assert fitted[0][0] is not representation


def test_the_kernel_that_is_looked_for_exists():
    """Else every training would start the second process."""
    file, name = LONGEST
    assert file in SVMS
    assert hasattr(import_module(f"rubricate.kernels.{file}"), name)


def test_the_second_process_does_without_scikit_learn():
    """Importing it takes longer than compiling many a kernel."""
    modules = "rubricate.training.ahead, rubricate.classifiers.svm.solvers.linear"
    code = f"import sys, {modules}; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "False"


def test_code_of_a_kernel_that_does_not_exist_is_not_there():
    assert not is_compiled("svm_local", "nothing")


@pytest.mark.proof
def test_a_first_training_finds_the_machines_compiled(uncompiled, tmp_path):
    """A package without machine code: the second process makes the code of SVMs and figures that training needs."""
    documents = tmp_path / "documents.csv"
    rows = [f"{word} {k},{word}\n" for word in ("oil", "wheat", "gold") for k in range(12)]
    documents.write_text("text,labels\n" + "".join(rows), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SEEN, str(documents), str(tmp_path / "model.rubric")],
        env={**os.environ, **uncompiled},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    started, *names = done.stdout.splitlines()[-1].split()
    compiled = set(names)
    assert started == "False", "the next training starts no process"
    assert not compiled & {*SVMS, *INTERVALS}, compiled
