"""MEDLINE records in the SMART form of OHSUMED, and the MeSH tree.

A record is a run of fields, each a line with its mark and a line with its content:
`.I` number, `.U` MEDLINE identifier, `.S` source, `.M` MeSH headings, `.T` title, `.P` publication type, `.W` abstract,
`.A` authors; `.I` has its number on its own line. Headings are separated by `;`, the last one ends in a full stop;
`Ventricular Fibrillation/*TH` is the main heading Ventricular Fibrillation with a qualifier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rubricate.corpora.parsing.mixed_text import utf8_or_latin1
from rubricate.errors import InvalidFile

__all__ = ["Reference", "main_headings", "mesh_trees", "references"]

_MARKS = {".U", ".S", ".M", ".T", ".P", ".W", ".A"}
_REMEDY = "check that this is a MEDLINE file of OHSUMED, and fetch it again"


@dataclass(frozen=True, slots=True)
class Reference:
    """A record: its sequential number, its fields by letter, and the line where it starts."""

    number: str
    fields: Mapping[str, str]
    line: int

    @property
    def year(self) -> int:
        """Year of MEDLINE, from the first two digits of the identifier: 1987 to 1991."""
        return 1900 + int(self.fields["U"][:2])


def references(lines: Iterable[bytes], path: Path) -> Iterator[Reference]:
    """Yield the records of a file. Memory: one record."""
    number, start, mark = "", 0, ""
    fields: dict[str, str] = {}
    for line, raw in enumerate(lines, 1):
        text = utf8_or_latin1(raw).strip()
        if text.startswith(".I ") or text == ".I":
            if start:
                yield _reference(number, fields, path, line=start)
            number, start, fields, mark = text[2:].strip(), line, {}, ""
        elif not start and text:
            raise InvalidFile("a record must start with .I", path=path, line=line, remedy=_REMEDY)
        elif text in _MARKS:
            mark = text[1]
        elif text and mark:
            fields[mark] = f"{fields[mark]} {text}" if mark in fields else text
        elif text:
            raise InvalidFile(f"text under no mark: {text[:40]!r}", path=path, line=line, remedy=_REMEDY)
    if start:
        yield _reference(number, fields, path, line=start)


def _reference(number: str, fields: dict[str, str], path: Path, *, line: int) -> Reference:
    if not number.isdecimal() or not fields.get("U", "")[:2].isdecimal():
        raise InvalidFile("a record without its number (.I) or identifier (.U)", path=path, line=line, remedy=_REMEDY)
    return Reference(number, fields, line)


def main_headings(field: str) -> tuple[str, ...]:
    """Return the MeSH headings of a record without their qualifiers, each once.

    >>> main_headings("Emergencies; Human; Support, U.S. Gov't, P.H.S.; Ventricular Fibrillation/*TH.")
    ('Emergencies', 'Human', "Support, U.S. Gov't, P.H.S.", 'Ventricular Fibrillation')
    """
    headings = (entry.partition("/")[0].strip().lstrip("*") for entry in field.removesuffix(".").split(";"))
    return tuple(dict.fromkeys(heading for heading in headings if heading))


def mesh_trees(lines: Iterable[bytes], path: Path) -> dict[str, tuple[str, ...]]:
    """Read the top categories (`C14`) of each heading from a MeSH tree file with lines `heading;C14.280.067`."""
    trees: dict[str, tuple[str, ...]] = {}
    for line, raw in enumerate(lines, 1):
        heading, _, place = utf8_or_latin1(raw).strip().rpartition(";")
        if not heading and not place:
            continue
        if not heading or not place[:1].isalpha():
            raise InvalidFile("expected 'heading;tree number'", path=path, line=line, remedy="give NLM's mtrees file")
        top = place.partition(".")[0]
        if top not in trees.get(heading, ()):
            trees[heading] = (*trees.get(heading, ()), top)
    return trees
