"""The strict count of the committed cells falls in no table below what an audit of the reproductions found.

Strict: numbers within .01 of the published ones (percent within 1), counts and marks equal. The audit counted every
cell with a published figure, those of joachims-2000 once for each hold-out figure.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "reproductions"
AUDITED = {
    ("yang-liu-1999", "1"): 19,
    ("yang-liu-1999", "2"): 35,
    ("yang-liu-1999", "3"): 20,
    ("joachims-2000", "1"): 76,
    ("joachims-2000", "2"): 14,
    ("yang-1999", "1"): 7,
    ("yang-1999", "3"): 34,
    ("yang-1999", "4"): 4,
    ("yang-1999", "5"): 4,
    ("yang-1999", "6"): 2,
    ("sun-lim-2001", "2"): 81,
    ("sun-lim-2001", "3"): 16 - 1,  # corn/crude: the fitted stop list gave way to that of Bow
    ("sun-lim-2001", "4"): 23,
    ("sun-lim-2001", "5"): 25,
    ("sun-lim-2001", "6"): 7,
}


def strictly_same(published, ours, near):
    numbers = [value for value in (published, ours) if isinstance(value, (int, float))]
    if len(numbers) < 2:
        return published == ours
    return abs(published - ours) <= (0 if all(isinstance(value, int) for value in numbers) else near) + 1e-9


@pytest.mark.parametrize(("paper", "table"), AUDITED)
def test_the_strict_count_does_not_fall(paper, table):
    records = json.loads((FOLDER / f"{paper}.json").read_text("utf-8"))
    near = 1.0 if paper == "joachims-2000" else 0.01
    kept = [
        record
        for record in records
        if record["table"] == table
        and record["published"] is not None
        and record["ours"] is not None
        and (paper != "joachims-2000" or record["verdict"] != "not counted")
    ]
    assert sum(strictly_same(record["published"], record["ours"], near) for record in kept) >= AUDITED[paper, table]
