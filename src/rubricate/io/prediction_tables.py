"""Cells of prediction files: names, scores and decisions, or an error that names the line."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, islice
from pathlib import Path
from typing import Any

import numpy as np

from rubricate.errors import InvalidFile
from rubricate.io.tables import Complain, NumberedRows, raise_problem
from rubricate.types import Bools, Floats, Ints

__all__ = [
    "AGAIN",
    "BARE",
    "ROLES",
    "UNDECIDED",
    "PairCollector",
    "Pairs",
    "TableLayout",
    "as_decision",
    "as_number",
    "as_text",
    "collect_rows",
    "layout_of",
    "listed",
]

YES = frozenset({"1", "1.0", "true", "yes", "y", "t"})
NO = frozenset({"0", "0.0", "false", "no", "n", "f", ""})
WORDS = {"true": 1.0, "false": 0.0, "": math.nan}
"""Cells that stand for a score although they are not numbers."""


def as_text(cell: Any) -> str:
    """Return a name without surrounding blanks, empty for None and NaN. A whole number loses its `.0`."""
    if isinstance(cell, str):
        return cell.strip()
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(cell).strip()


def as_number(cell: Any, line: int, *, path: Path, comma: bool = False) -> float:
    """Return a score, NaN for an empty cell; with `comma` a decimal comma is allowed. A cell "NaN" is an error."""
    value: float | None
    try:
        value = float(cell)
    except (TypeError, ValueError):
        text = "" if cell is None else str(cell).strip()
        if text.lower() in WORDS:
            return WORDS[text.lower()]
        value = _decimal(text.replace(",", ".") if comma else text)
    if value is None or math.isnan(value):
        problem = "the score is NaN" if value is not None else f"{cell!r} is not a number"
        raise InvalidFile(problem, path=path, line=line, remedy="give a number, or leave it empty")
    return value


def _decimal(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def as_decision(cell: Any, line: int, *, path: Path) -> int:
    """Return 1 for yes, 0 for no or an empty cell."""
    text = as_text(cell).lower()
    if text in YES or text in NO:
        return int(text in YES)
    raise InvalidFile(f"{cell!r} is not a decision", path=path, line=line, remedy="write 1 or 0, yes or no")


UNDECIDED, BARE = -1, -2
"""Marks of a pair without a decision, and of a bare number in a matrix (the whole file tells what it means)."""

AGAIN = -1
"""Number of a document that has been read before."""

_KEEP_ONE = "keep one of the rows, or count the first (--duplicates first)"


def listed(names: Iterable[str], *, most: int = 5) -> str:
    """Return the first few names in order, and how many more there are.

    >>> listed(["b", "a"]), listed("abcdefgh")
    ('a, b', 'a, b, c, d, e and 3 more')
    """
    every = sorted(names)
    rest = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + rest


@dataclass(frozen=True, eq=False)
class Pairs:
    """The content of a file: its documents and categories in order of appearance, and one entry per pair.

    `scores` is NaN and `decided` is -1 where the row has none; `lines` holds the line of each pair. `layout` is that of
    the table (long, wide, matrix), empty for other formats.
    """

    path: Path
    documents: tuple[str, ...]
    categories: tuple[str, ...]
    rows: Ints
    columns: Ints
    lines: Ints
    scores: Floats
    decided: Ints
    layout: str = ""

    @property
    def has_scores(self) -> bool:
        """Tell whether any pair has a score."""
        return not bool(np.isnan(self.scores).all()) if len(self.scores) else False

    @property
    def has_decisions(self) -> bool:
        """Tell whether the file decides: some pair has a decision, or none has a score."""
        return bool((self.decided != UNDECIDED).any()) or not self.has_scores

    def chosen(self) -> Bools:
        """Return which pairs are assigned: by their decision, or every pair of a file without decisions."""
        known = self.decided != UNDECIDED
        return self.decided == 1 if known.any() else np.ones(len(self.decided), bool)


class PairCollector:
    """Collects pairs row by row. Names become numbers at once, so that a row costs a few bytes and no objects.

    `complain` gets each row that cannot be read; by default the first one ends the reading. With `first`, a document
    or pair that occurs again is passed over.
    """

    def __init__(self, path: Path, complain: Complain = raise_problem, *, first: bool = False) -> None:
        self.path, self.complain, self.first = path, complain, first
        self.layout = ""
        self.documents: dict[str, int] = {}
        self.categories: dict[str, int] = {}
        self.rows, self.columns, self.lines = array("q"), array("q"), array("q")
        self.scores, self.decided = array("d"), array("b")

    def extend(self, parts: tuple[Sequence[Any], ...]) -> None:
        """Add many pairs: their rows, columns, lines, scores and decisions."""
        for own, more in zip((self.rows, self.columns, self.lines, self.scores, self.decided), parts, strict=True):
            own.extend(more)  # type: ignore[attr-defined]

    def document(self, name: str, line: int) -> int:
        """Return the number of a document; a new name gets the next number."""
        if not name:
            raise InvalidFile("the row names no document", path=self.path, line=line, remedy="give each row a document")
        return self.documents.setdefault(name, len(self.documents))

    def new_document(self, name: str, line: int) -> int:
        """Return the number of a document that may occur only once; AGAIN for a later row that is passed over."""
        before = len(self.documents)
        number = self.document(name, line)
        if number != before and self.first:
            return AGAIN
        if number != before:
            raise InvalidFile(f"document {name!r} occurs twice", path=self.path, line=line, remedy=_KEEP_ONE)
        return number

    def category(self, name: str) -> int:
        """Return the number of a category; a new name gets the next number."""
        return self.categories.setdefault(name, len(self.categories))

    def add(self, row: int, category: str, line: int, *, score: float = math.nan, decided: int = UNDECIDED) -> None:
        """Add one pair."""
        self.rows.append(row)
        self.columns.append(self.category(category))
        self.lines.append(line)
        self.scores.append(score)
        self.decided.append(decided)

    def pairs(self) -> Pairs:
        """Return the collected pairs; an error where there is no row, or where a pair occurs twice."""
        if not self.documents:
            raise InvalidFile("the file has no rows", path=self.path, remedy="give at least one document")
        scores, decided = self._settled()
        pairs = Pairs(
            self.path,
            tuple(self.documents),
            tuple(self.categories),
            np.array(self.rows, np.int64),
            np.array(self.columns, np.int64),
            np.array(self.lines, np.int64),
            scores,
            decided,
            self.layout,
        )
        return self._without_duplicates(pairs)

    def _without_duplicates(self, pairs: Pairs) -> Pairs:
        twice = _duplicates(pairs)
        if not len(twice):
            return pairs
        if not self.first:
            self.complain(_twice(pairs, twice))
        kept = np.ones(len(pairs.rows), bool)
        kept[twice] = False
        parts = {name: getattr(pairs, name)[kept] for name in ("rows", "columns", "lines", "scores", "decided")}
        return replace(pairs, **parts)

    def _settled(self) -> tuple[Floats, Ints]:
        """Return scores and decisions: bare numbers are decisions where the whole file has only 0 and 1."""
        scores, decided = np.array(self.scores, np.float64), np.array(self.decided, np.int64)
        bare = decided == BARE
        if np.isin(scores[bare], (0.0, 1.0)).all():
            decided[bare], scores[bare] = scores[bare], np.nan
        return scores, np.maximum(decided, UNDECIDED)


def _duplicates(pairs: Pairs) -> Ints:
    """Return the places of the pairs that occurred before."""
    key = pairs.rows * max(len(pairs.categories), 1) + pairs.columns
    order = np.argsort(key, kind="stable")
    return order[1:][key[order][1:] == key[order][:-1]]


def _twice(pairs: Pairs, twice: Ints) -> InvalidFile:
    second = twice[0]
    same = (pairs.rows == pairs.rows[second]) & (pairs.columns == pairs.columns[second])
    pair = f"document {pairs.documents[pairs.rows[second]]!r} has category {pairs.categories[pairs.columns[second]]!r}"
    return InvalidFile(
        f"{pair} twice, first on line {pairs.lines[np.argmax(same)]} ({len(twice)} such rows in all)",
        path=pairs.path,
        line=int(pairs.lines[second]),
        remedy="keep one row per pair, or count the first (--duplicates first)",
    )


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
