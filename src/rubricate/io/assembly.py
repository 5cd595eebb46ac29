"""Many texts in little memory.

Python keeps an ASCII text in one byte per character, but one curly quote makes that two for all its characters and
one emoji four. Texts that are not ASCII are therefore held as UTF-8 and decoded when asked for.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidFile, InvalidInput
from rubricate.io.reader import Record
from rubricate.scratch import MappedTexts, is_out_of_core
from rubricate.types import Bools, Corpus, Documents, Edges, Sparse

__all__ = ["CompactTexts", "assemble", "generator"]


class CompactTexts(Sequence[str]):
    """A list of texts that takes about as much memory as a UTF-8 file would take space.

    >>> texts = CompactTexts(["plain", "naïve"])
    >>> texts[1], len(texts), list(texts[:1])
    ('naïve', 2, ['plain'])
    """

    __slots__ = ("_held",)

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._held: list[str | bytes] = []
        for text in texts:
            self.append(text)

    def append(self, text: str) -> None:
        """Add a text; half a surrogate pair, which no UTF-8 file can hold, is kept too."""
        self._held.append(text if text.isascii() else text.encode("utf-8", "surrogatepass"))

    def take(self, rows: Iterable[int]) -> CompactTexts:
        """Return the texts at these positions; nothing is copied."""
        taken = CompactTexts()
        taken._held = [self._held[row] for row in rows]
        return taken

    def __len__(self) -> int:
        return len(self._held)

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> CompactTexts: ...
    def __getitem__(self, position: int | slice) -> str | CompactTexts:
        if isinstance(position, slice):
            return self.take(range(*position.indices(len(self))))
        held = self._held[position]
        return held if isinstance(held, str) else held.decode("utf-8", "surrogatepass")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (list, tuple, CompactTexts)):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


def assemble(
    records: Iterable[Record],
    *,
    name: str,
    split: str,
    path: str | Path,
    categories: Sequence[str] | None = None,
    taxonomy: Edges | None = None,
    licence: str = "",
    test: float | None = None,
    seed: int = 0,
) -> Corpus:
    """Make a corpus of records. Two documents with the same id, or no documents at all, are an error.

    Parameters
    ----------
    records
        The documents; each goes where its split says, to the training documents where it says nothing.
    name, split, licence
        As in the corpus.
    path
        The file that errors name.
    categories
        All categories in order; by default those that occur in train or test, sorted by name.
    taxonomy
        (parent, child) pairs of categories.
    test
        A share of all documents, drawn at random by `seed`, that is the test set whatever the records say:
        round(test × n) documents, at least one on either side.
    seed
        Draws the test set.
    """
    gathered = _Gathered(path, categories)
    for record in records:
        gathered.add(record)
    if not gathered.ids:
        raise InvalidFile("no documents", path=path, remedy="give a file with at least one document")
    in_test = gathered.in_test if test is None else _drawn(len(gathered.ids), test, seed)
    names, labels = gathered.labels()
    return Corpus(
        name=name,
        split=split,
        train=gathered.documents(np.flatnonzero(~in_test), labels, names),
        test=gathered.documents(np.flatnonzero(in_test), labels, names),
        taxonomy=taxonomy,
        licence=licence,
    )


def generator(seed: int) -> np.random.Generator:
    """Return a random generator for a seed of the user's; InvalidInput where it is not a whole number from 0."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidInput(f"seed={seed!r}: a seed is a whole number from 0; give 0, 1, 2, …")
    return np.random.default_rng(seed)


def _drawn(n: int, share: float, seed: int) -> Bools:
    if not 0 < share < 1:
        raise InvalidInput(f"test={share!r}: a share of the documents must lie between 0 and 1; give 0.2, or a file")
    if n < 2:
        raise InvalidInput("one document cannot be split into train and test; leave test= out")
    chosen = np.zeros(n, dtype=bool)
    chosen[generator(seed).permutation(n)[: min(max(round(share * n), 1), n - 1)]] = True
    return chosen


class _Gathered:
    """Columns that grow by one document at a time; labels as 4-byte numbers, texts as `CompactTexts`."""

    def __init__(self, path: str | Path, categories: Sequence[str] | None) -> None:
        self.path, self.fixed = path, categories
        self.ids: Any = MappedTexts() if is_out_of_core() else []
        self.texts: Any = MappedTexts() if is_out_of_core() else CompactTexts()
        self.titles: Any = MappedTexts() if is_out_of_core() else CompactTexts()
        self.fields: dict[str, list[Any]] = {}
        self._seen: set[str] = set()
        self._positions = {name: position for position, name in enumerate(categories or ())}
        self._labels, self._starts, self._test = array("i"), array("q", [0]), bytearray()

    def add(self, record: Record) -> None:
        if record.id in self._seen:
            first = list(self.ids).index(record.id) + 1
            problem = f"document {len(self.ids) + 1} has the id {record.id!r} of document {first}"
            raise InvalidFile(problem, path=self.path, line=record.line, remedy="give each document its own id")
        self._seen.add(record.id)
        self.ids.append(record.id)
        self.texts.append(record.text)
        if record.title is not None:
            self.titles.append(record.title)
        for name, value in record.fields.items():
            self.fields.setdefault(name, []).append(value)
        self._labels.extend(self._position(label, record) for label in dict.fromkeys(record.labels))
        self._starts.append(len(self._labels))
        self._test.append(record.split == "test")

    def _position(self, label: str, record: Record) -> int:
        if self.fixed is not None and label not in self._positions:
            problem = (
                f"document {record.id!r} has the label {label!r}, which is not among the {len(self.fixed)} categories"
            )
            raise InvalidFile(problem, path=self.path, line=record.line, remedy="check that the files belong together")
        return self._positions.setdefault(label, len(self._positions))

    @property
    def in_test(self) -> Bools:
        return np.frombuffer(self._test, dtype=bool)

    def labels(self) -> tuple[tuple[str, ...], Sparse]:
        """Return the categories (sorted by name where they were not given) and the label matrix."""
        names = tuple(self.fixed) if self.fixed is not None else tuple(sorted(self._positions))
        column = np.zeros(max(len(self._positions), 1), dtype=np.int32)
        for position, name in enumerate(names):
            column[self._positions[name]] = position
        indices = column[np.frombuffer(self._labels, dtype=np.int32)]
        starts = np.frombuffer(self._starts, dtype=np.int64)
        starts = starts.astype(np.int32) if len(indices) < 2**31 else starts
        matrix = sparse.csr_array((np.ones(len(indices), bool), indices, starts), shape=(len(self.ids), len(names)))
        matrix.sort_indices()
        return names, matrix

    def documents(self, rows: Any, labels: Sparse, names: tuple[str, ...]) -> Documents:
        return Documents(
            ids=self.ids.take(rows) if isinstance(self.ids, MappedTexts) else [self.ids[row] for row in rows],
            bodies=self.texts.take(rows),
            labels=labels[rows],
            categories=names,
            titles=self.titles.take(rows) if len(self.titles) else None,
            fields={name: [values[row] for row in rows] for name, values in self.fields.items()},
        )
