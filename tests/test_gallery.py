"""Every worked example of the gallery runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"
EXAMPLES = sorted(GALLERY.glob("*.py"))


def test_there_are_ten_examples_in_notebook_form():
    assert len(EXAMPLES) == 10
    assert all(path.read_text("utf-8").startswith("# %% [markdown]\n# # ") for path in EXAMPLES)


@pytest.mark.proof
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path, tmp_path):
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
