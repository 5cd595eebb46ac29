"""Compare two folders of reproductions cell by cell: `python -m tests.record.reproductions OLD_DIR NEW_DIR`.

A folder has one JSON file per paper, a list of cells. Everything in a cell counts but prose (its note); the tables of
times do not count, beyond having the same cells. Lists what differs; the exit code is 1 if anything does.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COMPARED = ("published", "ours", "tolerance", "agrees", "origin")
TIMES = "times"


def cells_of(path: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return the cells of a file by table, row and column; a cell of the same place by its turn, too."""
    turns: Counter[tuple[str, ...]] = Counter()
    cells = {}
    for cell in json.loads(path.read_text(encoding="utf-8")):
        place = (cell["table"], cell["row"], cell["column"])
        cells[*place, str(turns[place])] = cell
        turns[place] += 1
    return cells


def changes(old: Path, new: Path) -> Iterator[str]:
    """Yield a line for each file, cell or value that differs between two folders."""
    names = [{path.name for path in folder.glob("*.json")} for folder in (old, new)]
    for name in sorted(names[0] ^ names[1]):
        yield f"{name}: only in {old if name in names[0] else new}"
    for name in sorted(names[0] & names[1]):
        before, after = cells_of(old / name), cells_of(new / name)
        for place in sorted(before.keys() | after.keys()):
            shown = f"{name}: table {place[0]}, {place[1]}, {place[2]}"
            if place not in before or place not in after:
                yield f"{shown}: only in {old if place in before else new}"
            elif place[0] != TIMES:
                for key in COMPARED:
                    if before[place][key] != after[place][key]:
                        yield f"{shown}: {key} {before[place][key]!r} became {after[place][key]!r}"


def main(old: str, new: str) -> int:
    """Print the differences; return 1 if there are any, 2 if there is nothing to compare."""
    if not any(Path(old).glob("*.json")):
        print(f"no reproductions in {old}", file=sys.stderr)
        return 2
    found = list(changes(Path(old), Path(new)))
    print("\n".join(found) if found else "all cells are the same")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m tests.record.reproductions OLD_DIR NEW_DIR")
    sys.exit(main(*sys.argv[1:]))
