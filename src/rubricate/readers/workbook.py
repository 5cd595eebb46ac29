"""Rows of the first sheet of an .xlsx workbook (ECMA-376), without a library.

A workbook is a zip archive of XML files. What may be read is limited: the names and sizes of the parts, no document
types (so no entities), and formulas are read as the values that were saved with them.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from xml.parsers import expat

from rubricate.errors import InvalidFile
from rubricate.readers.unpacking import MOST_TIMES, RATIO_FROM

__all__ = ["workbook_rows"]

_BLOCK = 1 << 18
_WIDEST = 16_384
"""Columns of a sheet, by the standard."""


def workbook_rows(source: Any, path: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each row that is not empty. Memory: the strings of the workbook."""
    try:
        with zipfile.ZipFile(source) as archive:
            strings = _shared_strings(archive)
            yield from _sheet_rows(archive, _first_sheet(archive), strings)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        KeyError,
        IndexError,
        ValueError,
        OSError,
        expat.ExpatError,
    ) as error:
        remedy = "save it again as .xlsx, or as CSV"
        raise InvalidFile(f"not a workbook ({error})", path=path, remedy=remedy) from error
    except (NotImplementedError, RuntimeError) as error:  # another compression, a password
        remedy = "save it as .xlsx without a password"
        raise InvalidFile(f"a workbook that cannot be read ({error})", path=path, remedy=remedy) from error


def _parse(archive: zipfile.ZipFile, name: str, handlers: Callable[[Any], None]) -> Iterator[None]:
    """Parse a part block by block; the caller takes what the handlers gathered after each block."""
    parser = expat.ParserCreate(namespace_separator=" ")
    handlers(parser)
    parser.StartDoctypeDeclHandler = _refuse
    info = archive.getinfo(name)
    left = max(RATIO_FROM, MOST_TIMES * info.compress_size)
    with archive.open(info) as stream:
        while block := stream.read(_BLOCK):
            left -= len(block)
            if left < 0:
                raise ValueError(f"{name} unpacks to {MOST_TIMES} times its size or more")
            parser.Parse(block, False)
            yield
        parser.Parse(b"", True)
    yield


def _on_start(parser: Any, handler: Callable[[str, dict[str, str]], None]) -> None:
    parser.StartElementHandler = handler


def _refuse(*_: Any) -> None:
    raise ValueError("a document type, which a workbook never has")


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _first_sheet(archive: zipfile.ZipFile) -> str:
    """Return the path of the first sheet: the workbook names its relation, the relations name its file."""
    identifiers: list[str] = []
    targets: dict[str, str] = {}

    def sheets(name: str, attributes: dict[str, str]) -> None:
        if _local(name) == "sheet":
            identifiers.extend(value for key, value in attributes.items() if _local(key) == "id" and " " in key)

    def relations(name: str, attributes: dict[str, str]) -> None:
        if _local(name) == "Relationship":
            targets[attributes["Id"]] = attributes["Target"]

    for part, handler in (("xl/workbook.xml", sheets), ("xl/_rels/workbook.xml.rels", relations)):
        for _ in _parse(archive, part, partial(_on_start, handler=handler)):
            pass
    target = targets[identifiers[0]]
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"


class _Texts:
    """Gathers the text of `<t>` inside each `<si>`; phonetic hints (`<rPh>`) are left out."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        self._parts: list[str] = []
        self._in_text, self._hints = False, 0

    def attach(self, parser: Any) -> None:
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._data

    def _start(self, name: str, _: dict[str, str]) -> None:
        kind = _local(name)
        self._hints += kind == "rPh"
        self._in_text = kind == "t" and not self._hints
        if kind == "si":
            self._parts = []

    def _end(self, name: str) -> None:
        kind = _local(name)
        self._hints -= kind == "rPh"
        self._in_text = False
        if kind == "si":
            self.strings.append(_unescaped("".join(self._parts)))

    def _data(self, text: str) -> None:
        if self._in_text:
            self._parts.append(text)


def _shared_strings(archive: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    texts = _Texts()
    for _ in _parse(archive, "xl/sharedStrings.xml", texts.attach):
        pass
    return texts.strings


class _Cells:
    """Gathers the cells of each row."""

    def __init__(self, strings: list[str]) -> None:
        self.rows: list[tuple[int, list[str]]] = []
        self._strings = strings
        self._row: dict[int, str] = {}
        self._number, self._column, self._kind = 0, -1, "n"
        self._parts: list[str] = []
        self._in_value = False

    def attach(self, parser: Any) -> None:
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._data

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        kind = _local(name)
        if kind == "row":
            self._number = int(attributes.get("r", self._number + 1))
            self._row, self._column = {}, -1
        elif kind == "c":
            place = attributes.get("r", "")
            self._column = _column(place) if place else self._column + 1
            self._kind, self._parts = attributes.get("t", "n"), []
        self._in_value = kind in ("v", "t")

    def _data(self, text: str) -> None:
        if self._in_value:
            self._parts.append(text)

    def _end(self, name: str) -> None:
        kind = _local(name)
        self._in_value = False
        if kind == "c" and self._parts:
            self._row[self._column] = self._value("".join(self._parts))
        elif kind == "row" and any(self._row.values()):
            width = max(self._row) + 1
            self.rows.append((self._number, [self._row.get(column, "") for column in range(width)]))

    def _value(self, text: str) -> str:
        if self._kind == "s":
            return self._strings[int(text)]
        if self._kind == "n":
            number = float(text)
            return str(int(number)) if number.is_integer() and abs(number) < 2**53 else text
        if self._kind == "b":
            return "TRUE" if text.strip() == "1" else "FALSE"
        return _unescaped(text)


def _unescaped(text: str) -> str:
    """Return a text without the form `_x000D_` in which workbooks write signs that XML cannot hold."""
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _column(place: str) -> int:
    """Return the column of a place.

    >>> _column("A1"), _column("AB12")
    (0, 27)
    """
    letters = re.match(r"[A-Z]{1,3}", place)
    if letters is None:
        raise ValueError(f"no column in {place[:20]!r}")
    column = 0
    for letter in letters[0]:
        column = 26 * column + ord(letter) - 64
    if column > _WIDEST:
        raise ValueError(f"column {letters[0]} is beyond a sheet's {_WIDEST:,}")
    return column - 1


def _sheet_rows(archive: zipfile.ZipFile, name: str, strings: list[str]) -> Iterator[tuple[int, list[str]]]:
    cells = _Cells(strings)
    for _ in _parse(archive, name, cells.attach):
        yield from cells.rows
        cells.rows.clear()
