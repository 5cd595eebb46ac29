"""The layouts of prediction tables: long, wide, and a matrix with one column per category.

| layout | columns                                              | one row is                             |
|--------|------------------------------------------------------|----------------------------------------|
| long   | `document`, `category`, perhaps `score`, `decision`  | a pair; an empty category: no label    |
| wide   | `document`, `labels` (`a;b` or a list), or `scores`  | a document; `scores` is an object      |
| matrix | the first names the document, the others categories  | a document; all 0 and 1, or scores     |

Column names ignore case; `id` is accepted for `document`, `label` for `category`, and so on (ROLES).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import Any

from rubricate.errors import InvalidFile
from rubricate.files.predictions.cell_values import as_decision, as_number, as_text
from rubricate.files.predictions.pairs import AGAIN, BARE, UNDECIDED, PairCollector
from rubricate.readers.tables import NumberedRows

__all__ = ["ROLES", "TableLayout", "collect_rows", "layout_of"]

ROLES = {
    "document": ("document", "id", "doc", "doc_id", "document_id", "docid", ""),
    "category": ("category", "label", "class", "topic"),
    "labels": ("labels", "categories", "classes", "topics"),
    "score": ("score", "probability", "confidence", "prob"),
    "scores": ("scores", "probabilities"),
    "decision": ("decision", "assigned", "predicted", "relevance"),
}
"""Accepted column names, the preferred name first; a column without a name is the index that pandas writes."""

CHUNK = 256
"""Rows of the long layout at a time; larger chunks fall out of the cache and keep the garbage collector busy."""
NO_CATEGORY = -1


@dataclass(frozen=True)
class TableLayout:
    """Which column has which role; `others` are the columns of a matrix.

    `comma`: numbers may have a decimal comma, as spreadsheets write them in files that separate cells by `;`.
    """

    kind: str
    places: Mapping[str, int]
    others: tuple[tuple[int, str], ...]
    comma: bool = False


def layout_of(
    pairs: PairCollector, names: Sequence[str], *, comma: bool = False, line: int = 1, id_column: str | None = None
) -> TableLayout:
    """Return the layout of a table with these column names, found on `line`, or say which column is missing.

    `id_column` names the documents where it is a column. A table of three columns or more, none of which has a known
    name, is a matrix whose first column names the documents.
    """
    lower = [str(name).strip().lower() for name in names]
    if len(set(lower)) != len(lower):
        twice = sorted({name for name in lower if lower.count(name) > 1})
        raise InvalidFile(
            f"column {twice[0]!r} occurs twice", path=pairs.path, line=line, remedy="name each column once"
        )
    known = {
        role: next((lower.index(name) for name in accepted if name in lower), None) for role, accepted in ROLES.items()
    }
    places = {role: place for role, place in known.items() if place is not None}
    if id_column is not None and id_column.strip().lower() in lower:
        places["document"] = lower.index(id_column.strip().lower())
    if not places and len(names) > 2 and not all(map(_is_decimal, names[1:])):
        places["document"] = 0
    others = tuple((i, str(name).strip()) for i, name in enumerate(names) if i != places.get("document"))
    kind = "long" if "category" in places else "wide" if {"labels", "scores"} & places.keys() else "matrix"
    if "document" not in places or not others:
        shown = ", ".join(repr(name) for name in names[:8]) or "none"
        raise InvalidFile(
            f"expected columns document and category (or document and labels), got {shown}",
            path=pairs.path,
            line=line,
            remedy="give the file a header such as document,category,score or document,labels, "
            "or name the column of the documents (--id NAME)",
        )
    pairs.layout = kind
    return TableLayout(kind, places, others, comma)


def _is_decimal(name: Any) -> bool:
    """Tell whether a column name is a number: then the file has no header."""
    try:
        return not math.isnan(float(name))
    except (TypeError, ValueError):
        return False


def collect_rows(pairs: PairCollector, layout: TableLayout, rows: NumberedRows) -> None:
    """Add the pairs of the rows, read by their layout."""
    {"long": _collect_long, "wide": _collect_wide, "matrix": _collect_matrix}[layout.kind](pairs, layout, rows)


def _collect_long(pairs: PairCollector, layout: TableLayout, rows: NumberedRows) -> None:
    """Add rows of pairs, the longest of files: whole columns at a time, so that no row costs a call of ours."""
    rest = iter(rows)
    while chunk := list(islice(rest, CHUNK)):
        lines, cells = zip(*chunk, strict=True)
        columns = {role: [row[place] for row in cells] for role, place in layout.places.items()}
        try:
            _add_columns(pairs, columns, lines, comma=layout.comma)
        except InvalidFile:
            _add_one_by_one(pairs, columns, lines, comma=layout.comma)


def _add_one_by_one(
    pairs: PairCollector, columns: Mapping[str, list[Any]], lines: Sequence[int], *, comma: bool
) -> None:
    """Add the rows of a chunk that has a bad one, and complain of each bad row."""
    for place, line in enumerate(lines):
        try:
            _add_columns(pairs, {role: [cells[place]] for role, cells in columns.items()}, [line], comma=comma)
        except InvalidFile as problem:
            pairs.complain(problem)


def _add_columns(pairs: PairCollector, columns: Mapping[str, list[Any]], lines: Sequence[int], *, comma: bool) -> None:
    documents = columns["document"]

    def new_document(cell: Any) -> int:
        # The line is searched only for an empty cell, which is an error.
        return pairs.document(as_text(cell), lines[documents.index(cell)] if not as_text(cell) else 0)

    def new_category(cell: Any) -> int:
        return pairs.category(as_text(cell)) if as_text(cell) else NO_CATEGORY

    rows = _numbers(documents, pairs.documents.get, new_document)
    numbers = _numbers(columns["category"], pairs.categories.get, new_category)
    scores = _score_column(pairs, columns.get("score"), lines, comma=comma)
    decided = [UNDECIDED] * len(lines)
    if "decision" in columns:
        cells = zip(columns["decision"], lines, strict=True)
        decided = [as_decision(cell, line, path=pairs.path) for cell, line in cells]
    kept = [number != NO_CATEGORY for number in numbers]
    parts: tuple[Sequence[Any], ...] = (rows, numbers, lines, scores, decided)
    pairs.extend(parts if all(kept) else tuple(list(compress(part, kept)) for part in parts))


def _numbers(cells: list[Any], known: Callable[[Any], int | None], new: Callable[[Any], int]) -> list[int]:
    """Return the number of each name; `new` is asked once for each name that is not known yet."""
    try:
        fresh = {cell: new(cell) for cell in dict.fromkeys(cells) if known(cell) is None}
    except TypeError:  # a cell that cannot be looked up, such as a list in JSON
        return [new(cell) for cell in cells]
    return [fresh[cell] if number is None else number for cell, number in zip(cells, map(known, cells), strict=True)]


def _score_column(pairs: PairCollector, cells: list[Any] | None, lines: Sequence[int], *, comma: bool) -> list[float]:
    if cells is None:
        return [math.nan] * len(lines)
    try:
        scores = list(map(float, cells))
    except (TypeError, ValueError):
        scores = [math.nan]
    if any(map(math.isnan, scores)):
        numbered = zip(cells, lines, strict=True)
        return [as_number(cell, line, path=pairs.path, comma=comma) for cell, line in numbered]
    return scores


def _collect_wide(pairs: PairCollector, layout: TableLayout, rows: NumberedRows) -> None:
    document, labels, scores = layout.places["document"], layout.places.get("labels"), layout.places.get("scores")
    if scores is None and labels is not None:
        rows = _single_labels(pairs, (document, labels), rows)
    for line, cells in rows:
        try:
            row = pairs.new_document(as_text(cells[document]), line)
            chosen = None if labels is None else _labels(pairs, cells[labels], line)
            values = {} if scores is None else _scores(pairs, cells[scores], line)
        except InvalidFile as problem:
            pairs.complain(problem)
            continue
        if row == AGAIN:
            continue
        for name in dict.fromkeys([*(chosen or ()), *values]):
            yes = UNDECIDED if chosen is None else int(name in chosen)
            pairs.add(row, name, line, score=values.get(name, math.nan), decided=yes)


def _single_labels(pairs: PairCollector, places: tuple[int, int], rows: NumberedRows) -> NumberedRows:
    """Add the rows with a new document and at most one label, which most files consist of; yield all other rows.

    Without a call per row: a submission of 50,000 documents takes 0.1 s.
    """
    document, labels = places
    documents, categories = pairs.documents, pairs.categories
    add_row, add_column, add_line = pairs.rows.append, pairs.columns.append, pairs.lines.append
    add_score, add_decision = pairs.scores.append, pairs.decided.append
    for line, cells in rows:
        name, cell = cells[document], cells[labels]
        if type(name) is not str or type(cell) is not str or ";" in cell:
            yield line, cells
            continue
        name, label = name.strip(), cell.strip()
        if not name or name in documents:
            yield line, cells
            continue
        row = documents[name] = len(documents)
        if label:
            column = categories.get(label)
            if column is None:
                column = categories[label] = len(categories)
            add_row(row)
            add_column(column)
            add_line(line)
            add_score(math.nan)
            add_decision(1)


def _scores(pairs: PairCollector, cell: Any, line: int) -> dict[str, float]:
    if cell is None:
        return {}
    if not isinstance(cell, Mapping):
        remedy = 'write {"earn": 0.9, "acq": 0.1}'
        raise InvalidFile("scores must be an object of category: number", path=pairs.path, line=line, remedy=remedy)
    return {as_text(name): as_number(value, line, path=pairs.path) for name, value in cell.items() if value is not None}


def _labels(pairs: PairCollector, cell: Any, line: int) -> list[str]:
    """Return the labels of a cell: a list, or names separated by `;`; no label for an empty cell."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return []
    parts = cell.split(";") if isinstance(cell, str) else cell
    if not isinstance(parts, Iterable) or isinstance(parts, Mapping):
        parts = [parts]
    names = [name for name in map(as_text, parts) if name]
    if pairs.first:
        return list(dict.fromkeys(names))
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidFile(f"label {twice!r} occurs twice", path=pairs.path, line=line, remedy="give each label once")
    return names


def _collect_matrix(pairs: PairCollector, layout: TableLayout, rows: NumberedRows) -> None:
    document = layout.places["document"]
    for _, name in layout.others:
        pairs.categories.setdefault(name, len(pairs.categories))
    for line, cells in rows:
        try:
            row = pairs.new_document(as_text(cells[document]), line)
            values = [as_number(cells[place], line, path=pairs.path, comma=layout.comma) for place, _ in layout.others]
        except InvalidFile as problem:
            pairs.complain(problem)
            continue
        if row == AGAIN:
            continue
        for (_, name), value in zip(layout.others, values, strict=True):
            if not math.isnan(value):
                pairs.add(row, name, line, score=value, decided=BARE)
