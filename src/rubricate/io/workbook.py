"""Rows of the first sheet of an .xlsx workbook (ECMA-376). Needs the extra `frames` (python-calamine).

calamine reads the parts of a workbook that were checked before: it gets an archive of our own, made of the XML parts
below `xl/`. Checked are the unpacked sizes, that no part has a document type (so no entities), and that the cells fit
into a block that is not mostly empty, because calamine makes all cells between the first and the last.

Cells are the text that a workbook stores: dates and times are its numbers, because the part that says which numbers
are dates is left out; errors are their names; formulas count by the values saved with them.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from rubricate.errors import InvalidFile, MissingExtra
from rubricate.io.text_files import MOST_TIMES, RATIO_FROM

__all__ = ["workbook_rows"]

BLOCK = 1 << 18
MAX_COLUMNS, MAX_ROWS = 16_384, 1_048_576
"""The sides of a sheet, by the standard."""
MAX_EMPTY_CELLS, MAX_EMPTY_SHARE = 1 << 24, 16
"""Cells that a sheet may span however few it has, and times its cells with content that it may span if that is more."""
NOT_A_WORKBOOK = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, OSError, expat.ExpatError)
_START = (
    b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" '
    b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    b'Target="xl/workbook.xml"/></Relationships>'
)
_ERROR_OR_DATE = re.compile(rb'(<(?:\w+:)?c\s[^<>]*?\bt\s*=\s*)(?:"[ed]"|\'[ed]\')')
_PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


def workbook_rows(source: Any, path: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each row that is not empty. Memory: the sheet."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise MissingExtra("frames", "Excel workbooks") from error
    try:
        with zipfile.ZipFile(source) as archive:
            checked = _checked(archive)
        with CalamineWorkbook.from_filelike(checked) as book:
            rows = book.get_sheet_by_index(0).to_python(skip_empty_area=False)
    except (*NOT_A_WORKBOOK, CalamineError) as error:
        remedy = "save it again as .xlsx, or as CSV"
        raise InvalidFile(f"not a workbook ({error})", path=path, remedy=remedy) from error
    except (NotImplementedError, RuntimeError) as error:  # another compression, a password
        remedy = "save it as .xlsx without a password"
        raise InvalidFile(f"a workbook that cannot be read ({error})", path=path, remedy=remedy) from error
    for number, row in enumerate(rows, 1):
        cells = list(map(_text, row))
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield number, cells


def _checked(archive: zipfile.ZipFile) -> io.BytesIO:
    """Return an archive of the parts that calamine may see."""
    checked = io.BytesIO()
    with zipfile.ZipFile(checked, "w") as copy:
        copy.writestr("_rels/.rels", _START)
        for name in dict.fromkeys(archive.namelist()):
            if name.startswith("xl/") and name.endswith((".xml", ".rels")) and name != "xl/styles.xml":
                content = _unpacked(archive, name)
                _check(content, name)
                copy.writestr(name, _ERROR_OR_DATE.sub(rb'\1"str"', content))
    checked.seek(0)
    return checked


def _unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    info = archive.getinfo(name)
    limit = max(RATIO_FROM, MOST_TIMES * info.compress_size)
    with archive.open(info) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"{name} unpacks to {MOST_TIMES} times its size or more")
    return content


def _check(content: bytes, name: str) -> None:
    extent = _Extent()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = _refuse
    parser.StartElementHandler = extent.start
    parser.Parse(content, True)
    if extent.span > max(MAX_EMPTY_CELLS, MAX_EMPTY_SHARE * extent.cells):
        raise ValueError(f"{name} has {extent.cells:,} cells far apart, in a block of {extent.span:,}")


def _refuse(*_: Any) -> None:
    raise ValueError("a document type, which a workbook never has")


class _Extent:
    """Counts the cells of a sheet that have content, and the block that holds all of them."""

    def __init__(self) -> None:
        self.cells = 0
        self._rows = self._columns = 0
        self._row = self._column = 0

    @property
    def span(self) -> int:
        return self._rows * self._columns

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Note an element."""
        kind = name.rpartition(" ")[2]
        if kind == "row":
            self._row, self._column = int(attributes.get("r", self._row + 1)), 0
        elif kind == "c":
            self._column += 1
            if "r" in attributes:
                self._column, self._row = _place(attributes["r"])
        elif kind in ("v", "t"):
            self.cells += 1
            self._rows, self._columns = max(self._rows, self._row), max(self._columns, self._column)
            if self._rows > MAX_ROWS or self._columns > MAX_COLUMNS:
                raise ValueError(f"a cell beyond a sheet's {MAX_ROWS:,} rows and {MAX_COLUMNS:,} columns")


def _place(place: str) -> tuple[int, int]:
    """Return the column and row of a cell, from 1.

    >>> _place("A1"), _place("AB12")
    ((1, 1), (28, 12))
    """
    match = _PLACE.fullmatch(place)
    if match is None:
        raise ValueError(f"no cell {place[:20]!r}")
    column = 0
    for letter in match[1]:
        column = 26 * column + ord(letter) - 64
    return column, int(match[2])


def _text(value: Any) -> str:
    """Return a cell as text.

    >>> [_text(value) for value in ("wheat", 17.0, 2.5, True, "")]
    ['wheat', '17', '2.5', 'TRUE', '']
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return str(value)
