"""The examples of docs/significance.md run as printed."""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "significance.md"


def test_the_page_is_right() -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags, encoding="utf-8")
    assert tried >= 10
    assert failed == 0
