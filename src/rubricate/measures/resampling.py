"""The one resampler: how often each document is drawn, times what it adds to sums, of which statistics are made.

Documents that add the same to every sum have the same effect in every draw. They are one pattern, and a draw of
documents is a draw of how many there are of each pattern: multinomial for the bootstrap, binomial if the answers of two
systems are exchanged. The distribution is that of drawing documents; the cost follows the patterns. Statistics that
need the documents themselves, such as rankings, and systems that must share their draws, take weights of documents.

All draws come from a seed, one after the other, so they depend neither on threads nor on how many are made at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rubricate.engines import Engine, one_blas_thread, stream_tasks
from rubricate.errors import InvalidInput
from rubricate.measures.tables import canonical
from rubricate.types import Counts, Floats, Ints, Sparse

__all__ = [
    "BLOCK_DRAWS", "CountSums", "Patterns", "binomial_draws", "bootstrap", "count_patterns", "document_draws",
    "group_documents", "sum_rows", "weighted_means", "weighted_sums",
]  # fmt: skip

BLOCK_DRAWS = 20
"""Draws of documents in a task: .1 s for 400,000 scores, and a task costs a cluster some milliseconds."""

MAX_CELLS = 4_000_000
"""Draws × patterns (or columns) that are made at a time: 32 MB."""

Sums = TypeVar("Sums", bound=tuple[Any, ...])


def weighted_sums(adds: Sums, weights: Any) -> Sums:
    """Return the sums, a row per draw, if pattern p counts `weights[b, p]` times; sums of whole numbers are exact."""
    w = np.atleast_2d(np.asarray(weights, np.float64))
    return cast(Sums, cast(Any, type(adds))(*(np.ascontiguousarray(w @ add) for add in adds)))


@dataclass(frozen=True, eq=False)
class Patterns(Generic[Sums]):
    """Documents that add the same, grouped: the pattern of each, how many have it, what one of them adds to each sum.

    `adds` is a named tuple of matrices patterns × columns, or of one number per pattern.
    """

    codes: Ints
    sizes: Ints
    adds: Sums

    @property
    def documents(self) -> int:
        """Return the number of documents."""
        return len(self.codes)

    def sums(self, weights: Any) -> Sums:
        """Return the sums, a row per draw, if pattern p occurs `weights[b, p]` times in draw b."""
        return weighted_sums(self.adds, weights)

    def observed(self) -> Sums:
        """Return the sums of the documents themselves, one row."""
        return self.sums(self.sizes)

    def drawn(self, draws: int, rng: np.random.Generator) -> Ints:
        """Return how often each pattern occurs if the documents are drawn with replacement: draws × patterns."""
        return rng.multinomial(self.documents, self.sizes / max(self.documents, 1), draws)

    def draws(self, number: int, rng: np.random.Generator) -> Iterator[Ints]:
        """Yield the same, as many draws at a time as memory is kept for."""
        columns = sum(add.shape[1] for add in self.adds if add.ndim == 2)
        for size in _block_sizes(number, len(self.sizes) + columns):
            yield self.drawn(size, rng)


def _block_sizes(draws: int, cells: int) -> Iterator[int]:
    step = max(1, MAX_CELLS // max(cells, 1))
    return (min(step, draws - start) for start in range(0, draws, step))


def binomial_draws(
    sizes: Ints, draws: int, *, rng: np.random.Generator, chance: Any = 0.5, columns: int = 0
) -> Iterator[Ints]:
    """Yield blocks of draws × patterns: how many documents of each are exchanged; `columns` are those of their sums."""
    for size in _block_sizes(draws, len(sizes) + columns):
        yield rng.binomial(sizes, chance, (size, len(sizes)))


def group_documents(marks: Any) -> tuple[Ints, Ints, Ints]:
    """Return the first document of each pattern, the pattern of each document, and the sizes of the patterns.

    `marks` are two columns of sums of random numbers. Documents are grouped by the first one; if the second one
    contradicts, no documents are grouped. Cost: documents · log documents.
    """
    _, first, codes, sizes = np.unique(marks[:, 0], return_index=True, return_inverse=True, return_counts=True)
    if (marks[first, 1][codes] != marks[:, 1]).any():
        return np.arange(len(marks)), np.arange(len(marks)), np.ones(len(marks), np.int64)
    return first, codes.astype(np.int64), sizes.astype(np.int64)


def sum_rows(matrix: Sparse, numbers: Any) -> Any:
    """Return the sum over each row's entries of one number per entry; whole numbers may wrap around."""
    sums = np.zeros(matrix.nnz + 1, numbers.dtype)
    np.cumsum(numbers, out=sums[1:])
    return sums[matrix.indptr[1:]] - sums[matrix.indptr[:-1]]


class CountSums(NamedTuple):
    """What measures of counts are made of: TP, true and assigned labels of each category, and numbers of documents.

    `exact` are the documents that are exactly right, `outside` the assigned labels that are no category's, `silent` the
    documents without any answer, `n` the documents.
    """

    tp: Any
    true: Any
    assigned: Any
    exact: Floats
    outside: Floats
    silent: Floats
    n: Floats

    def table(self) -> Counts:
        """Return the contingency tables of the categories, those of one draw after those of the other."""
        tp, true, assigned = (part.astype(np.int64) for part in (self.tp, self.true, self.assigned))
        tn = self.n.astype(np.int64)[:, None] - true - assigned + tp
        return Counts(*(part.ravel() for part in (tp, assigned - tp, true - tp, tn)))


def count_patterns(truth: Sparse, decided: Sparse, outside: Ints | None = None) -> Patterns[CountSums]:
    """Group documents by their true labels, decisions and number of labels outside the categories.

    Cost: labels, decisions, documents · log documents.
    """
    true, yes = canonical(truth), canonical(decided)
    extra = np.zeros(true.shape[0], np.int64) if outside is None else np.asarray(outside, np.int64)
    numbers = np.random.default_rng(1999).integers(0, 2**63, (6, max(true.shape[1], 1)), dtype=np.uint64)
    marks = [
        sum_rows(true, of_true[true.indices]) + sum_rows(yes, of_yes[yes.indices]) + extra.astype(np.uint64) * of_extra
        for of_true, of_yes, of_extra in ((numbers[0], numbers[1], numbers[2, 0]), (*numbers[3:5], numbers[5, 0]))
    ]
    first, codes, sizes = group_documents(np.column_stack(marks))
    t, a, more = true[first], yes[first], extra[first]
    both = canonical(t.multiply(a))
    answers, labels, hits = (np.diff(part.indptr) for part in (a, t, both))
    exact, silent = (answers == hits) & (labels == hits) & (more == 0), (answers == 0) & (more == 0)
    adds = (part.astype(np.float64) for part in (both, t, a, exact, more, silent, np.ones(len(first))))
    return Patterns(codes, sizes, CountSums(*adds))


def document_draws(documents: int, *, draws: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    """Yield how often each document is drawn, in blocks of draws × documents; counts above 255 do not occur."""
    if draws < 1:
        raise InvalidInput(f"a bootstrap needs at least one draw, got {draws}; 1000 is usual")
    if documents < 1:
        raise InvalidInput("there is no document to draw; a bootstrap needs at least one")
    rng = np.random.default_rng(seed)
    for start in range(0, draws, BLOCK_DRAWS):
        weights = np.empty((min(BLOCK_DRAWS, draws - start), documents), np.uint8)
        for drawn in weights:
            drawn[:] = np.bincount(rng.integers(0, documents, documents), minlength=documents)
        yield weights


def bootstrap(
    statistics: Callable[[Ints], Mapping[str, float]],
    documents: int,
    *,
    draws: int = 1000,
    seed: int = 0,
    engine: Engine | str = "serial",
) -> dict[str, Floats]:
    """Return the values of statistics in resamples of the documents, drawn with replacement. efron1993, chapter 6.

    `statistics` gets how often each document was drawn. The resamples depend on `seed` and `documents` alone.
    """
    with one_blas_thread():  # once here: to set it for every block takes longer than a block of few documents
        blocks = document_draws(documents, draws=draws, seed=seed)
        tasks = stream_tasks(partial(_measure_draws, statistics), blocks, engine=engine)
        rows = [row for block in tasks for row in block]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _measure_draws(
    statistics: Callable[[Ints], Mapping[str, float]], block: NDArray[np.uint8]
) -> list[dict[str, float]]:
    with one_blas_thread():  # sums of products must not depend on the cores of a machine
        return [dict(statistics(weights.astype(np.int64))) for weights in block]


def weighted_means(each: Mapping[str, Floats], weights: Ints) -> dict[str, float]:
    """Average per-document values by weight, NaN left out."""
    means = {}
    for name, values in each.items():
        kept = ~np.isnan(values)
        n = weights[kept].sum()
        means[name] = float(weights[kept] @ values[kept] / n) if n else float("nan")
    return means
