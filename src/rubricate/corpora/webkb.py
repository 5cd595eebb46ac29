"""WebKB: pages of computer science departments, collected by the CMU text learning group in 1997.

The archive holds 8,282 pages as `webkb/CLASS/UNIVERSITY/PAGE`: MIME headers, an empty line, HTML. joachims2000 uses
the classes course, faculty, project and student, "after removing documents which just contain the relocation command
for the browser": 4,183 pages. The four classes hold 4,199. Sixteen pages meet the rule below: fifteen that are a
server's redirection reply (their first line says so) and one that sends the browser on by a refresh and says nothing
but that the pages have moved. That gives 4,183 exactly. Pages that name a new address in words are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from rubricate.corpora.archives import members
from rubricate.corpora.raw_text import html_text, utf8_or_latin1
from rubricate.corpora.sources import DataFile, Expected, corpus
from rubricate.errors import UnknownName
from rubricate.io.assembly import assemble, generator
from rubricate.io.reader import Record
from rubricate.types import Corpus

__all__ = ["webkb"]

_ARCHIVE = "webkb-data.gtar.gz"
_FOUR = ("course", "faculty", "project", "student")
_CLASSES = {"four": _FOUR, "seven": ("course", "department", "faculty", "other", "project", "staff", "student")}
_UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")
_ALERT = "WWW Alert:"
_REFRESH = re.compile(r"http-equiv\s*=\s*[\"']?refresh", re.IGNORECASE)
_MOVED = re.compile(r"\b(?:have|has) (?:been )?moved\b", re.IGNORECASE)


def _pages(archive: Path, split: str) -> Iterator[Record]:
    for member in members(archive, lambda name: _place(name)[0] in _CLASSES[split]):
        raw = utf8_or_latin1(member.read())
        title, text = html_text(_without_headers(raw))
        if split == "four" and _only_relocates(raw, text):
            continue
        label, university, name = _place(member.name)
        url = name.replace("^", "/")
        fields = {"university": university, "url": url}
        yield Record(f"{label}/{university}/{name}", text, (label,), title=title, fields=fields)


def _place(name: str) -> tuple[str, str, str]:
    """Return class, university and page; the name of a page cannot hold `/`."""
    parts = name.split("/")
    return (parts[-3], parts[-2], parts[-1]) if len(parts) >= 3 else ("", "", name)


def _without_headers(page: str) -> str:
    """Return what follows the first empty line; the whole page if it starts with a tag and so has no headers."""
    return page if page.lstrip().startswith("<") else page.partition("\n\n")[2]


def _only_relocates(page: str, text: str) -> bool:
    return page.startswith(_ALERT) or bool(_REFRESH.search(page) and _MOVED.search(text))


def _halved(pages: list[Record], seed: int) -> Iterator[Record]:
    order = generator(seed).permutation(len(pages))
    test = set(order[: len(pages) // 2].tolist())
    return (replace(page, split="test" if i in test else "train") for i, page in enumerate(pages))


def _held_out(pages: list[Record], university: str) -> Iterator[Record]:
    return (replace(p, split="test" if p.fields["university"] == university else "train") for p in pages)


@corpus(
    "webkb",
    title="WebKB, pages of computer science departments (1997)",
    licence="Collected by the CMU text learning group for research; the pages belong to their authors.",
    splits=("four", "seven"),
    files=(
        DataFile(
            _ARCHIVE,
            addresses=("https://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/webkb-data.gtar.gz",),
            sha256="b474e29833365ee488168781d8fdb4517a297bc42e1e9bd27b3a699f567f177f",
        ),
    ),
    counts={
        "four": Expected(2092, 2091, 4, {"documents": 4183, "train": 2092}, "joachims2000, section 6 and table 2"),
        "seven": Expected(4141, 4141, 7),
    },
)
def webkb(files: Mapping[str, Path], split: str, *, seed: int = 0, university: str | None = None) -> Corpus:
    """Read halves drawn by `seed`, the training half the larger; or the pages of a university as the test set."""
    if university is not None and university not in _UNIVERSITIES:
        raise UnknownName("university", university, _UNIVERSITIES)
    pages = sorted(_pages(files[_ARCHIVE], split), key=lambda page: page.id)
    return assemble(
        _halved(pages, seed) if university is None else _held_out(pages, university),
        name="webkb",
        split=f"{split}-{university}" if university else f"{split}-seed-{seed}" if seed else split,
        path=files[_ARCHIVE],
        categories=_CLASSES[split],
        licence=webkb.licence,
    )
