"""`rubricate warm`, and the word about compilation on a terminal."""

from __future__ import annotations

import json
import subprocess
import sys

import numba
import numpy as np
import pytest

from rubricate.cli.output import compiling
from rubricate.cli.output.compiling import CompilationWatch


def _compiled():
    """A function that nobody has compiled."""
    return numba.njit(lambda x: x + 1)


def test_compilations_are_counted_and_cached_code_is_not():
    function = _compiled()
    with CompilationWatch() as watch:
        function(1)
        function(2)
        assert watch.compiled == 1
        function(2.0)
    assert watch.compiled == 2
    function(np.float32(1))
    assert watch.compiled == 2


@pytest.mark.parametrize(("terminal", "patience", "lines"), [(True, -1.0, 1), (True, 1e6, 0), (False, -1.0, 0)])
def test_a_person_is_told_once(monkeypatch, capsys, terminal, patience, lines):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    monkeypatch.setattr(compiling, "PATIENCE", patience)
    with CompilationWatch():
        for value in (1, 2.0):
            _compiled()(value)
    assert capsys.readouterr().err.count("compiling, once") == lines


@pytest.mark.proof
def test_everything_is_compiled_and_kept(uncompiled, monkeypatch):
    """Without machine code everything is compiled; a second run loads all of it."""
    for name, value in uncompiled.items():
        monkeypatch.setenv(name, value)
    command = [sys.executable, "-m", "rubricate", "warm", "--json"]
    first, second = (
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(2)
    )
    assert first["compiled"] > 100
    assert first["left_out"] == []
    assert second["compiled"] < first["compiled"] / 10
