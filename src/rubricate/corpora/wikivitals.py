"""Hierarchical WikiVitals: introductions of Wikipedia's vital articles, each at a leaf of a tree of 1,186 topics.

JSON lines with `token` (a list with the text) and `label` (the names from the top down), and a taxonomy whose lines are
a parent and its children. The labels of a document are the last name of its path; `path=True` gives all names on it.
The published training file is not available, so `own` draws two thirds of the other two files by seed; `heldout`
trains on the validation file and tests on the test file; `published` needs `hwv_train.json` and adds the validation
documents to it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from rubricate.corpora.sources import DataFile, Expected, corpus
from rubricate.errors import InvalidFile
from rubricate.hierarchy import Hierarchy, read_taxonomy
from rubricate.io.assembly import assemble
from rubricate.io.reader import Record
from rubricate.io.text_files import text_lines
from rubricate.types import Corpus

__all__ = ["wikivitals"]

_TAXONOMY, _TRAIN = "hwv/hwv.taxonomy", "hwv/hwv_train.json"
_VALIDATION, _TEST = "hwv/hwv_val.json", "hwv/hwv_test.json"
_ROOT = "Root"


def _articles(file: Path, tree: Hierarchy, split: Literal["train", "test"], *, path: bool) -> Iterator[Record]:
    for line, text in enumerate(text_lines(file), 1):
        entry = _entry(file, line, text)
        names = entry["label"]
        _check_path(names, tree, file=file, line=line)
        labels = tuple(names) if path else (names[-1],)
        yield Record(f"{file.stem}-{line}", " ".join(entry["token"]), labels, split=split, line=line)


def _entry(file: Path, line: int, text: str) -> dict[str, Any]:
    remedy = "fetch it again"
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"broken JSON ({error})", path=file, line=line, remedy=remedy) from error
    for name in ("token", "label"):
        part = entry.get(name) if isinstance(entry, dict) else None
        if not isinstance(part, list) or not part or not all(isinstance(item, str) for item in part):
            raise InvalidFile(f"expected a list of strings under {name!r}", path=file, line=line, remedy=remedy)
    return entry


def _check_path(names: list[str], tree: Hierarchy, *, file: Path, line: int) -> None:
    for above, name in zip([_ROOT, *names], names, strict=False):
        if name not in tree or above not in tree.parents(name):
            problem = f"the taxonomy has no {name!r} below {above!r}"
            raise InvalidFile(problem, path=file, line=line, remedy="use the taxonomy that came with the documents")


@corpus(
    "wikivitals",
    title="Hierarchical WikiVitals, validation and test documents",
    licence="Text of Wikipedia, CC BY-SA; name Wikipedia and keep the licence when you pass it on.",
    splits=("own", "heldout", "published"),
    files=(
        DataFile(_TAXONOMY, sha256="98b129a124a81e11e03a9b39444f94256ef7ad51137fd4c107bf4fc8cb917fc9"),
        DataFile(_VALIDATION, sha256="167a478252dd6ea5073ef3467dfaeb091227ccae11be4d0dc76977d550922a5e"),
        DataFile(_TEST, sha256="c0df0e52febd4d4dc734467e93bc45e39d92641491934417d71b5202a10f94ca"),
        DataFile(_TRAIN, splits=("published",)),
    ),
    counts={"own": Expected(2403, 1202, 827), "heldout": Expected(1602, 2003, 827)},
)
def wikivitals(files: Mapping[str, Path], split: str, *, seed: int = 0, path: bool = False) -> Corpus:
    """Read a split; `seed` draws `own`; `path` labels a document with every category on its path."""
    tree = Hierarchy.from_edges(read_taxonomy(files[_TAXONOMY]), root=_ROOT)
    training = [files[_VALIDATION]] if split != "published" else [files[_TRAIN], files[_VALIDATION]]
    records = chain(*(_articles(file, tree, "train", path=path) for file in training))
    return assemble(
        chain(records, _articles(files[_TEST], tree, "test", path=path)),
        name="wikivitals",
        split=split + (f"-seed-{seed}" if split == "own" and seed else "") + ("-path" if path else ""),
        path=files[_TEST],
        taxonomy=tree.edges,
        licence=wikivitals.licence,
        test=1 / 3 if split == "own" else None,
        seed=seed,
    )
