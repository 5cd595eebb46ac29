"""Type checkers that know the package only from outside agree on a user's code, and find the mistakes in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rubricate

HERE = Path(__file__).parent
WRONG = {
    "import rubricate as rb\nrb.Categorizer(clasifier='knn')\n": "clasifier",
    "import rubricate as rb\nrb.evaluate(rb.load('newswire'), bootstraps=3)\n": "bootstraps",
    "import rubricate as rb\nrb.Categorise()\n": "Categorise",
    "import rubricate as rb\nx: int = rb.load('newswire')\n": "int",
}


@pytest.fixture
def project(tmp_path):
    """A folder of a user's own, with the code of this one."""
    shutil.copy(HERE / "user_code.py", tmp_path)
    for number, code in enumerate(WRONG):
        (tmp_path / f"wrong_{number}.py").write_text(code, encoding="utf-8")
    return tmp_path


def complaints(output, name):
    """Return the lines of a checker about a file."""
    return [line for line in output.splitlines() if f"{name}.py" in line and "error" in line]


def check(output):
    assert complaints(output, "user_code") == []
    for number, word in enumerate(WRONG.values()):
        assert any(word in line for line in complaints(output, f"wrong_{number}")), (word, output)


@pytest.mark.proof
def test_mypy(project):
    source = str(Path(rubricate.__file__).parents[1])
    command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--follow-imports=silent"]
    files = sorted(path.name for path in project.glob("*.py"))
    done = subprocess.run(
        [*command, "--cache-dir", str(project / "cache"), *files],
        cwd=project,
        env={**os.environ, "MYPYPATH": source},
        capture_output=True,
        text=True,
        timeout=600,
    )
    check(done.stdout)


@pytest.mark.proof
def test_pyright(project):
    pytest.importorskip("pyright")
    settings = {"include": ["."], "extraPaths": [str(Path(rubricate.__file__).parents[1])], "pythonVersion": "3.11"}
    (project / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=600,
    )
    check(done.stdout)
