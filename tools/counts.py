"""Write the figures of the README and of the index of reproductions anew, from committed results.

python tools/counts.py [--check]      --check changes nothing and ends with 1 where a page is out of date
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rubricate.papers.reproduction import papers, read_again
from rubricate.reports.reproductions import overview
from rubricate.reports.tables import Table, render

ROOT = Path(__file__).parents[1]
REPRODUCTIONS = ROOT / "docs" / "reproductions"
SHOWN = (
    ("text-1", "Reuters text to ltc vectors"),
    ("svm-90", "90 linear SVMs on Reuters"),
    ("leave-one-out", "exact leave-one-out of 90 SVMs"),
    ("permutation-pairs", "permutation tests of 1,128 pairs of systems"),
    ("bootstrap-runs", "intervals of 48 systems"),
    ("micro-macro", "micro- and macro-F1, 100,000 × 1,000"),
)
"""Rows of the benchmarks that the README shows, each by its least ratio."""


def cells() -> dict[str, Any]:
    """Return the committed cells of every paper."""
    return {
        name: read_again(name, json.loads((REPRODUCTIONS / f"{name}.json").read_text("utf-8"))) for name in papers()
    }


def speed() -> Table:
    """Return the least ratio of each row that is shown, from the last results."""
    results = json.loads((ROOT / "benchmarks" / "results.json").read_text("utf-8"))
    lines = []
    for id, work in SHOWN:
        rows = [row for row in results if row["id"] == id]
        least: Mapping[str, Any] = min(rows, key=lambda row: row["ratio"])
        lines.append(
            (work, least["peer"], f"{least['ratio']:,.1f}" if least["ratio"] < 20 else f"{least['ratio']:,.0f}")
        )
    return Table(("work", "peer", "times as fast"), lines, "")


def replaced(text: str, table: Table) -> str:
    """Return a page with the table of the same columns replaced; it must have one."""
    head = re.escape("| " + " | ".join(table.columns) + " |")
    lines = render(table, "markdown").strip() + "\n"
    text, number = re.subn(rf"^{head}\n(\|.*\n)+", lambda _: lines, text, flags=re.MULTILINE)
    if number != 1:
        raise SystemExit(f"{number} tables with the columns {', '.join(table.columns)}; there must be one")
    return text


def pages() -> dict[Path, str]:
    """Return the pages as they should be."""
    known = cells()
    readme = (ROOT / "README.md").read_text("utf-8")
    readme = replaced(readme, overview(known, folder="docs/reproductions/", by_table=False))
    index = (REPRODUCTIONS / "index.md").read_text("utf-8")
    return {ROOT / "README.md": replaced(readme, speed()), REPRODUCTIONS / "index.md": replaced(index, overview(known))}


def main() -> None:
    """Write the pages, or say which are out of date."""
    stale = {path: text for path, text in pages().items() if text != path.read_text("utf-8")}
    if "--check" in sys.argv[1:]:
        sys.exit("; ".join(f"{path.name} is out of date. Fix: python tools/counts.py" for path in stale) or None)
    for path, text in stale.items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
