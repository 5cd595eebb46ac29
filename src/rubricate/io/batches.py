"""Documents without labels, some at a time and by column: for streams that go through a model.

A format that knows a quicker way than one record at a time has it in `Reader.batches`; the documents are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from scipy import sparse

from rubricate.io.reader import InputFile, Record
from rubricate.types import Documents, Sparse

__all__ = ["BATCH", "CHARACTERS", "as_documents", "batched", "documents_of", "grouped"]

_Item = TypeVar("_Item")

BATCH, CHARACTERS = 8192, 1 << 22
"""Most documents, or characters, in a batch: every batch costs some milliseconds, and memory is a few batches."""


def batched(
    items: Iterable[_Item],
    batch: int = BATCH,
    characters: int = CHARACTERS,
    *,
    length: Callable[[_Item], int] = lambda item: len(item.text),  # type: ignore[attr-defined]
) -> Iterator[list[_Item]]:
    """Yield items some at a time: as many as `batch`, or fewer if their texts reach so many characters together.

    >>> list(batched(["a", "bc", "d", "e"], 2, 2, length=len))
    [['a', 'bc'], ['d', 'e']]
    """
    part: list[_Item] = []
    size = 0
    for item in items:
        part.append(item)
        size += length(item)
        if len(part) >= batch or size >= characters:
            yield part
            part, size = [], 0
    if part:
        yield part


def grouped(records: Iterable[Record], batch: int = BATCH, characters: int = CHARACTERS) -> Iterator[Documents]:
    """Yield records as documents, some at a time."""
    return map(as_documents, batched(records, batch, characters))


def as_documents(records: Sequence[Record]) -> Documents:
    """Return records as documents without labels."""
    fields = {"vectors": [record.fields["vectors"] for record in records]} if records and records[0].fields else {}
    return _documents(
        [record.id for record in records], [record.text for record in records], [r.title for r in records], fields
    )


def documents_of(file: InputFile, cells: Mapping[str, list[Any]], *, numbers: range, lines: Sequence[int]) -> Documents:
    """Return rows of a file as documents: the cells of each role, the number of each row, and the line it starts on.

    Cells are those that `InputFile.record` takes, and so are the errors; columns of plain strings cost little.
    """
    ids, texts, titles = cells.get("id"), cells.get("text"), cells.get("title")
    if texts is None or not all(map(_plain, filter(None, (texts, titles, ids)))) or (ids is not None and "" in ids):
        rows = ({role: values[i] for role, values in cells.items()} for i in range(len(numbers)))
        return as_documents(
            [file.record(number, line, row) for number, line, row in zip(numbers, lines, rows, strict=True)]
        )
    return _documents([f"{file.prefix}{number}" for number in numbers] if ids is None else ids, texts, titles, {})


def _plain(values: list[Any]) -> bool:
    """Tell whether all are strings that a file can hold as they are."""
    if set(map(type, values)) != {str}:
        return False
    together = "".join(values)
    if together.isascii():
        return True
    try:
        together.encode()
    except UnicodeEncodeError:
        return False
    return True


@lru_cache(maxsize=8)
def _no_labels(rows: int) -> Sparse:
    """Return a matrix without columns; making one takes a tenth of the time that a short document takes."""
    return sparse.csr_array((rows, 0), dtype=bool)


def _documents(ids: list[str], texts: list[str], titles: Sequence[str | None] | None, fields: Any) -> Documents:
    return Documents(
        ids=ids,
        bodies=texts,
        labels=_no_labels(len(ids)),
        categories=(),
        titles=[title or "" for title in titles] if titles is not None and any(titles) else None,
        fields=fields,
    )
