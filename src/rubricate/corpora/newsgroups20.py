"""20 Newsgroups, sorted by date: messages of 1993 from twenty groups, duplicates and some headers removed.

The archive holds `20news-bydate-train/GROUP/NUMBER` and `20news-bydate-test/…`. 73 messages are not UTF-8 and are read
as latin-1. The dotted names are a taxonomy: `comp.graphics` is below `comp`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

from rubricate.corpora.archives import members
from rubricate.corpora.raw_text import utf8_or_latin1
from rubricate.corpora.sources import DataFile, Expected, corpus
from rubricate.errors import UnknownName
from rubricate.hierarchy import path_edges
from rubricate.io.assembly import assemble
from rubricate.io.reader import Record
from rubricate.types import Corpus

__all__ = ["newsgroups20"]

_ARCHIVE = "20news-bydate.tar.gz"
_PARTS: dict[str, Literal["train", "test"]] = {"20news-bydate-train": "train", "20news-bydate-test": "test"}
_Headers = Literal["keep", "subject", "remove"]


def _messages(archive: Path, headers: _Headers) -> Iterator[Record]:
    for member in members(archive, lambda name: len(_place(name)) == 3):
        part, group, number = _place(member.name)
        title, text = _divided(utf8_or_latin1(member.read()), headers)
        yield Record(f"{group}/{number}", text, (group,), title=title, split=_PARTS[part])


def _place(name: str) -> list[str]:
    """Return part, group and number of a message; nothing for any other file."""
    parts = name.split("/")[-3:]
    return parts if len(parts) == 3 and parts[0] in _PARTS else []


def _divided(message: str, headers: _Headers) -> tuple[str | None, str]:
    """Return the title, if there is to be one, and the text."""
    if headers == "keep":
        return None, message
    head, _, text = message.partition("\n\n")
    if headers == "remove":
        return None, text
    subject = next((line for line in head.split("\n") if line.lower().startswith("subject:")), "")
    return subject[len("subject:") :].strip(), text


@corpus(
    "newsgroups20",
    title="20 Newsgroups, sorted by date (18,846 messages of 1993)",
    licence="Messages posted in public; collected by Ken Lang, this version by Jason Rennie. No terms are stated.",
    splits=("bydate",),
    files=(
        DataFile(
            _ARCHIVE,
            addresses=("https://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz",),
            sha256="43b489a924c8f1e0198c33f665cbf9e36aa4e1e520c5b42033a553078db9d37e",
        ),
    ),
    counts={"bydate": Expected(11314, 7532, 20)},
)
def newsgroups20(files: Mapping[str, Path], split: str, *, headers: _Headers = "keep") -> Corpus:
    """Read the corpus; `headers` keeps them in the text, keeps only the subject as the title, or removes them.

    Headers are what comes before the first empty line. They give the group away (`Newsgroups:` lines are gone, but
    organisations and signatures are not), so results with and without them are not comparable.
    """
    if headers not in get_args(_Headers):
        raise UnknownName("way with headers", headers, get_args(_Headers))
    corpus = assemble(
        _messages(files[_ARCHIVE], headers),
        name="newsgroups20",
        split=split if headers == "keep" else f"{split}-headers-{headers}",
        path=files[_ARCHIVE],
        licence=newsgroups20.licence,
    )
    return replace(corpus, taxonomy=path_edges(corpus.categories, "."))
