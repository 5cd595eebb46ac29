"""The document bootstrap: documents drawn with replacement, and what each of them adds to the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rubricate.engines import Engine, one_blas_thread, stream_tasks
from rubricate.errors import InvalidInput
from rubricate.measures.counting.tables import canonical
from rubricate.types import Counts, Floats, Ints, Sparse

__all__ = ["TableResampler", "bootstrap", "weighted_means"]

BLOCK = 20
"""Draws in a task: .1 s for 400,000 scores, where a task costs a cluster some milliseconds."""


@dataclass(frozen=True, eq=False)
class TableResampler:
    """What each document adds to the tables: (document, category) of every TP, FP and FN; TN follow from the rest."""

    documents: int
    categories: int
    tp: tuple[Ints, Ints]
    fp: tuple[Ints, Ints]
    fn: tuple[Ints, Ints]

    @classmethod
    def of(cls, truth: Sparse, decided: Sparse) -> TableResampler:
        """Note what each document adds to the tables of a system. Cost: labels and decisions."""
        true, yes = canonical(truth), canonical(decided)
        both = true.multiply(yes)
        return cls(*true.shape, *((part.nonzero()) for part in (both, yes > both, true > both)))

    def counts(self, weights: Ints) -> Counts:
        """Count the tables when document d is drawn `weights[d]` times. Cost: labels and decisions."""
        tp, fp, fn = (
            np.bincount(columns, weights=weights[rows], minlength=self.categories).astype(np.int64)
            for rows, columns in (self.tp, self.fp, self.fn)
        )
        return Counts(tp, fp, fn, int(weights.sum()) - tp - fp - fn)


def bootstrap(
    statistics: Callable[[Ints], Mapping[str, float]],
    documents: int,
    *,
    draws: int = 1000,
    seed: int = 0,
    engine: Engine | str = "serial",
) -> dict[str, Floats]:
    """Return the values of statistics in resamples of the documents, drawn with replacement. efron1993, chapter 6.

    `statistics` gets how often each document was drawn. The resamples depend on `seed` and `documents` alone: each
    block of draws starts from the state that the generator has there, so that the engine changes nothing.
    """
    if draws < 1:
        raise InvalidInput(f"a bootstrap needs at least one draw, got {draws}; 1000 is usual")
    if documents < 1:
        raise InvalidInput("there is no document to draw; a bootstrap needs at least one")
    with one_blas_thread():  # once here: to set it for every block takes longer than a block of few documents
        blocks = stream_tasks(_Draws(statistics, documents), _states(documents, draws, seed), engine=engine)
        rows = [row for block in blocks for row in block]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _states(documents: int, draws: int, seed: int) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Yield for each block of draws the state of the generator before it, and the number of draws."""
    rng = np.random.default_rng(seed)
    for start in range(0, draws, BLOCK):
        size = min(BLOCK, draws - start)
        yield rng.bit_generator.state, size
        for _ in range(size):  # numbers that are out of range are drawn again, so the generator cannot be advanced
            rng.integers(0, documents, documents)


@dataclass(frozen=True, eq=False)
class _Draws:
    """The statistics of a block of draws."""

    statistics: Callable[[Ints], Mapping[str, float]]
    documents: int

    def __call__(self, block: tuple[Mapping[str, Any], int]) -> list[dict[str, float]]:
        state, draws = block
        rng, n = np.random.default_rng(), self.documents
        rng.bit_generator.state = state
        with one_blas_thread():  # sums of products must not depend on the cores of a machine
            return [dict(self.statistics(np.bincount(rng.integers(0, n, n), minlength=n))) for _ in range(draws)]


def weighted_means(each: Mapping[str, Floats], weights: Ints) -> dict[str, float]:
    """Average per-document values by weight, NaN left out."""
    means = {}
    for name, values in each.items():
        kept = ~np.isnan(values)
        n = weights[kept].sum()
        means[name] = float(weights[kept] @ values[kept] / n) if n else float("nan")
    return means
