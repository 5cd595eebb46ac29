"""Every parser as a function of bytes. It may refuse its input by an error of ours, and nothing else may happen.

Fuzzing starts from `tests/fuzz/corpus/PARSER/`: `seed-*` are small valid inputs, `fault-*` once showed a fault.
`test_corpus.py` runs all of them.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

from rubricate.classifiers.nb import NB
from rubricate.corpora.reuters.sgml import FIELDS, parse
from rubricate.errors import RubricateError
from rubricate.experiments.plan_file import read_plan
from rubricate.files.model import model_file
from rubricate.files.predictions.reading import read_pairs
from rubricate.files.predictions.train_counts import read_train_counts
from rubricate.hierarchy.structure import Hierarchy
from rubricate.hierarchy.taxonomy_files import read_taxonomy
from rubricate.readers.user_files import records
from rubricate.rules.parser import parse_rules
from rubricate.rules.printer import format_rules

__all__ = ["CORPUS", "PARSERS", "run"]

CORPUS = Path(__file__).parent / "corpus"

FOLDER = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else Path(tempfile.gettempdir())
WORKBOOK = {
    "xl/workbook.xml": '<workbook xmlns:r="r"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<R><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></R>',
    "xl/sharedStrings.xml": "<sst><si><t>text</t></si><si><t>labels</t></si><si><t>grain;oil</t></si></sst>",
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
    def read(data: bytes) -> None:
        for _ in records(_written(f"documents{suffix}", data)):
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
    _documents(".csv.gz")(b"\x1f\x8b" + packed.removeprefix(b"\x1f\x8b"))


def _docbin(data: bytes) -> None:
    _documents(".spacy")(zlib.compress(data, 1))


def _workbook(data: bytes) -> None:
    """The input is a sheet; what surrounds it in the archive is fixed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in (*WORKBOOK.items(), ("xl/worksheets/sheet1.xml", data)):
            archive.writestr(name, content)
    _documents(".xlsx")(out.getvalue())


def _container(manifest: bytes, arrays: list[bytes]) -> bytes:
    """Return a model file with correct digests: fuzzing would never guess them."""
    try:
        content = json.loads(manifest)
        if isinstance(content, dict):
            content["arrays"] = [hashlib.sha256(each).hexdigest() for each in arrays]
            manifest = json.dumps(content).encode()
    except (ValueError, RecursionError):
        pass
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, each in enumerate(arrays):
            archive.writestr(f"arrays/{number}.npy", each)
        archive.writestr("manifest.json", manifest)
        archive.writestr("manifest.sha256", hashlib.sha256(manifest).hexdigest())
    return out.getvalue()


@cache
def _model() -> tuple[bytes, tuple[bytes, ...]]:
    """Return the manifest and the arrays of a small model."""
    path = _place("model")
    model_file.save(NB().fit(np.eye(3), np.array(["a", "b", "c"])), path)
    with zipfile.ZipFile(path) as archive:
        count = len(archive.namelist()) - 2
        return archive.read("manifest.json"), tuple(archive.read(f"arrays/{i}.npy") for i in range(count))


def _manifest(data: bytes) -> None:
    model_file.open(_written("manifest", _container(data, list(_model()[1]))))


def _arrays(data: bytes) -> None:
    """The first byte chooses the array that is replaced."""
    manifest, arrays = _model()
    changed = list(arrays)
    changed[data[0] % len(changed) if data else 0] = data[1:]
    opened = model_file.open(_written("arrays", _container(manifest, changed)))
    opened.decision_function(np.eye(3))


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
    "plan": lambda data: read_plan(_written("plan.toml", data)) and None,
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
