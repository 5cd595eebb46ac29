"""RCV1-v2: 804,414 Reuters stories of 1996 and 1997 in 103 topics, as the token files of lewis2004.

Stories come stopped and stemmed, as lines of tokens: `.I 2286`, `.W`, the tokens, an empty line. The topics of the
stories are in a qrels file (`E11 2286 1`), the tree in `rcv1.topics.hier.orig`. LYRL2004 is the chronological split of
the paper; `lyrl2004-pt0` tests on the first of its four test files alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Literal

from rubricate.corpora.sources import DataFile, Expected, corpus
from rubricate.errors import InvalidFile
from rubricate.hierarchy import Hierarchy, read_taxonomy
from rubricate.io.assembly import assemble
from rubricate.io.reader import Record
from rubricate.io.text_files import text_lines
from rubricate.types import Corpus

__all__ = ["rcv1"]

_HOME = "https://jmlr.csail.mit.edu/papers/volume5/lewis04a/"
_TREE, _TOPICS = "rcv1/rcv1.topics.hier.orig", "rcv1/rcv1-v2.topics.qrels.gz"
_TRAIN = "rcv1/lyrl2004_tokens_train.dat.gz"
_TEST = tuple(f"rcv1/lyrl2004_tokens_test_pt{part}.dat.gz" for part in range(4))
_ROOT = "Root"
_REMEDY = "fetch it again"


def _topics(path: Path) -> dict[int, tuple[str, ...]]:
    """Read the topics of each story; equal sets share one tuple, so that 804,414 stories fit in about 100 MB."""
    topics: dict[int, tuple[str, ...]] = {}
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    for line, text in enumerate(text_lines(path), 1):
        parts = text.split()
        if len(parts) != 3 or not parts[1].isdecimal():
            raise InvalidFile("expected 'topic story 1'", path=path, line=line, remedy=_REMEDY)
        if parts[2] != "0":
            labels = (*topics.get(int(parts[1]), ()), parts[0])
            topics[int(parts[1])] = known.setdefault(labels, labels)
    return topics


def _stories(path: Path, split: Literal["train", "test"], topics: dict[int, tuple[str, ...]]) -> Iterator[Record]:
    for line, number, tokens in _entries(path):
        if number not in topics:
            raise InvalidFile(f"story {number} has no topics in the qrels", path=path, line=line, remedy=_REMEDY)
        yield Record(str(number), tokens, topics[number], split=split, line=line)


def _entries(path: Path) -> Iterator[tuple[int, int, str]]:
    """Yield line, number and tokens of each story."""
    start, number = 0, -1
    tokens: list[str] = []
    for line, text in enumerate(text_lines(path), 1):
        if text.startswith(".I"):
            if number >= 0:
                yield start, number, " ".join(tokens)
            if not text[2:].strip().isdecimal():
                raise InvalidFile("no number after .I", path=path, line=line, remedy=_REMEDY)
            start, number, tokens = line, int(text[2:]), []
        elif number < 0:
            raise InvalidFile("a story must start with .I", path=path, line=line, remedy=_REMEDY)
        elif not text.startswith(".W"):
            tokens += text.split()
    if number >= 0:
        yield start, number, " ".join(tokens)


_UNVERIFIED = "the file was not at hand when the record was made"


@corpus(
    "rcv1",
    title="RCV1-v2, Reuters stories of 1996 and 1997 (LYRL2004 token files)",
    licence="Copyright Reuters; the token files of lewis2004 are for research. Name RCV1-v2/LYRL2004 in publications.",
    splits=("lyrl2004", "lyrl2004-pt0"),
    files=(
        DataFile(
            _TREE,
            addresses=(f"{_HOME}a02-orig-topics-hierarchy/rcv1.topics.hier.orig",),
            sha256="31924307716fa7e579381508aaa84d9e54f364afb9d2881acf444ae21bf687d2",
        ),
        DataFile(_TOPICS, addresses=(f"{_HOME}a08-topic-qrels/rcv1-v2.topics.qrels.gz",), unverified=_UNVERIFIED),
        DataFile(_TRAIN, addresses=(f"{_HOME}a12-token-files/lyrl2004_tokens_train.dat.gz",), unverified=_UNVERIFIED),
        DataFile(_TEST[0], addresses=(f"{_HOME}a12-token-files/{_TEST[0][5:]}",), unverified=_UNVERIFIED),
        *(
            DataFile(
                name,
                addresses=(f"{_HOME}a12-token-files/{name[5:]}",),
                splits=("lyrl2004",),
                unverified=_UNVERIFIED,
            )
            for name in _TEST[1:]
        ),
    ),
    counts={
        "lyrl2004": Expected(23149, 781265, 103, {"train": 23149, "test": 781265}, "lewis2004, section 5"),
        "lyrl2004-pt0": Expected(23149, 199328, 103, note="the test files hold 199,328 + 199,339 + 199,576 + 183,022"),
    },
)
def rcv1(files: Mapping[str, Path], split: str) -> Corpus:
    """Read a split. Text is the tokens with spaces between: analyse it by splitting, without stop list or stemmer."""
    tree = Hierarchy.from_edges(read_taxonomy(files[_TREE]), root=_ROOT)
    topics = _topics(files[_TOPICS])
    tests = _TEST if split == "lyrl2004" else _TEST[:1]
    return assemble(
        chain(_stories(files[_TRAIN], "train", topics), *(_stories(files[name], "test", topics) for name in tests)),
        name="rcv1",
        split=split,
        path=files[_TRAIN],
        categories=sorted(name for name in tree.names if name != _ROOT),
        taxonomy=tree.edges,
        licence=rcv1.licence,
    )
