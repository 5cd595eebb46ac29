"""With sanitizers, every native function without memory at each of its allocations; both variants of the library."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from rubricate.native import library

CALLS = 3
"""Calls of each function per process that are repeated without memory."""
POINTS = 40
"""Allocations of a call that are made to fail, one at a time."""


class Repeated(library.Call):
    """A native function that first fails at each of its allocations, and must free what it had by then."""

    counts: ClassVar[dict[str, int]] = {}

    def __call__(self, *values: Any) -> Any:
        """Call the function without memory, then as usual."""
        if self._is_status and self.counts.setdefault(self.name, 0) < CALLS:
            self.counts[self.name] += 1
            for point in range(POINTS):
                if self._fails_at(point, values) != library._library.RB_NO_MEMORY:
                    break
        return super().__call__(*values)

    def _fails_at(self, point: int, values: tuple[Any, ...]) -> int:
        """Return the status of a call whose results are thrown away."""
        own = tuple(library.Buffer() if isinstance(value, library.Buffer) else value for value in values)
        before = library._library.rb_test_allocations(point)
        try:
            status = self.invoke(own, [])
        finally:
            library._library.rb_test_allocations(-1)
        for value in own:
            if isinstance(value, library.Buffer):
                value.free()
        assert library._library.rb_test_allocations(-1) == before, f"{self.name} keeps memory"
        return status


@pytest.fixture(autouse=True, scope="session")
def without_memory():
    """Repeat calls without memory in the build with sanitizers."""
    if library.VARIANT != "asan":
        yield
        return
    original, library.Call = library.Call, Repeated
    vars(library.core).clear()
    yield
    library.Call = original
    vars(library.core).clear()


VARIANTS = {"base": "v3", "v3": "base"}
ANSWERS = """
import contextlib, io, json, sys
for line in sys.stdin:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(json.loads(line), {})
    print(json.dumps(printed.getvalue()), flush=True)
"""


@pytest.fixture(scope="session")
def other_variant() -> Iterator[subprocess.Popen[str]]:
    """A process with the variant of the library that this one has not; it runs code and sends back what that prints."""
    if library.VARIANT not in VARIANTS or library.core.rb_level() < 3:
        pytest.skip("one variant only runs here")
    environment = os.environ | {"RUBRICATE_NATIVE": VARIANTS[library.VARIANT]}
    with subprocess.Popen(
        [sys.executable, "-c", ANSWERS],
        env=environment,
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process


@pytest.fixture
def print_in_both(other_variant: subprocess.Popen[str]) -> Callable[[str], tuple[str, str]]:
    """Run code with each variant of the library and return what each prints."""

    def run(code: str) -> tuple[str, str]:
        other_variant.stdin.write(json.dumps(code) + "\n")
        other_variant.stdin.flush()
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, {})
        return printed.getvalue(), json.loads(other_variant.stdout.readline())

    return run
