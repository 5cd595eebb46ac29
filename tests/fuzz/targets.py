"""Every parser as a function of bytes. It may refuse its input by an error of ours, and nothing else may happen.

Fuzzing starts from `tests/fuzz/corpus/PARSER/`: `seed-*` are small valid inputs, `fault-*` once showed a fault.
`test_corpus.py` runs all of them.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tests.fuzz.archive import zipped

from rubricate.classifiers.nb import NB
from rubricate.corpora.reuters.sgml import FIELDS, parse
from rubricate.errors import RubricateError
from rubricate.experiments.plan_file import parse_plan
from rubricate.files.model import model_file
from rubricate.files.predictions.reading import read_pairs
from rubricate.files.predictions.train_counts import read_train_counts
from rubricate.hierarchy.structure import Hierarchy
from rubricate.hierarchy.taxonomy_files import read_taxonomy
from rubricate.readers.reading import Reading
from rubricate.readers.user_files import format_of, records
from rubricate.rules.parser import parse_rules
from rubricate.rules.printer import format_rules

__all__ = ["CORPUS", "PARSERS", "run"]

CORPUS = Path(__file__).parent / "corpus"

FOLDER = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else Path(tempfile.gettempdir())
WORKBOOK = {
    "xl/workbook.xml": b'<workbook xmlns:r="r"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": b'<R><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></R>',
    "xl/sharedStrings.xml": b"<sst><si><t>text</t></si><si><t>labels</t></si><si><t>grain;oil</t></si></sst>",
}
FORMS = ("rcv1", "csv", "indented", "edges", "paths")


@cache
def _place(name: str) -> Path:
    """Return the file of this process that inputs are written to; memory where the system has a disk in memory."""
    return FOLDER / f"rubricate-fuzz-{os.getpid()}-{name}"


def _written(name: str, data: bytes) -> Path:
    path = _place(name)
    path.write_bytes(data)
    return path


def _documents(suffix: str) -> Callable[[bytes], None]:
    """Return a reader of documents. Its format is given: the choice by name sees no input and costs as much."""
    reading = Reading(format=format_of(Path(f"documents{suffix}")))

    def read(data: bytes) -> None:
        for _ in records(_written(f"documents{suffix}", data), reading):
            pass

    return read


def _predictions(suffix: str) -> Callable[[bytes], None]:
    return lambda data: read_pairs(_written(f"run{suffix}", data)) and None


def _taxonomy(data: bytes) -> None:
    """The first byte chooses the form, so that one target covers all of them."""
    form = FORMS[data[0] % len(FORMS)] if data else None
    Hierarchy.from_edges(read_taxonomy(_written("taxonomy.txt", data[1:]), form=form))


def _skos(data: bytes) -> None:
    Hierarchy.from_edges(read_taxonomy(_written("taxonomy.ttl", data), form="skos"))


def _rules(data: bytes) -> None:
    """What can be read can be printed, and read again with the same meaning."""
    base = parse_rules(data.decode("utf-8", "replace"))
    if parse_rules(format_rules(base)) != base:
        raise AssertionError("printed rules differ from those read")


def _sgml(data: bytes) -> None:
    for story in parse(data, "stories.sgm"):
        for field in FIELDS:
            story.names(field)
        _ = story.date, story.text_type, story.body, story.part("TITLE")


def _gz(data: bytes) -> None:
    """The first byte chooses: the bytes as they come, or packed, so that unpacking and what follows are reached."""
    packed = data[1:] if data[:1] < b"\x80" else gzip.compress(data[1:], 1)
    _gz_documents(b"\x1f\x8b" + packed.removeprefix(b"\x1f\x8b"))


def _docbin(data: bytes) -> None:
    _docbin_documents(zlib.compress(data, 1))


_gz_documents, _docbin_documents, _xlsx_documents = map(_documents, (".csv.gz", ".spacy", ".xlsx"))


def _workbook(data: bytes) -> None:
    """The input is a sheet; what surrounds it in the archive is fixed."""
    _xlsx_documents(zipped({**WORKBOOK, "xl/worksheets/sheet1.xml": data}))


@cache
def _model() -> tuple[dict[str, Any], tuple[bytes, ...], tuple[str, ...]]:
    """Return the manifest of a small model, its arrays, and their digests."""
    path = _place("model")
    model_file.save(NB().fit(np.eye(3), np.array(["a", "b", "c"])), path)
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        arrays = tuple(archive.read(f"arrays/{number}.npy") for number in range(len(manifest["arrays"])))
        return manifest, arrays, tuple(manifest["arrays"])


def _open(manifest: bytes, arrays: Sequence[bytes]) -> Any:
    members = {f"arrays/{number}.npy": each for number, each in enumerate(arrays)}
    digest = hashlib.sha256(manifest).hexdigest().encode()
    path = _written("opened", zipped({**members, "manifest.json": manifest, "manifest.sha256": digest}))
    return model_file.open(path)


def _manifest(data: bytes) -> None:
    """The digests of the arrays are set right: fuzzing would never guess them."""
    _, arrays, digests = _model()
    try:
        content = json.loads(data)
        if isinstance(content, dict):
            data = json.dumps(content | {"arrays": digests}).encode()
    except (ValueError, RecursionError):
        pass
    _open(data, arrays)


def _arrays(data: bytes) -> None:
    """The first byte chooses the array that is replaced; its digest is set right."""
    manifest, arrays, digests = _model()
    number = data[0] % len(arrays) if data else 0
    changed, known = [*arrays], [*digests]
    changed[number], known[number] = data[1:], hashlib.sha256(data[1:]).hexdigest()
    _open(json.dumps(manifest | {"arrays": known}).encode(), changed).decision_function(np.eye(3))


def _plan(data: bytes) -> None:
    parse_plan(data.decode("utf-8", "replace"), _place("plan.toml"))


PARSERS: Mapping[str, Callable[[bytes], None]] = {
    "csv": _documents(".csv"),
    "jsonl": _documents(".jsonl"),
    "parquet": _documents(".parquet"),
    "gz": _gz,
    "trec": _predictions(".trec"),
    "fasttext": _predictions(".txt"),
    "prediction_csv": _predictions(".csv"),
    "prediction_jsonl": _predictions(".jsonl"),
    "train_counts": lambda data: read_train_counts(_written("counts.json", data)) and None,
    "taxonomy": _taxonomy,
    "skos": _skos,
    "rules": _rules,
    "plan": _plan,
    "manifest": _manifest,
    "arrays": _arrays,
    "sgml": _sgml,
    "xlsx": _workbook,
    "docbin": _docbin,
}


def run(parser: str, data: bytes) -> bool:
    """Give the input to a parser; return whether it took it. Anything but an error of ours is raised."""
    try:
        PARSERS[parser](data)
    except RubricateError:
        return False
    return True
