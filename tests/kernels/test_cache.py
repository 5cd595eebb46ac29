"""Compiled code is renewed when any file it was made of changes, and an installation may be read-only."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rubricate.kernels import _cache

PARTS = {
    "inner": "import numba\n@numba.njit(cache=True)\ndef inner():\n    return {value}\n",
    "outer": "import numba\nfrom rubricate.kernels.inner import inner\n"
    "@numba.njit(cache=True)\ndef outer():\n    return inner()\n",
}
PROGRAM = """
from rubricate.kernels.outer import outer
print(outer(), sum(outer.stats.cache_hits.values()), outer.stats.cache_path)
"""


@pytest.fixture
def package(tmp_path):
    """A package with two kernels, one of which calls the other."""
    folder = tmp_path / "rubricate" / "kernels"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("")
    for name in ("__init__.py", "_cache.py", "ahead.py"):
        shutil.copy(Path(_cache.__file__).with_name(name), folder)
    for name, text in PARTS.items():
        (folder / f"{name}.py").write_text(text.format(value=1))
    return folder


def run(package, **environment):
    hidden = {"NUMBA_CACHE_DIR": "", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(package.parents[1])}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, env=os.environ | hidden | environment, capture_output=True, text=True, check=True, timeout=300
    )
    value, hits, folder = done.stdout.split()
    return int(value), int(hits), Path(folder)


def test_an_edit_of_a_called_kernel_is_seen(package):
    """Numba stamps only the file of the caller: a warm cache gave the numbers of the old kernel."""
    assert run(package) == (1, 0, package / "__pycache__")
    assert run(package)[:2] == (1, 1), "warm"
    (package / "inner.py").write_text(PARTS["inner"].format(value=2))
    assert run(package)[:2] == (2, 0)


NAMED = """import numba
from typing import NamedTuple

class {name}(NamedTuple):
    value: int

@numba.njit(cache=True)
def inner(pair):
    return pair.value
"""
CALLED = "from rubricate.kernels.inner import {name}, inner\n\ndef outer():\n    return inner({name}(1))\n"


def test_a_renamed_tuple_does_not_break_an_old_cache(package):
    """Numba unpickles the whole index, with the classes it names, before it looks at the stamp."""
    program = "from rubricate.kernels.outer import outer; print(outer())"
    names = set()
    for name in ("Old", "New"):
        (package / "inner.py").write_text(NAMED.format(name=name))
        (package / "outer.py").write_text(CALLED.format(name=name))
        environment = os.environ | {"NUMBA_CACHE_DIR": "", "PYTHONPATH": str(package.parents[1])}
        command = [sys.executable, "-B", "-c", program]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr[-2000:]
        names.add(tuple(path.name for path in sorted((package / "__pycache__").glob("*.nbi"))))
    assert [len(files) for files in names] == [1, 1], "the code of the old version is removed"
    assert len(names) == 2


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_code_that_was_cut_short_is_compiled_again(package, ending):
    """Without this every call of the kernel ends in a traceback until somebody removes the file."""
    run(package)
    for file in (package / "__pycache__").glob(f"*.{ending}"):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert run(package)[:2] == (1, 0)


def test_a_read_only_installation_works(package, tmp_path):
    (package / "__pycache__").write_text("nothing can be created below a file")
    home = tmp_path / "home"
    value, _, folder = run(package, XDG_CACHE_HOME=str(home), HOME=str(home), LOCALAPPDATA=str(home))
    assert value == 1
    assert folder.is_relative_to(home)
    nowhere = str(package / "__pycache__" / "below")
    value, _, folder = run(package, XDG_CACHE_HOME=nowhere, HOME=nowhere, LOCALAPPDATA=nowhere, TMPDIR=str(tmp_path))
    assert value == 1
    assert not folder.exists(), "a private folder goes with the process"


def test_code_that_came_with_the_installation_is_copied_once(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    (source / "a.f-1.py311.nbi").write_bytes(b"index")
    (source / "a.g-9.py311.nbi").write_bytes(b"other")
    _cache._copy_code(source, target, "a.f-1.py*")
    assert [path.name for path in target.iterdir()] == ["a.f-1.py311.nbi"]
    (target / "a.f-1.py311.nbi").write_bytes(b"newer")
    _cache._copy_code(source, target, "a.f-1.py*")
    assert (target / "a.f-1.py311.nbi").read_bytes() == b"newer"


@pytest.mark.parametrize("path", sorted(_cache.FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_every_import_of_a_kernel_counts(path):
    """The search for imports by pattern finds what Python's own parser finds."""
    imported = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "kernels import each other by full name"
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rubricate.kernels."):
            imported.add(node.module.split(".")[2])
    assert {f"{name}.py" for name in imported} <= {file.name for file in _cache._needed(path)}


def test_the_stamp_depends_on_what_is_imported_only(package):
    before = _cache.source_stamp(package / "outer.py"), _cache.source_stamp(package / "inner.py")
    (package / "outer.py").write_text(PARTS["outer"] + "\n")
    _cache._content.cache_clear()
    _cache.source_stamp.cache_clear()
    after = _cache.source_stamp(package / "outer.py"), _cache.source_stamp(package / "inner.py")
    assert after[0] != before[0]
    assert after[1] == before[1]
