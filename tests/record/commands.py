"""The JSON that commands print, numbers only: times, versions, paths and prose are left out."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Mapping
from typing import Any
from unittest import mock

from rubricate.cli import main

LEFT_OUT = {
    "command",
    "seconds",
    "settings",
    "signature",
    "store",
    "candidates",
    "settled",
    "solves",
    "steps",
    "language",
}
"""Keys whose values are times, places, how a setting is spelled, how much work a leave-one-out estimate took, or in
which language documents are."""
WORDS = {"a", "b", "better", "category", "document", "labels", "measure", "name", "select", "symbol", "test"}
"""Keys whose values are texts that count; all other texts are prose."""


def rubricate(*arguments: object) -> str:
    """Run the program in this process and return what it wrote to standard output."""
    out = io.StringIO()
    with mock.patch.object(sys, "argv", ["rubricate", *map(str, arguments)]), contextlib.redirect_stdout(out):
        try:
            main()
        except SystemExit as left:
            if left.code not in (0, None):
                raise RuntimeError(f"rubricate {' '.join(map(str, arguments))} ended with {left.code}") from left
    return out.getvalue()


def numbers(value: Any, key: str = "") -> Any:
    """Return a tree without prose and without what differs between two runs of the same command."""
    if isinstance(value, Mapping):
        kept = {name: numbers(each, name) for name, each in value.items() if name not in LEFT_OUT}
        return {name: each for name, each in kept.items() if each not in (None, [], {})}
    if isinstance(value, list):
        return [each for each in (numbers(each, key) for each in value) if each is not None]
    return None if isinstance(value, str) and key not in WORDS else value


def printed(*arguments: object) -> Any:
    """Return the numbers in the JSON that a command prints; of several lines of JSON, a list."""
    out = rubricate(*arguments, "--json")
    try:
        return numbers(json.loads(out))
    except json.JSONDecodeError:
        return [numbers(json.loads(line)) for line in out.splitlines()]
