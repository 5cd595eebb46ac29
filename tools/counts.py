"""Write the counts of the README anew from the committed cells of the reproductions: `python tools/counts.py`."""

from __future__ import annotations

import json
import re
from pathlib import Path

from rubricate.experiments.reproduction import papers, read_again
from rubricate.reports.reproductions import overview
from rubricate.reports.tables import render

ROOT = Path(__file__).parents[1]
TABLE = re.compile(r"^\| paper \| table \| same .*?\n(?=\n)", re.DOTALL | re.MULTILINE)


def main() -> None:
    """Replace the table of the README."""
    folder, readme = ROOT / "docs" / "reproductions", ROOT / "README.md"
    cells = {name: read_again(name, json.loads((folder / f"{name}.json").read_text("utf-8"))) for name in papers()}
    table = render(overview(cells), "markdown").strip() + "\n"
    text, replaced = TABLE.subn(lambda _: table, readme.read_text("utf-8"))
    if replaced != 1:
        raise SystemExit(f"README.md has {replaced} tables of counts; there must be one")
    readme.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
