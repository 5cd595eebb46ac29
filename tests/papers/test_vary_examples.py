"""The examples that vary one thing run as they are printed."""

from __future__ import annotations

import contextlib
import io

import pytest

from rubricate.papers.reproduction import load_reproduction, papers


@pytest.mark.proof
@pytest.mark.parametrize("paper", papers())
def test_the_example_of_a_paper_runs(paper, reuters_folder):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(load_reproduction(paper).vary["code"], paper, "exec"), {})
    assert len(printed.getvalue().splitlines()) >= 3
