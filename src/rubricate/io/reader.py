"""What a format of documents is, how its files are read, and the record that each document becomes."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Literal, NoReturn

from rubricate import registry
from rubricate.errors import InvalidFile
from rubricate.io.reading import Reading
from rubricate.io.text_files import StandardInput, text_lines
from rubricate.types import Documents

__all__ = ["ALTERNATIVES", "SPLITS", "InputFile", "Reader", "Record", "Roles", "reader"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Record:
    """A document as it was read. `split` is None where the file does not say; `line` is where it starts."""

    id: str
    text: str
    labels: tuple[str, ...] = ()
    title: str | None = None
    split: Literal["train", "test"] | None = None
    line: int | None = None
    fields: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)


ALTERNATIVES = {
    "text": ("body", "content"),
    "labels": ("label", "categories", "category", "topics", "class"),
    "id": (),
    "split": (),
}
"""Other names that are tried, in this order, for a column that the user did not name."""

SPLITS: dict[str, Literal["train", "test"]] = {
    "train": "train",
    "training": "train",
    "dev": "train",
    "val": "train",
    "valid": "train",
    "validation": "train",
    "test": "test",
    "testing": "test",
}
"""Values of a split column, or names of split folders, in any case; validation documents are training documents."""

_MOST_REMEMBERED = 100_000


@dataclass(frozen=True)
class Roles:
    """The name of the column in each role; None where there is none."""

    text: str | None
    labels: str | None
    id: str | None
    title: str | None
    split: str | None

    def pairs(self) -> list[tuple[str, str]]:
        """Return the roles that are filled and their columns."""
        return [(role, name) for role, name in vars(self).items() if name is not None]


@dataclass(frozen=True)
class InputFile:
    """A file of documents and how to read it.

    `prefix` is put before ids that the file does not give: row numbers, and paths in a folder. `needs_text` is false
    where vectors stand in for the text: the column may then be missing.
    """

    path: Path | StandardInput
    reading: Reading = field(default_factory=Reading)
    prefix: str = ""
    needs_text: bool = True
    _label_sets: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def lines(self) -> Iterator[str]:
        """Yield the lines of a text file; see `text_lines`."""
        return text_lines(self.path, self.reading.encoding)

    def roles(self, names: Sequence[str], line: int = 1) -> Roles:
        """Choose the column in each role among those of the file."""
        chosen = {role: self._column(role, names, line) for role in ("labels", "id", "title", "split")}
        return Roles(text=self._column("text", names, line), **chosen)

    def _column(self, role: str, names: Sequence[str], line: int) -> str | None:
        asked: str | None = getattr(self.reading, role)
        if asked is None or (not asked and role != "text"):
            return None
        others = ALTERNATIVES.get(role, ()) if asked == role else ()
        column = next((name for name in (asked, *others) if name in names), None)
        optional = role in ("id", "split") or (role == "text" and not self.needs_text)
        if column is None and not (optional and asked == role):
            raise self._missing(role, names, line)
        return column

    def _missing(self, role: str, names: Sequence[str], line: int) -> InvalidFile:
        asked = getattr(self.reading, role)
        known = {name.lower(): name for name in names}
        near = [known[name] for name in difflib.get_close_matches(asked.lower(), known, n=1, cutoff=0.5)]
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        without = ", or labels=None to read documents without labels" if role == "labels" else ""
        return InvalidFile(
            f"no column {asked!r} among {', '.join(names[:20]) or 'none'}{hint}",
            path=self.path,
            line=line,
            remedy=f"name the column, such as {role}={near[0] if near else 'NAME'!r} or --{role} NAME{without}",
        )

    def record(self, number: int, line: int, cells: Mapping[str, Any]) -> Record:
        """Make the record of a row from its cells by role; `number` is its id where the file has none."""
        return Record(
            id=self._id(cells["id"], line) if "id" in cells else f"{self.prefix}{number}",
            text=self._text(cells.get("text"), line),
            labels=self._labels(cells.get("labels"), line),
            title=self._text(cells["title"], line) if "title" in cells else None,
            split=self._split(cells["split"], line) if "split" in cells else None,
            line=line,
        )

    def _text(self, value: Any, line: int) -> str:
        """Return a text; None is an empty text."""
        if value is None:
            return ""
        if not isinstance(value, str):
            self.fail(f"expected text, got {type(value).__name__}", line, "write the text as a string")
        return _encodable(value)

    def _id(self, value: Any, line: int) -> str:
        """Return an id: a name or a number, not empty."""
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
            self.fail(f"an id must be a name or a number, not {value!r}", line, "give each document its own id")
        return _encodable(str(value))

    def _split(self, value: Any, line: int) -> Literal["train", "test"]:
        """Return the split by any of the names in `SPLITS`."""
        split = SPLITS.get(value.strip().lower()) if isinstance(value, str) else None
        if split is None:
            remedy = f"write one of {', '.join(SPLITS)}, or do not read the column: split=''"
            self.fail(f"the split is {value!r}", line, remedy)
        return split

    def _labels(self, value: Any, line: int) -> tuple[str, ...]:
        """Return the labels of a cell with separators, of a list, or of a number; nothing in it means no label."""
        if value is None:
            return ()
        if isinstance(value, str):
            if value not in self._label_sets:
                self._remember(value, self._clean(value.split(self.reading.separator), line) if value.strip() else ())
            return self._label_sets[value]
        if isinstance(value, (list, tuple)):
            return self._clean((self._name(item, line) for item in value), line)
        return (self._name(value, line),)

    def _remember(self, cell: str, labels: tuple[str, ...]) -> None:
        """Share one tuple among equal cells; start again when there are too many, so that memory stays bounded."""
        if len(self._label_sets) >= _MOST_REMEMBERED:
            self._label_sets.clear()
        self._label_sets[cell] = labels

    def _clean(self, names: Iterable[str], line: int) -> tuple[str, ...]:
        labels = tuple(dict.fromkeys(_encodable(name.strip()) for name in names))
        if "" in labels:
            self.fail("a label that is an empty string", line, "name it, or leave it and its separator out")
        return labels

    def _name(self, value: Any, line: int) -> str:
        if not isinstance(value, (str, int, float)) or value != value:
            self.fail(f"a label must be a name or a number, not {value!r:.40}", line, 'write ["a", "b"]')
        return str(value)

    def fail(self, problem: str, line: int | None, remedy: str) -> NoReturn:
        """Raise InvalidFile for this file."""
        raise InvalidFile(problem, path=self.path, line=line, remedy=remedy)


def _encodable(text: str) -> str:
    """Replace each half of a surrogate pair, which JSON can hold but no file can, by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


@dataclass(frozen=True)
class Reader:
    """A format of documents, a plug-in of the kind `readers`; the decorator `reader` makes it of a function.

    Parameters
    ----------
    records
        Yields the records of a file, one at a time.
    suffixes
        Endings of file names that mean this format, in lower case and with the dot; a `.gz` behind them is ignored.
    sniff
        Says whether bytes that start like this (without byte order mark and white space) are of this format.
        Used for standard input, which has no name.
    streams
        Whether the format can be read in one pass, as standard input must be.
    folder
        Says whether a folder is of this format; one that no format claims is a folder per category.
    write
        Writes records to a stream of bytes such that `records` gives them back; None where a format is only read.
        What the format cannot hold is InvalidInput, not a loss.
    batches
        Yields the same documents without labels and by column (`io.batches`); None where records, some
        at a time, are good enough.
    has_vectors
        Whether documents are vectors, in the field `vectors`, and have no text.
    """

    records: Callable[[InputFile], Iterator[Record]]
    suffixes: tuple[str, ...] = ()
    sniff: Callable[[bytes], bool] = lambda start: False
    streams: bool = True
    folder: Callable[[Path], bool] = lambda path: False
    write: Callable[[Iterable[Record], IO[bytes]], None] | None = None
    batches: Callable[[InputFile, int, int], Iterator[Documents]] | None = None
    has_vectors: bool = False


def reader(
    name: str,
    *,
    suffixes: tuple[str, ...] = (),
    sniff: Callable[[bytes], bool] = lambda start: False,
    streams: bool = True,
    folder: Callable[[Path], bool] = lambda path: False,
    write: Callable[[Iterable[Record], IO[bytes]], None] | None = None,
    batches: Callable[[InputFile, int, int], Iterator[Documents]] | None = None,
    has_vectors: bool = False,
) -> Callable[[Callable[[InputFile], Iterator[Record]]], Reader]:
    """Register a format of documents under a name; the function yields the records of a file. See `Reader`."""

    def mark(records: Callable[[InputFile], Iterator[Record]]) -> Reader:
        made = Reader(records, suffixes, sniff, streams, folder, write, batches, has_vectors)
        return registry.register("readers", name, made, home=records.__module__)

    return mark
