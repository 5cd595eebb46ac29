"""The documents that a command was given: a corpus, a file or folder, standard input, vectors of the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli._given_vectors import bare_vectors, parquet_vectors, vectors_beside
from rubricate.cli._standard_input import StandardInput
from rubricate.errors import InvalidInput

if TYPE_CHECKING:
    from rubricate.readers.record import Record
    from rubricate.types import Corpus, Documents

__all__ = ["Labelled", "Reading", "Unlabelled", "as_documents", "batches", "corpus_of", "expected", "stream"]

STDIN = "-"
BATCH, CHARACTERS = 1024, 1 << 22
"""Documents, or characters, that are classified together."""

Text = Annotated[str, typer.Option(help="The column of the text.")]
Id = Annotated[str, typer.Option("--id", help="The column of the ids; rows are numbered where there is none.")]
Title = Annotated[str | None, typer.Option(help="A column of titles, kept apart from the text.")]
Separator = Annotated[str, typer.Option(help="The sign between the labels of a cell.")]
Encoding = Annotated[str, typer.Option(help="Of text files.")]
Format = Annotated[
    str | None, typer.Option(help="csv, tsv, jsonl, parquet, folder, or lines (a text a line); else by the name.")
]
Delimiter = Annotated[str | None, typer.Option(help="The sign between the cells of a row.")]
Vectors = Annotated[
    str | None,
    typer.Option(help="Vectors of your own: a column of a Parquet file, or an .npy file with a row a document."),
]
_Labels = Annotated[str, typer.Option(help="The column of the labels.")]
_Split = Annotated[str | None, typer.Option(help="A split of the corpus; for your own file, the split column.")]


@dataclass(frozen=True)
class Reading:
    """How to read DATA."""

    text: str = "text"
    labels: str | None = "labels"
    id: str | None = "id"
    title: str | None = None
    split: str | None = "split"
    separator: str = ";"
    encoding: str = "utf-8"
    format: str | None = None
    delimiter: str | None = None
    vectors: str | None = None

    def columns(self, path: Any, **other: Any) -> Any:
        """The columns as the readers want them."""
        from rubricate.readers.columns import Columns

        names = {name: getattr(self, name) for name in ("text", "labels", "id", "title", "split", "separator")}
        return Columns(path, **(names | other))


@dataclass(frozen=True)
class Labelled:
    """The options of the commands that learn from labelled documents."""

    text: Text = "text"
    labels: _Labels = "labels"
    id: Id = "id"
    title: Title = None
    split: _Split = None
    separator: Separator = ";"
    encoding: Encoding = "utf-8"
    format: Format = None
    delimiter: Delimiter = None

    def corpus(
        self, data: str, *, seed: int, test: str | None = None, vectors: str | None = None, labelled: bool = True
    ) -> Corpus:
        """The corpus of this name, or of the user's documents."""
        options = {name: value for name, value in asdict(self).items() if name != "split"}
        options |= {} if labelled else {"labels": None}
        return corpus_of(data, Reading(**options, vectors=vectors), split=self.split, test=test, seed=seed)


@dataclass(frozen=True)
class Unlabelled:
    """The options of the commands that put documents under categories."""

    text: Text = "text"
    id: Id = "id"
    title: Title = None
    encoding: Encoding = "utf-8"
    format: Format = None
    delimiter: Delimiter = None

    def reading(self, vectors: str | None = None) -> Reading:
        """How to read the documents."""
        return Reading(**asdict(self), labels=None, split=None, vectors=vectors)


def corpus_of(data: str, reading: Reading, *, split: str | None, test: str | None, seed: int) -> Corpus:
    """The corpus of this name, or of the user's documents."""
    from rubricate import registry
    from rubricate.corpora import load

    if data in registry.names("corpora"):
        return load(data, split=split)
    if split is not None:
        reading = replace(reading, split=split)
    if data == STDIN or reading.vectors is not None or reading.format == "lines":
        return _assembled(data, reading, test, seed)
    names = ("text", "labels", "id", "title", "split", "separator", "encoding", "format", "delimiter")
    options = {name: getattr(reading, name) for name in names}
    return load(data, test=_share(test), seed=seed, **options)


def _share(test: str | None) -> Any:
    try:
        return None if test is None else float(test)
    except ValueError:
        return test


def _assembled(data: str, reading: Reading, test: str | None, seed: int) -> Corpus:
    from rubricate.readers.assembly import assemble

    share = _share(test)
    if isinstance(share, str):
        raise InvalidInput("--test FILE goes with a file of texts; here give a share such as 0.2, or a split column")
    path = Path("<stdin>" if data == STDIN else data)
    split = "none" if share is None else f"random-{share:g}-seed-{seed}"
    found = assemble(stream(data, reading), name=path.stem, split=split, path=path, test=share, seed=seed)
    return replace(found, split="column") if share is None and len(found.test) else found


def stream(data: str, reading: Reading) -> Iterator[Record]:
    """The documents one at a time, with the field `vectors` where they have vectors."""
    from rubricate import registry

    if data in registry.names("corpora"):
        return _records_of(corpus_of(data, reading, split=None, test=None, seed=0).test)
    vectors = reading.vectors
    if data.endswith(".npy"):
        return bare_vectors(Path(data))
    if vectors is not None and not vectors.endswith(".npy"):
        return parquet_vectors(reading.columns(Path(data), text=vectors, title=None), vectors)
    found = _text_records(data, reading)
    return found if vectors is None else vectors_beside(found, Path(vectors))


def _records_of(documents: Documents) -> Iterator[Record]:
    from rubricate.readers.record import Record

    titles: Any = documents.titles or [None] * len(documents)
    for name, text, title in zip(documents.ids, documents.bodies, titles, strict=True):
        yield Record(id=name, text=text, title=title)


def _text_records(data: str, reading: Reading) -> Iterator[Record]:
    from rubricate.readers.csv_rows import csv_records
    from rubricate.readers.json_lines import json_records
    from rubricate.readers.user_files import records

    path: Any = StandardInput() if data == STDIN else Path(data)
    if reading.format == "lines":
        return _line_records(path, reading.encoding)
    if data == STDIN:
        columns = reading.columns(path)
        if reading.format == "jsonl" or (reading.format is None and path.starts_with(b"{")):
            return json_records(columns, encoding=reading.encoding)
        tab = "\t" if reading.format == "tsv" else ","
        return csv_records(columns, delimiter=reading.delimiter or tab, encoding=reading.encoding)
    names = ("text", "labels", "id", "title", "split", "separator", "encoding", "format", "delimiter")
    return records(path, **{name: getattr(reading, name) for name in names})


def _line_records(path: Any, encoding: str) -> Iterator[Record]:
    from rubricate.readers.record import Record
    from rubricate.readers.text_lines import text_lines

    for number, line in enumerate(text_lines(path, encoding), 1):
        yield Record(id=str(number), text=line.rstrip("\r\n"), line=number)


def batches(found: Iterable[Record], *, whole: bool = False) -> Iterator[list[Record]]:
    """Some documents at a time, or all at once."""
    if whole:
        yield list(found)
        return
    held: list[Record] = []
    size = 0
    for record in found:
        held.append(record)
        size += len(record.text)
        if len(held) >= BATCH or size >= CHARACTERS:
            yield held
            held, size = [], 0
    if held:
        yield held


def as_documents(held: list[Record]) -> Documents:
    """A batch as documents without labels."""
    from scipy import sparse

    from rubricate.types import Documents

    fields = {"vectors": [record.fields["vectors"] for record in held]} if held and held[0].fields else {}
    return Documents(
        ids=[record.id for record in held],
        bodies=[record.text for record in held],
        labels=sparse.csr_array((len(held), 0), dtype=bool),
        categories=(),
        titles=[record.title or "" for record in held] if any(record.title for record in held) else None,
        fields=fields,
    )


def expected(data: str) -> int | None:
    """About how many documents there are, for the time left: the lines of a plain text file, the rows of Parquet."""
    path = Path(data)
    if not path.is_file() or path.suffix not in (".csv", ".tsv", ".jsonl", ".ndjson", ".json"):
        return None
    with path.open("rb") as stream:
        return sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 20), b""))
