"""OHSUMED: 348,566 references of MEDLINE, 1987 to 1991, indexed by hand with MeSH (hersh1994).

| split        | documents                                                       | categories                     |
|--------------|-----------------------------------------------------------------|--------------------------------|
| `single23`   | the archive of 7,400 references with one of 23 disease classes  | C01 … C23                      |
| `full`       | all references with an abstract; 1987–90 train, 1991 test       | MeSH main headings             |
| `first20000` | the first 20,000 of 1991 with an abstract, 10,000 + 10,000      | MeSH disease categories        |
| `diseases23` | the same documents as a folder per category (Moschitti's form)  | C01 … C23                      |

yang1999 counts 233,445 documents (183,229 for training) and 14,321 headings in `full`, joachims2000 50,216 documents
of 1991. A disease category holds a document that is indexed with at least one heading below it; which headings those
are comes from NLM's MeSH tree file, and this year's tree is not that of 1991, so that counts will differ a little.
`top=5` keeps the five most frequent disease categories, as joachims2000 does, and all documents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Literal

from rubricate.corpora.archives.archive import members
from rubricate.corpora.catalogue.source import DataFile, Expected, Source
from rubricate.corpora.parsing.medline import Reference, main_headings, mesh_trees, references
from rubricate.corpora.parsing.mixed_text import utf8_or_latin1
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.readers.assembly import assemble
from rubricate.readers.record import Record
from rubricate.types import Corpus

__all__ = ["ohsumed"]

_SINGLE, _FOLDERS = "ohsumed_single_23.tar.gz", "ohsumed-first-20000-docs.tar.gz"
_MEDLINE, _MESH = "ohsumed.tar.gz", "mtrees.bin"
_YEARS = re.compile(r"ohsumed\.(8[7-9]|9[01])(-(8[7-9]|9[01]))?$")
_PARTS: dict[str, Literal["train", "test"]] = {"training": "train", "train": "train", "test": "test"}
_FIELDS = {"S": "source", "P": "publication_type", "A": "authors"}


def _read(files: Mapping[str, Path], split: str, *, top: int | None = None) -> Corpus:
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

ohsumed = Source(
    name="ohsumed",
    title="OHSUMED, references of MEDLINE with MeSH headings (1987–1991)",
    licence=(
        "Made available by the National Library of Medicine for experiments: not to be used in any clinical, library "
        "or other setting, and people who see it must be told that it is incomplete and out of date."
    ),
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
    read=_read,
)
