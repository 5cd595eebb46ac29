"""The user's own documents in any of the formats that are registered. See docs/guides/your-files.md.

`records` streams them in constant memory; `read_files` makes a Corpus, whose size is about that of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from rubricate import registry
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.io.assembly import assemble
from rubricate.io.batches import BATCH, CHARACTERS, grouped
from rubricate.io.reader import InputFile, Reader, Record
from rubricate.io.reading import Reading, takes_reading
from rubricate.io.taxonomies import path_edges, read_taxonomy
from rubricate.io.text_files import StandardInput
from rubricate.types import Corpus, Documents, Edges

__all__ = ["batches", "format_of", "has_vectors", "input_file", "read_files", "records", "stream"]

_PATHS = "paths"
_DATABASE = "sqlite:///"
_DOCBIN = ".spacy"
_FROM_DOCBIN = (
    "write JSON lines with spaCy, for each doc of DocBin().from_disk(path).get_docs(nlp.vocab) the line "
    'json.dumps({"text": doc.text, "labels": [name for name, value in doc.cats.items() if value >= 0.5]})'
)


@takes_reading
def records(path: str | Path, reading: Reading | None = None, **options: Any) -> Iterator[Record]:
    """Yield the documents of a file or folder, one at a time. Memory: one document.

    Two documents with the same id are noticed by `read_files`, not here.

    Parameters
    ----------
    path
        A file, plain or gzipped, a folder, or the address of a database (`sqlite:///FILE?query=SELECT …`).
    reading
        How to read it; the default `Reading()` for None.
    options
        Fields of `Reading` to change, such as `text="body"`.
    """
    return stream(input_file(path, Reading.of(reading, options)))


@takes_reading
def read_files(
    path: str | Path,
    reading: Reading | None = None,
    *,
    test: float | str | Path | None = None,
    taxonomy: str | Path | None = None,
    seed: int = 0,
    **options: Any,
) -> Corpus:
    """Read a file or folder into a corpus.

    Parameters
    ----------
    path, reading, options
        As for `records`.
    test
        The test documents: a second file of the same form, or a share of the documents such as 0.2, drawn by `seed`.
        By default those that the split column says; without one, all documents are for training.
    taxonomy
        A file (see `read_taxonomy`), or "paths" where labels such as `a/b/c` are their own taxonomy, as they are by
        default for nested folders.
    seed
        Draws the share of test documents.
    """
    file = input_file(path, Reading.of(reading, options))
    path = Path(file.path)
    share = test if isinstance(test, (int, float)) else None
    documents = stream(file)
    if test is not None:
        documents = _unsplit(documents, file)
    if test is not None and share is None:
        second = replace(file, path=Path(str(test)), prefix="test-")
        documents = chain(documents, _as_test(_unsplit(stream(second), second)))
    corpus = assemble(documents, name=_stem(path), split="", path=path, test=share, seed=seed)
    edges = _taxonomy(path, corpus.categories, taxonomy)
    if test is None:
        split = "column" if len(corpus.test) else "none"
    else:
        split = "files" if share is None else f"random-{share:g}-seed-{seed}"
    return replace(corpus, split=split, taxonomy=edges)


def input_file(path: str | Path, reading: Reading) -> InputFile:
    """Return the file at a path, or of the address of a database, whose query becomes part of the reading.

    >>> file = input_file("sqlite:///notes.db?query=SELECT text FROM notes", Reading())
    >>> str(file.path), file.reading.query, file.reading.format
    ('notes.db', 'SELECT text FROM notes', 'sqlite')
    """
    address = str(path)
    if isinstance(path, Path) or "://" not in address:
        return InputFile(Path(path), reading)
    if not address.startswith(_DATABASE):
        raise InvalidInput(f"{address}: of addresses only {_DATABASE}FILE is read; give a file or folder")
    place, _, rest = address.removeprefix(_DATABASE).partition("?")
    query = unquote(rest.removeprefix("query=")) if rest.startswith("query=") else reading.query
    return InputFile(Path(unquote(place)), replace(reading, query=query, format="sqlite"))


def stream(file: InputFile) -> Iterator[Record]:
    """Yield the documents of a file in its format; standard input is CSV unless it starts like another format."""
    return _reader(file).records(file)


def batches(file: InputFile, batch: int = BATCH, characters: int = CHARACTERS) -> Iterator[Documents]:
    """Yield the documents of a file without their labels, some at a time; `stream` gives the same one by one."""
    reader = _reader(file)
    if reader.batches is None:
        return grouped(reader.records(file), batch, characters)
    return reader.batches(file, batch, characters)


def _reader(file: InputFile) -> Reader:
    name = file.reading.format or (_sniffed(file.path) if isinstance(file.path, StandardInput) else _named(file.path))
    reader: Reader = registry.load("readers", name)
    if isinstance(file.path, StandardInput) and not reader.streams:
        raise InvalidInput(f"format {name!r} cannot be read from standard input; give a path")
    return reader


def has_vectors(file: InputFile) -> bool:
    """Say whether the documents of a file are vectors, without texts."""
    return _reader(file).has_vectors


def _readers() -> dict[str, Reader]:
    return {name: registry.load("readers", name) for name in registry.names("readers")}


def _sniffed(path: StandardInput) -> str:
    start = path.start()
    return next((name for name, reader in _readers().items() if reader.sniff(start)), "csv")


def _named(path: Path) -> str:
    """Return the format of a file or folder that is there."""
    if path.is_dir():
        return next((name for name, reader in _readers().items() if reader.folder(path)), "folder")
    if not path.exists():
        raise InvalidFile("no such file or folder", path=path, remedy="check the path")
    return format_of(path)


def format_of(path: Path) -> str:
    """Return the format that the name of a file says."""
    known = {suffix: name for name, reader in _readers().items() for suffix in reader.suffixes}
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if suffixes and suffixes[-1] == _DOCBIN:
        raise InvalidFile("a DocBin of spaCy, which only spaCy can read", path=path, remedy=_FROM_DOCBIN)
    if not suffixes or suffixes[-1] not in known:
        problem = f"its name ends in none of {', '.join(known)}"
        raise InvalidFile(problem, path=path, remedy="rename it, or give format='csv'")
    return known[suffixes[-1]]


def _unsplit(documents: Iterator[Record], file: InputFile) -> Iterator[Record]:
    for record in documents:
        if record.split is not None:
            problem = "the file has a split and test= is given"
            file.fail(problem, record.line, "leave out test=, or do not read the column: split=''")
        yield record


def _as_test(documents: Iterator[Record]) -> Iterator[Record]:
    return (replace(record, split="test") for record in documents)


def _stem(path: Path) -> str:
    name = Path(path.resolve().name)
    if path.is_dir():
        return name.name
    return Path(name.stem).stem if name.suffix.lower() == ".gz" else name.stem


def _taxonomy(path: Path, categories: tuple[str, ...], taxonomy: str | Path | None) -> Edges | None:
    nested = path.is_dir() and any("/" in name for name in categories)
    if taxonomy == _PATHS or (taxonomy is None and nested):
        return path_edges(categories)
    if taxonomy is None:
        return None
    edges = read_taxonomy(taxonomy)
    known = {name for edge in edges for name in edge}
    if categories and not known.intersection(categories):
        problem = f"none of the {len(categories)} categories of the documents ({categories[0]!r}, …) is in the taxonomy"
        raise InvalidFile(problem, path=taxonomy, remedy="use the same names in both files")
    return edges
