"""What can go wrong, on one screen.

RubricateError
├── UnknownName          a plug-in, split, column or option that does not exist; the nearest ones are named
├── InvalidInput         values, shapes or options that cannot be used (also a ValueError)
│   └── InvalidFile      a file that cannot be read: which file, which line, what to do
│       ├── InvalidRules     a rule file: line, column, and the line with a caret
│       ├── UnsafeArchive    an archive whose members would escape or flood the folder
│       └── DigestMismatch   a file that is not the one expected
├── CorpusMissing        a corpus that is not on this machine, and how to get it (also a FileNotFoundError)
└── MissingExtra         an optional dependency is not installed, and the command that installs it (also an ImportError)

Every message says what was expected, what came, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

__all__ = [
    "CorpusMissing",
    "DigestMismatch",
    "InvalidFile",
    "InvalidInput",
    "InvalidRules",
    "MissingExtra",
    "RubricateError",
    "UnknownName",
    "UnsafeArchive",
]


SHOWN = 100
"""Characters of a wrong line that are shown."""


class RubricateError(Exception):
    """The root: catch this to catch everything Rubricate raises on purpose."""

    exit_code = 1


class UnknownName(RubricateError, LookupError):
    """A name that is not known; says which one is nearest, upper and lower case taken for the same.

    >>> raise UnknownName("classifier", "rochio", ["knn", "rocchio", "svm"])
    Traceback (most recent call last):
    rubricate.errors.UnknownName: no classifier named 'rochio'. Did you mean 'rocchio'? Known: knn, rocchio, svm.
    """

    exit_code = 2

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        folded = {one.casefold(): one for one in reversed(self.known)}
        nearest = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
        hint = f" Did you mean {folded[nearest[0]]!r}?" if nearest else ""
        shown = ", ".join(self.known[:40]) + (", …" if len(self.known) > 40 else "")
        super().__init__(f"no {kind} named {name!r}.{hint} Known: {shown or 'none'}.")


class InvalidInput(RubricateError, ValueError):
    """Values, shapes or options that cannot be used."""

    exit_code = 2


class InvalidFile(InvalidInput):
    """A file that cannot be read as what it should be.

    >>> raise InvalidFile("row has 2 cells, the header has 3", path="news.csv", line=7, remedy="quote the cell")
    Traceback (most recent call last):
    rubricate.errors.InvalidFile: news.csv, line 7: row has 2 cells, the header has 3. To mend it: quote the cell.
    """

    def __init__(self, problem: str, *, path: str | Path, line: int | None = None, remedy: str | None = None) -> None:
        self.path, self.line, self.problem, self.remedy = Path(path), line, problem, remedy
        where = f"{path}, line {line}" if line is not None else f"{path}"
        mend = f" To mend it: {remedy}." if remedy else ""
        super().__init__(f"{where}: {problem}.{mend}")


class InvalidRules(InvalidFile):
    """A rule file that cannot be read: file, line, column, what was expected and what came, the line with a caret.

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
        """The sentence, and below it the line with a caret."""
        return f"{self.args[0]}\n{self._excerpt}"


def _excerpt(text: str, start: int, offset: int) -> str:
    """The line about the offset; of a long one the part about it."""
    end = text.find("\n", offset)
    begin = max(start, offset - SHOWN // 2)
    shown = text[begin : min(end if end >= 0 else len(text), begin + SHOWN)]
    visible = "".join(sign if sign.isprintable() else " " for sign in shown)
    return f"  {visible}\n  {' ' * (offset - begin)}^"


class UnsafeArchive(InvalidFile):
    """An archive whose members would escape the folder, are links or devices, or unpack to far more than expected."""


class DigestMismatch(InvalidFile):
    """A file whose sha256 is not the one on record."""


class CorpusMissing(RubricateError, FileNotFoundError):
    """A corpus that is not on this machine; the message says how to get it."""

    exit_code = 3


class MissingExtra(RubricateError, ImportError):
    """An optional dependency is missing.

    >>> raise MissingExtra("frames", "Parquet files")
    Traceback (most recent call last):
    rubricate.errors.MissingExtra: Parquet files need the extra 'frames': pip install "rubricate[frames]"
    """

    exit_code = 4

    def __init__(self, extra: str, what: str) -> None:
        self.extra = extra
        super().__init__(f'{what} need the extra {extra!r}: pip install "rubricate[{extra}]"')
