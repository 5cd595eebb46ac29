"""Doctests are looked for in files that have some: to import and search all others takes seconds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Leave out the doctests of a file without a prompt."""
    collectors = yield
    if file_path.suffix != ".py" or ">>>" in file_path.read_text("utf-8"):
        return collectors
    return [found for found in collectors if not isinstance(found, DoctestModule)]
