"""Rows of pairs, the longest of files: whole columns at a time, so that a row costs no call of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress, islice
from math import isnan, nan
from typing import Any

from rubricate.files.predictions.cell_values import as_decision, as_number, as_text
from rubricate.files.predictions.pairs import UNDECIDED, Gather

__all__ = ["fill_long"]

CHUNK = 256
"""Rows at a time; more of them fall out of the cache and keep the garbage collector busy."""
NO_CATEGORY = -1


def fill_long(
    gather: Gather, places: Mapping[str, int], rows: Iterable[tuple[int, Sequence[Any]]], *, comma: bool
) -> None:
    """Add the pairs of rows with the columns document, category, perhaps score, perhaps decision."""
    rest = iter(rows)
    while chunk := list(islice(rest, CHUNK)):
        lines, cells = zip(*chunk, strict=True)
        _add(gather, {role: [row[place] for row in cells] for role, place in places.items()}, lines, comma)


def _add(gather: Gather, columns: Mapping[str, list[Any]], lines: Sequence[int], comma: bool) -> None:
    documents, categories = columns["document"], columns["category"]
    rows = _numbered(
        documents, gather.documents.get, lambda one: gather.document(as_text(one), _line(documents, one, lines))
    )
    names = _numbered(categories, gather.categories.get, lambda one: _category(gather, one))
    scores = _scores(gather, columns.get("score"), lines, comma)
    decided = _decisions(gather, columns.get("decision"), lines)
    kept = [name != NO_CATEGORY for name in names]
    parts: tuple[Sequence[Any], ...] = (rows, names, lines, scores, decided)
    gather.extend(parts if all(kept) else tuple(list(compress(part, kept)) for part in parts))


def _line(cells: list[Any], cell: Any, lines: Sequence[int]) -> int:
    """The line of a cell, looked for only where the cell is empty and so an error."""
    return lines[cells.index(cell)] if not as_text(cell) else 0


def _numbered(cells: list[Any], known: Callable[[Any], int | None], new: Callable[[Any], int]) -> list[int]:
    """The number of each name; each of those not met before is asked for once."""
    try:
        fresh = {cell: new(cell) for cell in dict.fromkeys(cells) if known(cell) is None}
    except TypeError:  # a cell that cannot be looked up, such as a list in JSON
        return [new(cell) for cell in cells]
    return [fresh[cell] if number is None else number for cell, number in zip(cells, map(known, cells), strict=True)]


def _category(gather: Gather, cell: Any) -> int:
    name = as_text(cell)
    return gather.category(name) if name else NO_CATEGORY


def _scores(gather: Gather, cells: list[Any] | None, lines: Sequence[int], comma: bool) -> list[float]:
    if cells is None:
        return [nan] * len(lines)
    try:
        found = list(map(float, cells))
    except (TypeError, ValueError):
        found = [nan]
    if any(map(isnan, found)):
        return [as_number(gather, cell, line, comma) for cell, line in zip(cells, lines, strict=True)]
    return found


def _decisions(gather: Gather, cells: list[Any] | None, lines: Sequence[int]) -> list[int]:
    if cells is None:
        return [UNDECIDED] * len(lines)
    return [as_decision(gather, cell, line) for cell, line in zip(cells, lines, strict=True)]
