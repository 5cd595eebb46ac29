"""Systems that are known by their counts or published figures alone, from numbers or from a CSV file."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from rubricate.errors import InvalidFile, InvalidInput
from rubricate.significance.statistics import Proportion
from rubricate.significance.system import System
from rubricate.types import Counts

__all__ = ["published", "read_counts"]

_CELLS = ("tp", "fp", "fn", "tn")
_FIGURES = ("recall", "precision", "error")
_REMEDY = "write a header with system,tp,fp,fn,tn (and category), or system,recall,precision,error,n (and true)"


def published(
    name: str,
    *,
    recall: float | None = None,
    precision: float | None = None,
    error: float | None = None,
    n: float | None = None,
    true: float | None = None,
    collection: str = "",
) -> System:
    """Describe a system by micro-averaged figures.

    Parameters
    ----------
    name : str
        Name of the system.
    recall, precision, error : float, optional
        The published figures, from 0 to 1.
    n : float, optional
        Number of pairs of document and category.
    true : float, optional
        Number of true labels.
    collection : str
        Name of the test collection; systems of one collection can be compared by more tests.

    The trials of the p-test follow: recall of `true`, precision of recall·true/precision assigned labels, error of n.
    Without `true` it is taken from the three figures, true = error·n / ((1 − R) + R(1 − P)/P), which is as exact as
    their digits. yangliu1999's table 1 with n = 271,710 gives 3,741 to 3,749 for the 3,744 of the corpus.

    >>> published("SVM", recall=0.8120, precision=0.9137, error=0.00365, n=271_710).proportion("precision").trials // 1
    3329.0
    """
    printed = {"recall": recall, "precision": precision, "error": error}
    values = {key: value for key, value in printed.items() if value is not None}
    for key, value in values.items():
        if not 0 <= value <= 1:
            raise InvalidInput(f"system {name!r}: {key} = {value}; give a share between 0 and 1")
    if true is None and len(values) == 3 and n is not None:
        true = _true_labels(values, n)
    trials = {"recall": true, "precision": _assigned(values, true), "error": n}
    figures = {key: Proportion(value, known) for key, value in values.items() if (known := trials[key]) is not None}
    if not figures:
        raise InvalidInput(f"system {name!r}: no figure with a number of trials; give n (pairs) or true (true labels)")
    return System(name, figures=figures, collection=collection)


def _true_labels(values: Mapping[str, float], n: float) -> float | None:
    r, p = values["recall"], values["precision"]
    wrong = (1 - r) + (r * (1 - p) / p if p else math.inf)
    return values["error"] * n / wrong if 0 < wrong < math.inf else None


def _assigned(values: Mapping[str, float], true: float | None) -> float | None:
    if true is None or not values.get("precision") or "recall" not in values:
        return None
    return values["recall"] * true / values["precision"]


def read_counts(path: str | Path) -> list[System]:
    """Read the systems of a CSV file, in order of appearance.

    Columns `system, tp, fp, fn, tn`: summed counts, or with `category` the counts of each category, which allow the
    macro tests too. Columns `system, recall, precision, error, n` and optionally `true`: published figures. An
    optional column `collection` tells test collections apart.
    """
    rows, groups = _rows(Path(path)), dict[tuple[str, str], list[tuple[int, dict[str, str]]]]()
    for line, row in rows:
        groups.setdefault((row.get("collection", ""), row["system"]), []).append((line, row))
    make = _counted if set(_CELLS) <= rows[0][1].keys() else _figured
    return [make(Path(path), key, group) for key, group in groups.items()]


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise InvalidFile(f"cannot be read ({problem})", path=path, remedy="give a CSV file in UTF-8") from None
    lines = text.splitlines()
    header = lines[0] if lines else ""
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(lines, delimiter=delimiter)
    names = [cell.strip().lower() for cell in next(reader, [])]
    if "system" not in names or not (set(_CELLS) <= set(names) or set(names) & set(_FIGURES)):
        raise InvalidFile(f"the header is {header!r}", path=path, line=1, remedy=_REMEDY)
    rows = []
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(names):
            problem_text = f"row has {len(cells)} cells, the header has {len(names)}"
            raise InvalidFile(problem_text, path=path, line=reader.line_num, remedy="give every row all cells")
        rows.append((reader.line_num, {n: _cell(n, c, delimiter) for n, c in zip(names, cells, strict=True)}))
    if not rows:
        raise InvalidFile("no system in it", path=path, remedy=_REMEDY)
    return rows


def _cell(name: str, cell: str, delimiter: str) -> str:
    """Strip a cell; a decimal comma, as spreadsheets write beside `;`, becomes a point."""
    named = name in ("system", "category", "collection")
    return cell.strip() if named or delimiter != ";" else cell.strip().replace(",", ".")


def _number(cell: str, name: str, *, path: Path, line: int, whole: bool = False) -> float | None:
    if not cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0 and (not whole or value == int(value))):
        kind = "a whole number from 0" if whole else "a number from 0"
        raise InvalidFile(f"{name} is {cell!r}", path=path, line=line, remedy=f"write {kind}")
    return value


def _counted(path: Path, key: tuple[str, str], rows: Iterable[tuple[int, dict[str, str]]]) -> System:
    table, categories = [], []
    for line, row in rows:
        cells = [_number(row.get(name, ""), name, path=path, line=line, whole=True) for name in _CELLS]
        if any(cell is None for cell in cells):
            raise InvalidFile("an empty count", path=path, line=line, remedy="write tp, fp, fn and tn")
        table.append(cells)
        categories.append(row.get("category", ""))
    if len(set(categories)) < len(categories):
        problem = f"system {key[1]!r} has {len(categories)} rows for {len(set(categories))} categories"
        raise InvalidFile(problem, path=path, line=line, remedy="give one row for each system and category")
    counts = Counts(*np.array(table, np.int64).T)
    return System(key[1], tuple(categories) if any(categories) else (), table=counts, collection=key[0])


def _figured(path: Path, key: tuple[str, str], rows: Iterable[tuple[int, dict[str, str]]]) -> System:
    (line, row), *more = rows
    if more:
        raise InvalidFile(
            f"system {key[1]!r} again", path=path, line=more[0][0], remedy="give one row for each system and collection"
        )
    numbers = {name: _number(row.get(name, ""), name, path=path, line=line) for name in (*_FIGURES, "n", "true")}
    try:
        return published(key[1], collection=key[0], **numbers)
    except InvalidInput as problem:
        raise InvalidFile(str(problem), path=path, line=line, remedy=_REMEDY) from None
