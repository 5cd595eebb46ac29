"""The layouts of tables of predictions: long, wide, and a matrix with one column a category.

| layout | columns                                              | a row is                              |
|--------|------------------------------------------------------|---------------------------------------|
| long   | `document`, `category`, perhaps `score`, `decision`  | a pair; an empty category: no label   |
| wide   | `document`, `labels` (`a;b` or a list), or `scores`  | a document; `scores` is an object     |
| matrix | the first names the document, the others categories  | a document; all 0 and 1, or scores    |

Column names are read without regard to case; `id` serves for `document`, `label` for `category`, and so on (ROLES).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rubricate.errors import InvalidFile
from rubricate.files.predictions.cell_values import as_number, as_text
from rubricate.files.predictions.long_rows import fill_long
from rubricate.files.predictions.pairs import BARE, UNDECIDED, Gather

__all__ = ["ROLES", "Layout", "Rows", "fill", "layout_of"]

ROLES = {
    "document": ("document", "id", "doc", "doc_id", "document_id", "docid", ""),
    "category": ("category", "label", "class", "topic"),
    "labels": ("labels", "categories", "classes", "topics"),
    "score": ("score", "probability", "confidence", "prob"),
    "scores": ("scores", "probabilities"),
    "decision": ("decision", "assigned", "predicted", "relevance"),
}
"""What a column may be called, the best name first; a column without a name is the index that pandas writes."""

Rows: TypeAlias = Iterable[tuple[int, Sequence[Any]]]


@dataclass(frozen=True)
class Layout:
    """Where each role stands among the columns; `others` are the columns of a matrix.

    `comma`: numbers may have a decimal comma, as spreadsheets write them in files that part cells by `;`.
    """

    kind: str
    places: Mapping[str, int]
    others: tuple[tuple[int, str], ...]
    comma: bool = False


def layout_of(gather: Gather, names: Sequence[str], *, comma: bool = False, line: int = 1) -> Layout:
    """The layout of a table with these column names, which `line` has; an error that says what is missing."""
    lower = [str(name).strip().lower() for name in names]
    if len(set(lower)) != len(lower):
        twice = sorted({name for name in lower if lower.count(name) > 1})
        raise InvalidFile(
            f"column {twice[0]!r} comes twice", path=gather.path, line=line, remedy="name each column once"
        )
    found = {role: next((lower.index(name) for name in known if name in lower), None) for role, known in ROLES.items()}
    places = {role: place for role, place in found.items() if place is not None}
    others = tuple((i, str(name).strip()) for i, name in enumerate(names) if i != places.get("document"))
    kind = "long" if "category" in places else "wide" if {"labels", "scores"} & places.keys() else "matrix"
    if "document" not in places or not others:
        shown = ", ".join(repr(name) for name in names[:8]) or "none"
        raise InvalidFile(
            f"columns document and category (or document and labels) were expected, got {shown}",
            path=gather.path,
            line=line,
            remedy="give the file a header such as document,category,score or document,labels",
        )
    return Layout(kind, places, others, comma)


def fill(gather: Gather, layout: Layout, rows: Rows) -> None:
    """Read the rows by their layout."""
    if layout.kind == "long":
        fill_long(gather, layout.places, rows, comma=layout.comma)
    elif layout.kind == "wide":
        _wide(gather, layout, rows)
    else:
        _matrix(gather, layout, rows)


def _wide(gather: Gather, layout: Layout, rows: Rows) -> None:
    document, labels, scores = layout.places["document"], layout.places.get("labels"), layout.places.get("scores")
    for line, cells in rows:
        row = gather.new_document(as_text(cells[document]), line)
        chosen = None if labels is None else _labels(gather, cells[labels], line)
        values = {} if scores is None else _scores(gather, cells[scores], line)
        for name in dict.fromkeys([*(chosen or ()), *values]):
            yes = UNDECIDED if chosen is None else int(name in chosen)
            gather.pair(row, name, line, score=values.get(name, math.nan), decided=yes)


def _scores(gather: Gather, cell: Any, line: int) -> dict[str, float]:
    if cell is None:
        return {}
    if not isinstance(cell, Mapping):
        remedy = 'write {"earn": 0.9, "acq": 0.1}'
        raise InvalidFile("scores must be an object of category: number", path=gather.path, line=line, remedy=remedy)
    return {as_text(name): as_number(gather, value, line, False) for name, value in cell.items() if value is not None}


def _labels(gather: Gather, cell: Any, line: int) -> list[str]:
    """The labels of a cell: a list, or names with `;` between them; nothing for an empty one."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return []
    parts = cell.split(";") if isinstance(cell, str) else cell
    if not isinstance(parts, Iterable) or isinstance(parts, Mapping):
        parts = [parts]
    names = [name for name in map(as_text, parts) if name]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidFile(f"label {twice!r} comes twice", path=gather.path, line=line, remedy="give each label once")
    return names


def _matrix(gather: Gather, layout: Layout, rows: Rows) -> None:
    document = layout.places["document"]
    for _, name in layout.others:
        gather.categories.setdefault(name, len(gather.categories))
    for line, cells in rows:
        row = gather.new_document(as_text(cells[document]), line)
        for place, name in layout.others:
            value = as_number(gather, cells[place], line, layout.comma)
            if not math.isnan(value):
                gather.pair(row, name, line, score=value, decided=BARE)
