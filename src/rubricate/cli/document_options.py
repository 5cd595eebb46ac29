"""The documents a command reads: a corpus, a file or folder, standard input, precomputed vectors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rubricate import registry
from rubricate.cli.options import Fixed
from rubricate.errors import InvalidInput
from rubricate.io.reading import Reading

if TYPE_CHECKING:
    from rubricate.io.reader import Record
    from rubricate.types import Corpus, Documents

__all__ = [
    "STDIN",
    "Data",
    "ModelVectors",
    "Reading",
    "TestVectors",
    "UnlabelledReading",
    "Vectors",
    "as_document",
    "batches",
    "corpus_of",
    "corpus_records",
    "encoder_in",
    "expected_documents",
    "has_vectors",
    "joined",
    "peek",
    "stream",
    "within_memory",
]

STDIN = "-"
ENCODER = "model:"
"""What `--vectors` has before the folder of an encoder."""
BATCH, CHARACTERS = 8192, 1 << 22
"""Most documents, or characters, that are classified together."""
FEW, SHORT = 200, 100_000
"""Documents, and characters in them, up to which they are few.

Few texts are classified without compiled code, which starts sooner and reads slower. The limits are a guess."""

Data = Annotated[str, typer.Argument(help="A corpus, a file or folder of your own, or - for standard input.")]
Vectors = Annotated[
    str | None,
    typer.Option(help="Your own vectors: a column of a Parquet file, or an .npy file with one row per document."),
]
ModelVectors = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN|FILE.npy|model:FOLDER",
        help="Your own vectors, a column of a Parquet file or an .npy file with one row per document; or an encoder to "
        "consider besides the terms.",
    ),
]
UnlabelledReading = Annotated[Reading, Fixed(labels=None, split=None, separator=Reading.separator)]


TestVectors = Annotated[
    str | None, typer.Option("--test-vectors", help="An .npy file with the vectors of the documents in --test FILE.")
]


def encoder_in(vectors: str | None) -> tuple[str | None, str | None]:
    """Return the vectors of the user's own that an option names, and the encoder; at most one of them.

    >>> encoder_in("v.npy"), encoder_in("model:minilm"), encoder_in(None)
    (('v.npy', None), (None, 'minilm'), (None, None))
    """
    if vectors is None or not vectors.startswith(ENCODER):
        return vectors, None
    if vectors == ENCODER:
        raise InvalidInput("--vectors model: names no encoder; give a folder, such as --vectors model:minilm")
    return None, vectors.removeprefix(ENCODER)


def has_vectors(data: str, reading: Reading, vectors: str | None) -> bool:
    """Say whether the documents are vectors of the user's own: by the option, or by their format (LIBSVM)."""
    from rubricate.io import user_files

    if vectors is not None or data == STDIN or data in registry.names("corpora") or data.endswith(".npy"):
        return vectors is not None or reading.format == "libsvm"
    file = user_files.input_file(data, reading)
    return Path(str(file.path)).exists() and user_files.has_vectors(file)  # reading it says what is missing


def corpus_of(
    data: str,
    reading: Reading,
    *,
    seed: int = 0,
    test: str | None = None,
    vectors: str | None = None,
    test_vectors: str | None = None,
    prefix: str = "",
) -> Corpus:
    """Load the corpus of this name, or the user's documents; `prefix` is put before ids that are row numbers."""
    from rubricate.corpora import load

    if data in registry.names("corpora"):
        return load(data, split=None if reading.split == Reading.split else reading.split)
    share = _share(test)
    if vectors is not None and isinstance(share, str):
        both = chain(
            _in("train", stream(data, reading, vectors)), _test_documents(share, reading, vectors, test_vectors)
        )
        return replace(_assembled(both, data, test=None, seed=seed), split="files")
    if test_vectors is not None:
        raise InvalidInput("--test-vectors goes with --vectors and --test FILE; add them, or leave it out")
    if data == STDIN or vectors is not None or prefix:
        return _assembled(stream(data, reading, vectors, prefix), data, test=share, seed=seed)
    return load(data, test=share, seed=seed, **asdict(reading))


@contextmanager
def within_memory(data: str, memory: str | None) -> Iterator[None]:
    """Work out of core in this block if documents and vectors would take more than this memory (None: half the free).

    The need is guessed from the size of the file; of standard input it is unknown, and everything stays in memory
    unless a size is given.
    """
    from rubricate.scratch import memory_size, out_of_core
    from rubricate.training.memory import expected_need, free_memory

    room = memory_size(memory) if memory is not None else (free_memory() or 0) // 2
    need = None if data == STDIN or data in registry.names("corpora") else expected_need(Path(data))
    outside = memory is not None if need is None else 0 < room < need
    with out_of_core() if outside else nullcontext():
        yield


def _test_documents(test: str, reading: Reading, vectors: str, test_vectors: str | None) -> Iterator[Record]:
    """Yield the documents of a second file with their vectors: of the same column, or of another .npy file."""
    if vectors.endswith(".npy") and test_vectors is None:
        raise InvalidInput(
            f"--test {test} needs the vectors of its documents, too. Fix: add --test-vectors FILE.npy, or give a share "
            "such as --test 0.2"
        )
    if not vectors.endswith(".npy") and test_vectors is not None:
        raise InvalidInput(f"--test-vectors is a file; the vectors are the column {vectors!r} here, of both files")
    return _in("test", stream(test, reading, test_vectors or vectors, prefix="test-"))


def _in(split: Literal["train", "test"], records: Iterator[Record]) -> Iterator[Record]:
    """Yield documents as those of one split; a split column is refused."""
    for record in records:
        if record.split is not None:
            raise InvalidInput("the file has a split and --test is given; leave out --test, or give --split ''")
        yield replace(record, split=split)


def _share(test: str | None) -> Any:
    try:
        return None if test is None else float(test)
    except ValueError:
        return test


def _assembled(records: Iterator[Record], data: str, *, test: float | str | None, seed: int) -> Corpus:
    from rubricate.io.assembly import assemble

    if isinstance(test, str):
        raise InvalidInput("--test FILE goes with a file, not with standard input; give a share such as 0.2")
    path = Path("<stdin>" if data == STDIN else data)
    split = "none" if test is None else f"random-{test:g}-seed-{seed}"
    corpus = assemble(records, name=path.stem, split=split, path=path, test=test, seed=seed)
    return replace(corpus, split="column") if test is None and len(corpus.test) else corpus


def stream(data: str, reading: Reading, vectors: str | None = None, prefix: str = "") -> Iterator[Record]:
    """Yield the documents one at a time, with the field `vectors` where they have vectors.

    `prefix` is put before ids that are row numbers.
    """
    from rubricate.io import user_files
    from rubricate.io.reader import InputFile
    from rubricate.io.text_files import StandardInput
    from rubricate.io.vectors import bare_vectors, parquet_vectors, vectors_beside

    if vectors is not None and vectors.startswith(ENCODER):
        raise InvalidInput("a model names its encoder itself; Fix: leave out --vectors, or set RUBRICATE_ENCODER")
    if data in registry.names("corpora"):
        return corpus_records(data)
    if data.endswith(".npy"):
        return bare_vectors(Path(data))
    file = InputFile(StandardInput(), reading) if data == STDIN else user_files.input_file(data, reading)
    file = replace(file, prefix=prefix, needs_text=vectors is None)
    if vectors is not None and not vectors.endswith(".npy"):
        return parquet_vectors(file, vectors)
    records = user_files.stream(file)
    return records if vectors is None else vectors_beside(records, Path(vectors))


def corpus_records(corpus: str, split: str | None = None) -> Iterator[Record]:
    """Yield the test documents of a corpus, without their labels."""
    from rubricate.corpora import load
    from rubricate.io.reader import Record

    documents = load(corpus, split=split).test
    titles: Any = documents.titles or [None] * len(documents)
    for name, text, title in zip(documents.ids, documents.bodies, titles, strict=True):
        yield Record(id=name, text=text, title=title)


def as_document(text: str) -> Documents:
    """Return one text of a command line as documents."""
    from rubricate.io.batches import as_documents
    from rubricate.io.reader import Record

    return as_documents([Record(id="1", text=text, title=None)])


def batches(
    data: str, reading: Reading, vectors: str | None = None, *, batch: int | None = None
) -> Iterator[Documents]:
    """Yield the documents without labels, some at a time, by column where the format can."""
    from rubricate.io import user_files
    from rubricate.io.batches import grouped
    from rubricate.io.reader import InputFile
    from rubricate.io.text_files import StandardInput

    size = BATCH if batch is None else batch
    if vectors is not None or data in registry.names("corpora") or data.endswith(".npy"):
        return grouped(stream(data, reading, vectors), size, CHARACTERS)
    file = InputFile(StandardInput(), reading) if data == STDIN else user_files.input_file(data, reading)
    return user_files.batches(file, size, CHARACTERS)


def peek(parts: Iterator[Documents]) -> tuple[bool, Iterator[Documents]]:
    """Return whether these are a few short texts, and the documents as they were."""
    head = list(islice(parts, 1))
    few = not head or (len(head[0]) <= FEW and sum(map(len, head[0].bodies)) <= SHORT and not head[0].fields)
    if few:
        head += islice(parts, 1)
    return few and len(head) < 2, chain(head, parts)


def joined(parts: Iterator[Documents]) -> Documents:
    """Return all documents as one batch."""
    from scipy import sparse

    from rubricate.types import Documents

    held = list(parts)
    titled, fields = any(part.titles for part in held), {name for part in held for name in part.fields}
    return Documents(
        ids=[name for part in held for name in part.ids],
        bodies=[text for part in held for text in part.bodies],
        labels=sparse.csr_array((sum(map(len, held)), 0), dtype=bool),
        categories=(),
        titles=[title for part in held for title in part.titles or [""] * len(part)] if titled else None,
        fields={name: [value for part in held for value in part.fields[name]] for name in fields},
    )


def expected_documents(data: str) -> int | None:
    """Estimate the number of documents by the lines of a plain text file, for the time left; None if unknown."""
    path = Path(data)
    if not path.is_file() or path.suffix not in (".csv", ".tsv", ".jsonl", ".ndjson", ".json"):
        return None
    with path.open("rb") as stream:
        return sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 20), b""))
