"""In the build with sanitizers every native function is also called without memory, at each of its allocations."""

from __future__ import annotations

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
