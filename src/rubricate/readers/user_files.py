"""The user's own documents: CSV, TSV, JSON lines, Parquet, or a folder per category. See docs/your-files.md.

`records` streams them in constant memory; `read_files` makes a Corpus, whose size is about that of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from rubricate.errors import InvalidFile, UnknownName
from rubricate.hierarchy import path_edges, read_taxonomy
from rubricate.readers.assembly import assemble
from rubricate.readers.columns import Columns
from rubricate.readers.csv_rows import csv_records
from rubricate.readers.folder_tree import folder_records
from rubricate.readers.json_lines import json_records
from rubricate.readers.parquet import parquet_records
from rubricate.readers.record import Record
from rubricate.types import Corpus, Edges

__all__ = ["Format", "read_files", "records"]

Format: TypeAlias = Literal["csv", "tsv", "jsonl", "parquet", "folder"]

_SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_PATHS = "paths"


def records(
    path: str | Path,
    *,
    text: str = "text",
    labels: str | None = "labels",
    id: str | None = "id",
    title: str | None = None,
    split: str | None = "split",
    separator: str = ";",
    encoding: str = "utf-8",
    format: Format | None = None,
    delimiter: str | None = None,
) -> Iterator[Record]:
    """The documents of a file or folder, one at a time.

    `text`, `labels`, `id`, `title` and `split` name columns; None or "" means that there is none to be read.
    `separator` stands between the labels of a cell. `format` is told from the name unless given; gzipped text is
    unpacked.
    `delimiter` stands between the cells of a row (tab for TSV; for CSV the comma, or what the header shows instead).
    Memory: one document. Two documents with one id are found by `read_files`, not here.
    """
    columns = Columns(Path(path), text=text, labels=labels, id=id, title=title, split=split, separator=separator)
    return _stream(columns, encoding, format, delimiter)


def read_files(
    path: str | Path,
    *,
    test: float | str | Path | None = None,
    taxonomy: str | Path | None = None,
    seed: int = 0,
    text: str = "text",
    labels: str | None = "labels",
    id: str | None = "id",
    title: str | None = None,
    split: str | None = "split",
    separator: str = ";",
    encoding: str = "utf-8",
    format: Format | None = None,
    delimiter: str | None = None,
) -> Corpus:
    """The corpus of a file or folder; the options of `records` hold.

    The test documents are those that the split column says; or, with `test`, those of a second file of the same form,
    or that share of the documents, drawn by `seed`. Otherwise all documents are for training and the test set is
    empty. `taxonomy` is a file (see `read_taxonomy`), or "paths" where labels such as `a/b/c` are their own; nested
    folders are so without being asked.
    """
    columns = Columns(Path(path), text=text, labels=labels, id=id, title=title, split=split, separator=separator)
    stream = _stream(columns, encoding, format, delimiter)
    share = test if isinstance(test, (int, float)) else None
    if test is not None:
        stream = _unsplit(stream, columns.path)
    if test is not None and share is None:
        other = _stream(replace(columns, path=Path(str(test)), prefix="test-"), encoding, format, delimiter)
        stream = chain(stream, _as_test(_unsplit(other, Path(str(test)))))
    corpus = assemble(stream, name=_stem(columns.path), split="", path=columns.path, test=share, seed=seed)
    edges = _taxonomy(columns.path, corpus.categories, taxonomy)
    return replace(corpus, split=_split_name(corpus, test, share, seed), taxonomy=edges)


def _stream(columns: Columns, encoding: str, format: Format | None, delimiter: str | None) -> Iterator[Record]:
    chosen = format or _recognise(columns.path)
    if chosen == "folder" and not columns.path.is_dir():
        raise InvalidFile("no folder", path=columns.path, remedy="give the folder that holds one folder a category")
    if chosen == "csv":
        return csv_records(columns, delimiter=delimiter, encoding=encoding)
    if chosen == "tsv":
        return csv_records(columns, delimiter=delimiter or "\t", encoding=encoding)
    if chosen == "jsonl":
        return json_records(columns, encoding=encoding)
    if chosen == "parquet":
        return parquet_records(columns)
    if chosen == "folder":
        return folder_records(columns, encoding=encoding)
    raise UnknownName("format", chosen, get_args(Format))


def _recognise(path: Path) -> Format:
    if path.is_dir():
        return "folder"
    if not path.exists():
        raise InvalidFile("no such file or folder", path=path, remedy="check the path")
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if not suffixes or suffixes[-1] not in _SUFFIXES:
        known = ", ".join(_SUFFIXES)
        raise InvalidFile(f"its name ends in none of {known}", path=path, remedy="rename it, or give format='csv'")
    return _SUFFIXES[suffixes[-1]]


def _unsplit(stream: Iterator[Record], path: Path) -> Iterator[Record]:
    for record in stream:
        if record.split is not None:
            problem = "the file has a split and test= is given"
            raise InvalidFile(
                problem, path=path, line=record.line, remedy="leave test= out, or the column alone by split=''"
            )
        yield record


def _as_test(stream: Iterator[Record]) -> Iterator[Record]:
    return (replace(record, split="test") for record in stream)


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


def _split_name(corpus: Corpus, test: object, share: float | None, seed: int) -> str:
    if share is not None:
        return f"random-{share:g}-seed-{seed}"
    if test is not None:
        return "files"
    return "column" if len(corpus.test) else "none"
