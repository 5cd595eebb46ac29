"""Which column holds what, and how a cell becomes a text, a set of labels, an id or a split.

A column that is not named by the user may also go by a usual other name (`ALTERNATIVES`). Text and labels must be
there; an id and a split are taken when they are there, and must be when the user named them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn

from rubricate.errors import InvalidFile, InvalidInput
from rubricate.readers.record import Record

__all__ = ["ALTERNATIVES", "SPLITS", "Columns", "Roles"]

ALTERNATIVES = {
    "text": ("body", "content"),
    "labels": ("label", "categories", "category", "topics", "class"),
    "id": (),
    "split": (),
}
"""The other names by which a column is found when it is not named by the user, in this order."""

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
"""What a split column or folder may say, in any case; documents for validation are training documents."""


@dataclass(frozen=True)
class Roles:
    """The name of the column in each role; None where there is none."""

    text: str
    labels: str | None
    id: str | None
    title: str | None
    split: str | None

    def pairs(self) -> list[tuple[str, str]]:
        """The roles that are filled and their columns."""
        return [(role, name) for role, name in vars(self).items() if name is not None]


@dataclass(frozen=True)
class Columns:
    """The columns as the user named them, and the file that errors name.

    None, or an empty name where a command line has no None, means that there is no such column to be read. `prefix`
    stands before ids that the file does not give: row numbers, and paths in a folder.
    """

    path: Path
    text: str = "text"
    labels: str | None = "labels"
    id: str | None = "id"
    title: str | None = None
    split: str | None = "split"
    separator: str = ";"
    prefix: str = ""
    _tuples: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not self.separator:
            raise InvalidInput("separator='': labels need a sign between them; give ';' or another")
        for role in ("text", "labels", "id", "title", "split"):
            name = getattr(self, role)
            if not isinstance(name, str) and (name is not None or role == "text"):
                raise InvalidInput(f"{role}={name!r}: a column is named by a string; give its name as the file has it")

    def roles(self, names: Sequence[str], line: int = 1) -> Roles:
        """The column in each role among those of the file."""
        text = self._find("text", self.text, names, line)
        return Roles(
            text=text or "",
            labels=self._find("labels", self.labels, names, line),
            id=self._find("id", self.id, names, line, optional=self.id == "id"),
            title=self._find("title", self.title, names, line),
            split=self._find("split", self.split, names, line, optional=self.split == "split"),
        )

    def _find(
        self, role: str, asked: str | None, names: Sequence[str], line: int, *, optional: bool = False
    ) -> str | None:
        if asked is None or (not asked and role != "text"):
            return None
        others = ALTERNATIVES[role] if asked == role and role in ALTERNATIVES else ()
        found = next((name for name in (asked, *others) if name in names), None)
        if found is not None or optional:
            return found
        raise self._missing(role, asked, names, line)

    def _missing(self, role: str, asked: str, names: Sequence[str], line: int) -> InvalidFile:
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
        """The record of one row, its cells by role; `number` is its id where the file has none."""
        return Record(
            id=self.one_id(cells["id"], line) if "id" in cells else f"{self.prefix}{number}",
            text=self.one_text(cells["text"], line),
            labels=self.label_set(cells.get("labels"), line),
            title=self.one_text(cells["title"], line) if "title" in cells else None,
            split=self.one_split(cells["split"], line) if "split" in cells else None,
            line=line,
        )

    def one_text(self, value: Any, line: int) -> str:
        """A text; nothing at all is an empty text."""
        if value is None:
            return ""
        if not isinstance(value, str):
            self.fail(f"text expected, {type(value).__name__} found", line, "write the text as a string")
        return _encodable(value)

    def one_id(self, value: Any, line: int) -> str:
        """An id: a name or a number, not empty."""
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
            self.fail(f"an id must be a name or a number, not {value!r}", line, "give each document its own id")
        return _encodable(str(value))

    def one_split(self, value: Any, line: int) -> Literal["train", "test"]:
        """A split by any of the names in `SPLITS`."""
        found = SPLITS.get(value.strip().lower()) if isinstance(value, str) else None
        if found is None:
            self.fail(
                f"the split is {value!r}",
                line,
                f"write one of {', '.join(SPLITS)}, or leave the column alone by split=''",
            )
        return found

    def label_set(self, value: Any, line: int) -> tuple[str, ...]:
        """Labels from a cell with separators, a list, or a number; an empty cell or list and None are no label."""
        if value is None:
            return ()
        if isinstance(value, str):
            known = self._tuples.get(value)
            return known if known is not None else self._remember(value, self._split(value, line))
        if isinstance(value, (list, tuple)):
            return self._clean((self._name(item, line) for item in value), line)
        return (self._name(value, line),)

    def _split(self, cell: str, line: int) -> tuple[str, ...]:
        return self._clean(cell.split(self.separator), line) if cell.strip() else ()

    def _remember(self, cell: str, labels: tuple[str, ...]) -> tuple[str, ...]:
        if len(self._tuples) < 100_000:
            self._tuples[cell] = labels
        return labels

    def _clean(self, names: Iterable[str], line: int) -> tuple[str, ...]:
        found = tuple(dict.fromkeys(_encodable(name.strip()) for name in names))
        if "" in found:
            self.fail("a label that is an empty string", line, "name it, or leave it and its separator out")
        return found

    def _name(self, value: Any, line: int) -> str:
        if not isinstance(value, (str, int, float)) or value != value:
            self.fail(f"a label must be a name or a number, not {value!r:.40}", line, 'write ["a", "b"]')
        return str(value)

    def fail(self, problem: str, line: int | None, remedy: str) -> NoReturn:
        """Raise InvalidFile for this file."""
        raise InvalidFile(problem, path=self.path, line=line, remedy=remedy)


def _encodable(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair, which JSON can hold and no file can."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
