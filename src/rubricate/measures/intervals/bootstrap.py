"""The document bootstrap: documents drawn with replacement, and what each of them adds to the tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.measures.counting.tables import canonical
from rubricate.types import Counts, Floats, Ints, Sparse

__all__ = ["TableResampler", "bootstrap", "weighted_means"]


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
    statistics: Callable[[Ints], Mapping[str, float]], documents: int, *, draws: int = 1000, seed: int = 0
) -> dict[str, Floats]:
    """Return the values of statistics in resamples of the documents, drawn with replacement. efron1993, chapter 6.

    `statistics` gets how often each document was drawn. The resamples depend on `seed` and `documents` alone.
    """
    if draws < 1:
        raise InvalidInput(f"a bootstrap needs at least one draw, got {draws}; 1000 is usual")
    if documents < 1:
        raise InvalidInput("there is no document to draw; a bootstrap needs at least one")
    rng = np.random.default_rng(seed)
    rows = [statistics(np.bincount(rng.integers(0, documents, documents), minlength=documents)) for _ in range(draws)]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def weighted_means(each: Mapping[str, Floats], weights: Ints) -> dict[str, float]:
    """Average per-document values by weight, NaN left out."""
    means = {}
    for name, values in each.items():
        kept = ~np.isnan(values)
        n = weights[kept].sum()
        means[name] = float(weights[kept] @ values[kept] / n) if n else float("nan")
    return means
