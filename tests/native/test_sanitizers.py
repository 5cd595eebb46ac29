"""The tests of the compiled library once more, with address and undefined-behaviour sanitizers.

In that build every array is copied to memory of its own, so a read past a view is found, too. A fault ends the process:
each file of tests runs in one of its own, whose last line names the case.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rubricate.native.library import VARIANT

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
OWN = ("test_sanitizers.py", "test_library.py", "test_build.py", "test_soaking.py")
"""Files about the library as such, which make their own copies of it."""
FILES = sorted(path.name for path in HERE.glob("test_*.py") if path.name not in OWN)

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the sanitizers are preloaded as on Linux"),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="the sanitizers need gcc"),
    pytest.mark.skipif(VARIANT == "asan", reason="this is the run with sanitizers"),
]


def runtime(name: str) -> str:
    """Return the path of a library of gcc."""
    return subprocess.run(
        ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """Build the library with sanitizers; return the variables that make Python use it."""
    build = [sys.executable, str(ROOT / "build_native.py"), "--sanitize"]
    subprocess.run(build, check=True, cwd=ROOT, env=os.environ | {"CC": "gcc"})
    return os.environ | {
        "RUBRICATE_NATIVE": "asan",
        "LD_PRELOAD": f"{runtime('libasan.so')}:{runtime('libubsan.so')}",
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "HYPOTHESIS_PROFILE": "quick",
    }


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("file", FILES)
def test_no_fault(environment, file):
    done = run(environment, str(HERE / file))
    # The line of the case that was running is the last one of the standard output.
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-5000:]}"
    assert " passed" in done.stdout


def test_a_read_past_a_view_is_found(environment):
    """A planted fault, so that the tests above mean something: the view ends before the row does."""
    code = (
        "import numpy as np; from rubricate.native.library import core; values = np.ones(9)[:4];"
        "core.rb_row_maxima(np.array([0, 5]), 1, values, np.empty(1))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr
    assert "sparse.c" in done.stderr
