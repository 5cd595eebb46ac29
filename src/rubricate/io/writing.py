"""Write documents in any format that can be written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from rubricate import registry
from rubricate.errors import InvalidInput
from rubricate.io import Record
from rubricate.io.user_files import format_of
from rubricate.storage import atomic
from rubricate.types import Corpus, Documents

__all__ = ["document_records", "writable_formats", "write_documents"]


def writable_formats() -> list[str]:
    """Return the names of the formats that can be written."""
    return [name for name in registry.names("readers") if registry.load("readers", name).write]


def write_documents(
    documents: Corpus | Documents | Iterable[Record], path: str | Path, *, format: str | None = None
) -> int:
    """Write documents with their labels to a file, whole or not at all; return how many.

    Parameters
    ----------
    documents
        A corpus (its test documents are marked by a split where it has any), documents, or records.
    path
        The file; its ending says the format unless `format` does.
    format
        One of `writable_formats()`.
    """
    name = format or format_of(Path(path))
    write = registry.load("readers", name).write
    if write is None:
        raise InvalidInput(f"format {name!r} is only read; give one of {', '.join(writable_formats())}")
    count = 0

    def counted() -> Iterator[Record]:
        nonlocal count
        for record in document_records(documents):
            count += 1
            yield record

    with atomic(path) as stream:
        write(counted(), stream)
    return count


def document_records(documents: Corpus | Documents | Iterable[Record]) -> Iterator[Record]:
    """Yield the documents of a corpus one at a time, training documents first."""
    if isinstance(documents, Corpus):
        splits = len(documents.test) > 0
        yield from _records(documents.train, "train" if splits else None)
        yield from _records(documents.test, "test")
    elif isinstance(documents, Documents):
        yield from _records(documents, None)
    else:
        yield from documents


def _records(documents: Documents, split: Literal["train", "test"] | None) -> Iterator[Record]:
    titles: Any = documents.titles or [None] * len(documents)
    labels = documents.labels
    for row, (name, text, title) in enumerate(zip(documents.ids, documents.bodies, titles, strict=True)):
        columns = labels.indices[labels.indptr[row] : labels.indptr[row + 1]]
        yield Record(name, text, tuple(documents.categories[c] for c in columns), title=title, split=split)
