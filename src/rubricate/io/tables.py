"""Open a table, whatever file it is in: the one place that knows delimiters, quotes, JSON lines and Parquet.

Documents, predictions, samples and taxonomies are read through this module and `text_lines`, so that the same file
means the same to each of them.

| question  | rule                                                                                               |
|-----------|----------------------------------------------------------------------------------------------------|
| packed?   | by the first bytes (gzip); the name of the file does not matter                                    |
| encoding  | UTF-8 with or without a byte order mark, or the one given                                          |
| delimiter | the one of `,` `;` tab `|` in the header; of several, the one that splits the first rows as evenly |
| cells     | RFC 4180: quoted by `"`, a quote inside is doubled, line breaks are allowed; of any length         |
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain, groupby, islice
from threading import Lock
from typing import IO, Any, NoReturn, TypeAlias

from rubricate.errors import InvalidFile, InvalidInput, MissingExtra
from rubricate.io.text_files import Openable, lines_of, opened
from rubricate.io.workbook import workbook_rows

__all__ = [
    "DELIMITERS",
    "ZIP",
    "Complain",
    "InputTable",
    "NumberedRows",
    "OpenFile",
    "delimited_rows",
    "delimited_table",
    "json_objects",
    "open_file",
    "parquet_columns",
    "parquet_rows",
    "raise_problem",
    "rows_without_header",
    "tables",
    "workbook_table",
]

DELIMITERS = ",;\t|"
SAMPLE_LINES = 20
"""Lines below the header that are looked at where it holds several delimiters."""
LONG_ROW, ANY_LENGTH = 1 << 12, 2**31 - 1
"""Characters of a row from which on Python's limit of a cell is raised, and the limit then."""
PARQUET_ROWS = 2048
"""Rows of a Parquet file that are in memory at a time."""
PARQUET, ZIP = b"PAR1", b"PK\x03\x04"
BLANKS = " \t\n\r"
"""What JSON calls white space."""

Complain: TypeAlias = Callable[[InvalidFile], None]
"""Gets a row that cannot be read; if it returns, the row is left out."""
NumberedRows: TypeAlias = Iterable[tuple[int, Sequence[Any]]]
"""Rows of cells, each with the line that it starts on."""
ChooseColumns: TypeAlias = Callable[[Sequence[str]], list[tuple[str, str]]]

_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


@dataclass(frozen=True)
class InputTable:
    """Rows under one header, which is on `line`; `delimiter` is empty where nothing separates the cells."""

    names: list[str]
    rows: NumberedRows
    line: int = 1
    delimiter: str = ""


@dataclass(frozen=True)
class OpenFile:
    """A file that is open: its bytes, or if it is text its lines; `start` is the first that is not empty, stripped."""

    path: Openable
    stream: IO[bytes]
    kind: str
    start: str = ""
    lines: Iterator[str] = field(default_factory=lambda: iter(()))


def raise_problem(problem: InvalidFile) -> NoReturn:
    """Raise the problem: the `Complain` of readers that accept no broken row."""
    raise problem


@contextmanager
def open_file(path: Openable, encoding: str = "utf-8") -> Iterator[OpenFile]:
    """Open a file once, unpacked if gzipped, and say by its first bytes what it is: "parquet", "workbook" or "text"."""
    with opened(path) as stream:
        magic = stream.peek(len(ZIP))[: len(ZIP)]  # type: ignore[attr-defined]
        if magic in (PARQUET, ZIP):
            if not stream.seekable():
                problem = "a gzipped Parquet file or workbook"
                raise InvalidFile(problem, path=path, remedy="unpack it, these files are packed by themselves")
            yield OpenFile(path, stream, "parquet" if magic == PARQUET else "workbook")
            return
        lines = lines_of(stream, path, encoding)
        head = _through_first(lines)
        yield OpenFile(path, stream, "text", head[-1].strip() if head else "", chain(head, lines))


def _through_first(lines: Iterator[str]) -> list[str]:
    """Return the lines up to the first that is not empty, and that one."""
    head = []
    for line in lines:
        head.append(line)
        if line.strip():
            break
    return head


def tables(file: OpenFile, complain: Complain = raise_problem) -> Iterator[InputTable]:
    """Yield the tables of a file.

    CSV and a workbook are one table, JSON lines one for each run of objects with the same keys, Parquet one for each
    batch of rows, whose lines are their numbers. Rows that are no row of their table go to `complain`.
    """
    if file.kind == "parquet":
        first = 1
        for columns in parquet_columns(file.path, _all_columns, stream=file.stream):
            cells = list(columns.values())
            yield InputTable(list(columns), enumerate(zip(*cells, strict=True), first))
            first += len(cells[0]) if cells else 0
    elif file.kind == "workbook":
        yield workbook_table(file.stream, file.path)
    elif file.start.startswith("{"):
        objects = json_objects(file.lines, file.path, complain)
        for keys, entries in groupby(objects, key=lambda entry: tuple(entry[1])):
            line, entry = next(entries)
            rows = ((number, list(each.values())) for number, each in chain([(line, entry)], entries))
            yield InputTable(list(keys), rows, line)
    else:
        yield delimited_table(file.lines, file.path, complain=complain)


def _all_columns(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, name) for name in names]


def delimited_table(
    lines: Iterator[str], path: Openable, *, delimiter: str | None = None, complain: Complain = raise_problem
) -> InputTable:
    """Return the table of delimited text; its first row that is not empty names the columns. Memory: one row."""
    head = _through_first(lines)
    delimiter = _checked_delimiter(delimiter) if delimiter else _delimiter(head, lines)
    rows = delimited_rows(chain(head, lines), path, delimiter)
    line, header = next(rows, (1, []))
    if not header:
        remedy = "give a header that names the columns, and one row per document"
        raise InvalidFile("empty file", path=path, line=1, remedy=remedy)
    names = [name.strip() for name in header]
    return InputTable(names, _even_rows(rows, path, names, delimiter=delimiter, complain=complain), line, delimiter)


def rows_without_header(lines: Iterator[str], path: Openable) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of delimited text, of any width, each with its line; the first row shows the delimiter."""
    head = _through_first(lines)
    delimiter = _delimiter(head, lines) if head else DELIMITERS[0]
    yield from delimited_rows(chain(head, lines), path, delimiter)


def _checked_delimiter(delimiter: str) -> str:
    if len(delimiter) != 1 or delimiter in '\r\n"':
        raise InvalidInput(f"delimiter={delimiter!r}: one sign stands between cells; give ',', ';', '|' or a tab")
    return delimiter


def _delimiter(head: list[str], lines: Iterator[str]) -> str:
    """Return the delimiter that the header shows.

    If it holds several, such as the comma in `document;"name, first";labels`, the first lines decide: that delimiter
    under which most rows have as many cells as the header, then the one that gives most cells. `head` grows by the
    lines that were looked at.
    """
    width = {sign: len(_cells(head[-1:], sign)[0]) for sign in DELIMITERS}
    shown = [sign for sign, cells in width.items() if cells > 1]
    if len(shown) < 2:
        return shown[0] if shown else DELIMITERS[0]
    head.extend(islice(lines, SAMPLE_LINES))
    even = {sign: sum(len(row) == width[sign] for row in _cells(head, sign)) for sign in shown}
    return max(shown, key=lambda sign: (even[sign], width[sign]))


def _cells(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the rows up to the first that breaks the rules of CSV, which is reported when the table is read."""
    rows: list[list[str]] = []
    with suppress(InvalidFile):
        rows.extend(row for _, row in delimited_rows(iter(lines), "", delimiter))
    return rows or [[]]


def delimited_rows(lines: Iterator[str], path: Openable | str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not empty, whatever its width, with the number of its first line."""
    limit = _CellLimit()
    reader = csv.reader(limit.watched(lines), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            limit.end_row()
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        remedy = 'double each " inside a quoted cell and close the quotes'
        if str(error).startswith("new-line character"):
            remedy = "end lines with a line feed, not with a carriage return alone"
        raise InvalidFile(f"not a CSV row ({error})", path=path, line=line, remedy=remedy) from None
    finally:
        limit.end_row()


class _CellLimit:
    """Lets the cells of CSV have any length.

    Python's limit of 131,072 characters per cell is one number for the whole process. It is raised only while a long
    row is parsed, under a lock; short rows, which are most, pay for neither.
    """

    lock = Lock()

    def __init__(self) -> None:
        self._size = 0
        self._before: int | None = None

    def watched(self, lines: Iterator[str]) -> Iterator[str]:
        """Yield the lines, and raise the limit when those of one row get long."""
        for line in lines:
            self._size += len(line)
            if self._size > LONG_ROW and self._before is None:
                self.lock.acquire()
                self._before = csv.field_size_limit(ANY_LENGTH)
            yield line

    def end_row(self) -> None:
        """Put the limit back."""
        self._size = 0
        if self._before is not None:
            csv.field_size_limit(self._before)
            self._before = None
            self.lock.release()


def _even_rows(
    rows: Iterator[tuple[int, list[str]]], path: Openable, names: list[str], *, delimiter: str, complain: Complain
) -> NumberedRows:
    """Yield the rows that have as many cells as the header."""
    width = len(names)
    for line, row in rows:
        if len(row) == width:
            yield line, row
        else:
            remedy = f"quote cells that hold {delimiter!r} or line breaks, fill in missing ones"
            problem = f"the row has {len(row)} cells, the header has {width}"
            complain(InvalidFile(problem, path=path, line=line, remedy=remedy))


def json_objects(
    lines: Iterator[str], path: Openable, complain: Complain = raise_problem
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the object on each line that is not empty, with the number of the line. Memory: one line."""
    for line, text in enumerate(lines, 1):
        if text.isspace():
            continue
        try:
            # What json.loads does, without its three calls in Python for each line.
            entry, end = _scan(text, 0)
            if isinstance(entry, dict) and (end == len(text) or not text[end:].strip(BLANKS)):
                yield line, entry
                continue
        except (StopIteration, ValueError, RecursionError):
            pass  # blanks before the object, or nothing that json.loads can read either
        try:
            yield line, _object(text, path, line)
        except InvalidFile as problem:
            complain(problem)


def _object(text: str, path: Openable, line: int) -> dict[str, Any]:
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError) as error:
        remedy = "correct or remove this line"
        if line == 1 and text.lstrip().startswith("["):
            remedy = "write one object per line, not one list; for an export give --format labelstudio or argilla"
        raise InvalidFile(f"broken JSON ({error})", path=path, line=line, remedy=remedy) from None
    if not isinstance(entry, dict):
        problem, remedy = f"expected an object, got {type(entry).__name__}", "write one object per line, not one list"
        raise InvalidFile(problem, path=path, line=line, remedy=remedy)
    return entry


def workbook_table(source: Any, path: Openable) -> InputTable:
    """Return the first sheet of an Excel workbook, whose first row names the columns; `source` is its path or bytes."""
    rows = workbook_rows(source, path)
    line, header = next(rows, (1, []))
    if not header:
        remedy = "put a row with the names of the columns first"
        raise InvalidFile("an empty sheet", path=path, line=1, remedy=remedy)
    names = [name.strip() for name in header]
    return InputTable(names, ((number, (row + [""] * len(names))[: len(names)]) for number, row in rows), line)


def parquet_rows(path: Openable, choose: ChooseColumns) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row of a Parquet file with its number, which errors give as the line. Memory: one batch of rows."""
    row = 0
    for columns in parquet_columns(path, choose):
        for position in range(len(next(iter(columns.values())))):
            row += 1
            yield row, {role: values[position] for role, values in columns.items()}


def parquet_columns(
    path: Openable, choose: ChooseColumns, *, batch: int = PARQUET_ROWS, stream: IO[bytes] | None = None
) -> Iterator[dict[str, list[Any]]]:
    """Yield some rows of a Parquet file at a time as columns. Needs the extra `frames` (pyarrow).

    `choose` gets the names of the columns and returns pairs of those to read: the key that a column has in the result,
    and its name. `stream` is the file if it is open.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("frames", "Parquet files") from error
    try:
        with pyarrow.parquet.ParquetFile(path if stream is None else stream) as content:
            pairs = choose(content.schema_arrow.names)
            names = [name for _, name in pairs]
            for rows in content.iter_batches(batch_size=batch, columns=names, use_threads=False):
                yield {key: rows.column(name).to_pylist() for key, name in pairs}
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidFile(f"not a Parquet file ({reason})", path=path, remedy="make or fetch it again") from error
