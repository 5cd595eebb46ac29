"""The shape of the package: what is light stays light, and the layout says what it says."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

import rubricate
from rubricate._deprecated import RENAMED

SOURCE = Path(rubricate.__file__).parent
HEAVY = ("numba", "sklearn", "scipy", "altair", "pyarrow", "pandas", "fastapi")


def _loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split("\n")[-2].split())


def test_importing_rubricate_loads_nothing_heavy():
    assert not _loaded_by("import rubricate") & {*HEAVY, "numpy"}


def test_help_loads_nothing_heavy():
    statement = "import sys; sys.argv = ['rubricate', '--help']\nfrom rubricate.cli import build\nbuild()"
    assert not _loaded_by(statement) & {*HEAVY, "numpy"}


@pytest.mark.parametrize("name", rubricate.__all__)
def test_every_public_name_loads_and_is_documented(name):
    assert getattr(rubricate, name).__doc__ or name == "__version__"


def test_a_newcomer_meets_few_names():
    modules = {name for name in rubricate.__all__ if isinstance(getattr(rubricate, name), types.ModuleType)}
    assert len(set(rubricate.__all__) - modules) <= 30


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_an_old_name_works_and_names_the_new_one(old, new):
    with pytest.warns(DeprecationWarning, match=re.escape(new)):
        value = getattr(rubricate, old)
    package, _, name = new.rpartition(".")
    assert value is getattr(importlib.import_module(package), name)


def test_unknown_public_name_says_what_there_is():
    with pytest.raises(AttributeError, match="Corpus"):
        rubricate.Corpse


def test_no_file_is_named_after_nothing():
    names = {path.stem for path in SOURCE.rglob("*.py")}
    assert not names & {"utils", "util", "helpers", "helper", "common", "misc"}


def test_kernels_import_nothing_of_ours_but_kernels():
    for path in (SOURCE / "kernels").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            assert not module.startswith("rubricate") or module.startswith("rubricate.kernels"), path.name
