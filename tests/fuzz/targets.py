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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.fuzz.archive import zipped

from rubricate import registry
from rubricate.classifiers.nb import NB
from rubricate.corpora.reuters21578 import FIELDS, parse
from rubricate.errors import InvalidFile, RubricateError
from rubricate.experiments.plan_file import parse_plan
from rubricate.hierarchy.structure import Hierarchy
from rubricate.io.container import DAMAGED, _array
from rubricate.io.prediction_tables import PairCollector
from rubricate.io.predictions import collect, read_pairs
from rubricate.io.reader import InputFile
from rubricate.io.reading import Reading
from rubricate.io.tables import open_file
from rubricate.io.taxonomies import read_taxonomy
from rubricate.io.train_counts import read_train_counts
from rubricate.io.user_files import format_of
from rubricate.rules.parser import parse_rules
from rubricate.rules.printer import format_rules
from rubricate.training import model_file
from rubricate.training.model_file import StoredModel, _check_version

__all__ = ["CORPUS", "PARSERS", "run"]

CORPUS = Path(__file__).parent / "corpus"

FOLDER = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else Path(tempfile.gettempdir())
OFFICE = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORKBOOK = {
    "xl/workbook.xml": b'<workbook xmlns:r="r"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": b"<Relationships>"
    b'<Relationship Id="rId1" Type="%b/worksheet" Target="worksheets/sheet1.xml"/>'
    b'<Relationship Id="rId2" Type="%b/sharedStrings" Target="sharedStrings.xml"/></Relationships>' % (OFFICE, OFFICE),
    "xl/sharedStrings.xml": b"<sst><si><t>text</t></si><si><t>labels</t></si><si><t>grain;oil</t></si></sst>",
}
SHEET = "xl/worksheets/sheet1.xml"
FORMS = ("rcv1", "csv", "indented", "edges", "paths")


@cache
def _place(name: str) -> Path:
    """Return the file of this process that inputs are written to; memory where the system has a disk in memory."""
    return FOLDER / f"rubricate-fuzz-{os.getpid()}-{name}"


def _written(name: str, data: bytes) -> Path:
    path = _place(name)
    path.write_bytes(data)
    return path


class Memory:
    """Bytes in place of a file: an input costs neither writing nor opening."""

    def __init__(self, data: bytes, suffix: str) -> None:
        self.data, self.suffix = data, suffix

    def open(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(io.BytesIO(self.data))

    def __fspath__(self) -> str:
        return f"memory{self.suffix}"

    __str__ = __fspath__


def _documents(suffix: str) -> Callable[[bytes], None]:
    """Return a reader of documents."""
    name = format_of(Path(f"documents{suffix}"))
    reader, reading = registry.load("readers", name), Reading(format=name)

    def read(data: bytes) -> None:
        path = _written(f"documents{suffix}", data) if suffix in (".parquet", ".xlsx") else Memory(data, suffix)
        for _ in reader.records(InputFile(path, reading)):
            pass

    return read


def _predictions(suffix: str) -> Callable[[bytes], None]:
    """Return a reader of predictions; one input in 16 comes as a file."""

    def read(data: bytes) -> None:
        if len(data) % 16 == 0:
            read_pairs(_written(f"run{suffix}", data))
            return
        pairs = PairCollector(Memory(data, suffix))
        with open_file(pairs.path) as file:
            collect(pairs, file)
        pairs.pairs()

    return read


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


_gz_documents, _xlsx_documents = map(_documents, (".csv.gz", ".xlsx"))


def _workbook(data: bytes) -> None:
    """The input is a sheet; what surrounds it is fixed."""
    _xlsx_documents(zipped({**WORKBOOK, SHEET: data}))


@cache
def _model() -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """Return the manifest and the arrays of a small model."""
    path = _place("model")
    model_file.save(NB().fit(np.eye(3), np.array(["a", "b", "c"])), path)
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        return manifest, tuple(archive.read(f"arrays/{number}.npy") for number in range(len(manifest["arrays"])))


@cache
def _parsed_arrays() -> tuple[NDArray[Any], ...]:
    return tuple(model_file.read_model(_place("model")).arrays if _model() else ())


def _opened(manifest: bytes, arrays: Sequence[bytes]) -> Any:
    """Open a whole model file whose digests are right; fuzzing would never guess them."""
    members = {f"arrays/{number}.npy": each for number, each in enumerate(arrays)}
    with suppress(ValueError, RecursionError):
        content = json.loads(manifest)
        if isinstance(content, dict):
            manifest = json.dumps(content | {"arrays": [hashlib.sha256(each).hexdigest() for each in arrays]}).encode()
    digest = hashlib.sha256(manifest).hexdigest().encode()
    whole = zipped({**members, "manifest.json": manifest, "manifest.sha256": digest})
    return model_file.open(_written("opened", whole))


def _unless_damaged(parse: Callable[[bytes], Any], data: bytes) -> Any:
    """Parse a part of a model file; what opening a file takes for damage is refused here, too."""
    try:
        return parse(data)
    except RubricateError:
        raise
    except DAMAGED as error:
        raise InvalidFile(f"damaged ({error})", path=_place("model"), remedy="") from error


def _manifest(data: bytes) -> None:
    """One manifest in 16 in a whole file; the others beside arrays that were read before, which is twice as fast."""
    if len(data) % 16 == 0:
        _opened(data, _model()[1])
        return
    manifest = _unless_damaged(json.loads, data)
    if isinstance(manifest, dict):
        _check_version(manifest, _place("model"))
        StoredModel(_place("model"), 2 * len(data), manifest, [*_parsed_arrays()]).estimator()


def _arrays(data: bytes) -> None:
    """The first byte chooses the array that is replaced; one file in 16 is read whole, as for the manifest."""
    manifest, arrays = _model()
    number, array = data[0] % len(arrays) if data else 0, data[1:]
    if len(data) % 16 == 0:
        changed = [*arrays[:number], array, *arrays[number + 1 :]]
        _opened(json.dumps(manifest).encode(), changed).decision_function(np.eye(3))
        return
    parsed = [*_parsed_arrays()]
    parsed[number] = _unless_damaged(lambda data: _array(data, "array", _place("model")), array)
    StoredModel(_place("model"), 2 * len(data), manifest, parsed).estimator().decision_function(np.eye(3))


def _plan(data: bytes) -> None:
    parse_plan(data.decode("utf-8", "replace"), _place("plan.toml"))


PARSERS: Mapping[str, Callable[[bytes], None]] = {
    "csv": _documents(".csv"),
    "jsonl": _documents(".jsonl"),
    "parquet": _documents(".parquet"),
    "libsvm": _documents(".libsvm"),
    "gz": _gz,
    "trec": _predictions(".trec"),
    "fasttext": _predictions(".txt"),
    "prediction_xmc": _predictions(".xmc"),
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
}


def run(parser: str, data: bytes) -> bool:
    """Give the input to a parser; return whether it took it. Anything but an error of ours is raised."""
    try:
        PARSERS[parser](data)
    except RubricateError:
        return False
    return True
