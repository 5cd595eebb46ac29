"""MEDLINE records in the SMART form of OHSUMED, and the MeSH tree.

A record is a run of fields, each a line with its mark and a line with its content:
`.I` number, `.U` MEDLINE identifier, `.S` source, `.M` MeSH headings, `.T` title, `.P` publication type, `.W` abstract,
`.A` authors; `.I` has its number on its own line. Headings are separated by `;`, the last one ends in a full stop;
`Ventricular Fibrillation/*TH` is the main heading Ventricular Fibrillation with a qualifier.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from rubricate.corpora.archives import members
from rubricate.corpora.raw_text import utf8_or_latin1
from rubricate.corpora.sources import DataFile, Expected, corpus
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.io.assembly import assemble
from rubricate.io.reader import Record
from rubricate.types import Corpus

__all__ = ["Reference", "main_headings", "mesh_trees", "ohsumed", "references"]

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


_SINGLE, _FOLDERS = "ohsumed_single_23.tar.gz", "ohsumed-first-20000-docs.tar.gz"
_MEDLINE, _MESH = "ohsumed.tar.gz", "mtrees.bin"
_YEARS = re.compile(r"ohsumed\.(8[7-9]|9[01])(-(8[7-9]|9[01]))?$")
_PARTS: dict[str, Literal["train", "test"]] = {"training": "train", "train": "train", "test": "test"}
_FIELDS = {"S": "source", "P": "publication_type", "A": "authors"}


def _kept(records: list[Record], top: int) -> Iterator[Record]:
    frequency = Counter(label for record in records for label in set(record.labels))
    kept = set(sorted(frequency, key=lambda label: (-frequency[label], label))[:top])
    return (replace(r, labels=tuple(label for label in r.labels if label in kept)) for r in records)


def _folders(archive: Path) -> Iterator[Record]:
    """Yield the documents of `training/C01/NUMBER` and `test/…`; one in several folders has several labels."""
    documents: dict[tuple[str, str], Record] = {}
    for member in members(archive, lambda name: len(_place(name)) == 3):
        part, label, number = _place(member.name)
        known = documents.get((part, number))
        if known is None:
            title, _, text = utf8_or_latin1(member.read()).partition("\n")
            known = Record(number, text.strip(), (), title=title.strip(), split=_PARTS[part])
        documents[part, number] = replace(known, labels=(*known.labels, label))
    yield from (documents[key] for key in sorted(documents))


def _place(name: str) -> list[str]:
    parts = name.split("/")[-3:]
    return parts if len(parts) == 3 and parts[0] in _PARTS and re.fullmatch(r"C\d\d", parts[1]) else []


def _references(path: Path) -> Iterator[Reference]:
    """Yield the references with an abstract, in the order of the archive; a folder is read by year."""
    member = None
    for member in members(path, lambda name: bool(_YEARS.search(name))):
        yield from (reference for reference in references(member.lines(), member.path) if "W" in reference.fields)
    if member is None:
        raise InvalidFile("no ohsumed.87 … ohsumed.91 in it", path=path, remedy="fetch t9.filtering.tar.gz of TREC-9")


def _record(reference: Reference, labels: tuple[str, ...], split: Literal["train", "test"]) -> Record:
    fields = {name: reference.fields.get(mark, "") for mark, name in _FIELDS.items()} | {"number": reference.number}
    return Record(
        id=reference.fields["U"],
        text=reference.fields["W"],
        labels=labels,
        title=reference.fields.get("T", ""),
        split=split,
        line=reference.line,
        fields=fields,
    )


def _full(files: Mapping[str, Path]) -> Iterator[Record]:
    for reference in _references(files[_MEDLINE]):
        yield _record(
            reference, main_headings(reference.fields.get("M", "")), "test" if reference.year == 1991 else "train"
        )


def _first20000(files: Mapping[str, Path]) -> Iterator[Record]:
    trees = next(mesh_trees(member.lines(), member.path) for member in members(files[_MESH]))
    of_1991 = (reference for reference in _references(files[_MEDLINE]) if reference.year == 1991)
    for position, reference in enumerate(islice(of_1991, 20_000)):
        headings = main_headings(reference.fields.get("M", ""))
        tops = {place for heading in headings for place in trees.get(heading, ()) if place.startswith("C")}
        yield _record(reference, tuple(sorted(tops)), "train" if position < 10_000 else "test")


_READERS: dict[str, Callable[[Mapping[str, Path]], Iterator[Record]]] = {
    "single23": lambda files: _folders(files[_SINGLE]),
    "full": _full,
    "first20000": _first20000,
    "diseases23": lambda files: _folders(files[_FOLDERS]),
}

_UNVERIFIED = "the archive was not at hand when the record was made"


@corpus(
    "ohsumed",
    title="OHSUMED, references of MEDLINE with MeSH headings (1987–1991)",
    licence="Made available by the National Library of Medicine for experiments: not to be used in any clinical, "
    "library or other setting, and people who see it must be told that it is incomplete and out of date.",
    splits=("single23", "full", "first20000", "diseases23"),
    files=(
        DataFile(
            _SINGLE,
            sha256="80b894069c2ec12eeb3d39c4b3ee3cd4658049ab4a70eb27693c4d514d331a76",
            splits=("single23",),
        ),
        DataFile(
            _MEDLINE,
            addresses=("https://trec.nist.gov/data/filtering/t9.filtering.tar.gz",),
            splits=("full", "first20000"),
            unverified=_UNVERIFIED,
        ),
        DataFile(
            _MESH,
            addresses=("https://nlmpubs.nlm.nih.gov/projects/mesh/MESH_FILES/meshtrees/mtrees2024.bin",),
            splits=("first20000",),
            unverified=_UNVERIFIED,
        ),
        DataFile(
            _FOLDERS,
            addresses=("https://disi.unitn.it/moschitti/corpora/ohsumed-first-20000-docs.tar.gz",),
            splits=("diseases23",),
            unverified=_UNVERIFIED,
        ),
    ),
    counts={
        "single23": Expected(3357, 4043, 23),
        "full": Expected(183229, 50216, 14321, {"train": 183229, "test": 50216, "categories": 14321}, "yang1999"),
    },
)
def ohsumed(files: Mapping[str, Path], split: str, *, top: int | None = None) -> Corpus:
    """Read the corpus; `top` keeps that many of the most frequent categories (ties by name) and all documents."""
    if top is not None and top < 1:
        raise InvalidInput(f"top={top!r}: give the number of categories to keep, at least 1")
    name = {"single23": _SINGLE, "diseases23": _FOLDERS}.get(split, _MEDLINE)
    records = _READERS[split](files)
    return assemble(
        records if top is None else _kept(list(records), top),
        name="ohsumed",
        split=split if top is None else f"{split}-top-{top}",
        path=files[name],
        licence=ohsumed.licence,
    )
