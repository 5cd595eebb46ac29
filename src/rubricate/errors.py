"""The tree of errors, on one screen.

RubricateError
├── UnknownName          a plug-in, split, column or option that does not exist; names the nearest one
├── InvalidInput         values, shapes or options that cannot be used (also a ValueError)
│   └── InvalidFile      a file that cannot be read: file, line and fix
│       ├── InvalidRules     a rule file with an error: line, column, and the line with a caret
│       ├── UnreadableFile   a file that the system cannot read now (memory, handles, disk); it may be sound
│       ├── UnsafeArchive    an archive whose members would escape or flood the folder
│       └── DigestMismatch   a file whose digest is not the expected one
├── CorpusMissing        a corpus that is not on this machine; says how to get it (also a FileNotFoundError)
├── EncoderMissing       an encoder that is not on this machine; says how to get it (also a FileNotFoundError)
├── MissingExtra         an optional dependency that is not installed; names the command (also an ImportError)
└── NativeLibraryError   the compiled library is missing, stale or damaged (also an ImportError)

Every message says what was expected, what was found instead, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

__all__ = [
    "CorpusMissing",
    "DigestMismatch",
    "EncoderMissing",
    "InvalidFile",
    "InvalidInput",
    "InvalidRules",
    "MissingExtra",
    "NativeLibraryError",
    "RubricateError",
    "UnknownName",
    "UnreadableFile",
    "UnsafeArchive",
]


SHOWN = 100
"""Most characters of a faulty line that are shown."""


class RubricateError(Exception):
    """Root of the tree: catch this to catch everything Rubricate raises on purpose."""

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes as message and attributes: the arguments of most constructors are not kept."""
        return _restored, (type(self), self.args, dict(vars(self)))


def _restored(kind: type[RubricateError], arguments: tuple[Any, ...], attributes: dict[str, Any]) -> RubricateError:
    error = kind.__new__(kind, *arguments)
    vars(error).update(attributes)
    return error


class UnknownName(RubricateError, LookupError):
    """A name that is not known; the message suggests the nearest known name, ignoring case.

    >>> raise UnknownName("classifier", "rochio", ["knn", "rocchio", "svm"])
    Traceback (most recent call last):
    rubricate.errors.UnknownName: no classifier named 'rochio'. Did you mean 'rocchio'? Known: knn, rocchio, svm.
    """

    exit_code = 2

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        folded = {known_name.casefold(): known_name for known_name in reversed(self.known)}
        nearest = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
        hint = f" Did you mean {folded[nearest[0]]!r}?" if nearest else ""
        shown = ", ".join(self.known[:40]) + (", …" if len(self.known) > 40 else "")
        super().__init__(f"no {kind} named {name!r}.{hint} Known: {shown or 'none'}.")


class InvalidInput(RubricateError, ValueError):
    """Values, shapes or options that cannot be used."""

    exit_code = 2


class InvalidFile(InvalidInput):
    """A file that cannot be read as the format it should have.

    >>> raise InvalidFile("row has 2 cells, the header has 3", path="news.csv", line=7, remedy="quote the cell")
    Traceback (most recent call last):
    rubricate.errors.InvalidFile: news.csv, line 7: row has 2 cells, the header has 3. Fix: quote the cell.
    """

    def __init__(
        self, problem: str, *, path: str | PathLike[str], line: int | None = None, remedy: str | None = None
    ) -> None:
        self.path, self.line, self.problem, self.remedy = Path(path), line, problem, remedy
        where = f"{path}, line {line}" if line is not None else f"{path}"
        fix = f" Fix: {remedy}." if remedy else ""
        super().__init__(f"{where}: {problem}.{fix}")


class InvalidRules(InvalidFile):
    """A rule file with an error: file, line, column, what was expected, and the line with a caret.

    >>> raise InvalidRules("expected a condition, got ')'", "earn if )", 8, path="news.rules")
    Traceback (most recent call last):
    rubricate.errors.InvalidRules: news.rules, line 1: column 9: expected a condition, got ')'.
      earn if )
              ^
    """

    def __init__(
        self, problem: str, text: str, offset: int, *, path: str | Path | None = None, remedy: str | None = None
    ) -> None:
        start = text.rfind("\n", 0, offset) + 1
        self.column = offset - start + 1
        line = text.count("\n", 0, offset) + 1
        super().__init__(f"column {self.column}: {problem}", path=path or "rules", line=line, remedy=remedy)
        self._excerpt = _excerpt(text, start, offset)

    def __str__(self) -> str:
        """Return the message, and below it the line with a caret."""
        return f"{self.args[0]}\n{self._excerpt}"


def _excerpt(text: str, start: int, offset: int) -> str:
    """Return the line at the offset, of a long line only the part around it."""
    end = text.find("\n", offset)
    begin = max(start, offset - SHOWN // 2)
    shown = text[begin : min(end if end >= 0 else len(text), begin + SHOWN)]
    visible = "".join(sign if sign.isprintable() else " " for sign in shown)
    return f"  {visible}\n  {' ' * (offset - begin)}^"


class UnreadableFile(InvalidFile):
    """A file that the system cannot read now: no memory, too many open files, a disk error. It may be sound."""


class UnsafeArchive(InvalidFile):
    """An archive whose members would leave the folder, are links or devices, or unpack to far more than expected."""


class DigestMismatch(InvalidFile):
    """A file whose sha256 is not the one on record."""


class CorpusMissing(RubricateError, FileNotFoundError):
    """A corpus that is not on this machine; the message says how to get it."""

    exit_code = 3


class EncoderMissing(RubricateError, FileNotFoundError):
    """An encoder of texts that is not on this machine; the message says how to get it."""

    exit_code = 3


class MissingExtra(RubricateError, ImportError):
    """An optional dependency that is not installed.

    >>> raise MissingExtra("frames", "Parquet files")
    Traceback (most recent call last):
    rubricate.errors.MissingExtra: Parquet files need the extra 'frames': pip install "rubricate[frames]"
    """

    exit_code = 4

    def __init__(self, extra: str, what: str) -> None:
        self.extra = extra
        super().__init__(f'{what} need the extra {extra!r}: pip install "rubricate[{extra}]"')


class NativeLibraryError(RubricateError, ImportError):
    """The compiled library is missing, older than its sources, or of another version."""
