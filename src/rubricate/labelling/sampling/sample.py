"""`draw_sample`: choose the documents that people label, and `planned_size`: how many of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.labelling.population.bounds import quantile
from rubricate.labelling.predictions import Predictions
from rubricate.labelling.sampling.influence import Influence, influence
from rubricate.labelling.sampling.strata import allocate, strata_of
from rubricate.types import Bools, Floats, Ints, Run

__all__ = ["Sample", "draw_sample", "planned_size"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Documents to label, in random order. `sizes` has the population of each stratum, `batch` when each was drawn."""

    documents: tuple[str, ...]
    rows: Ints
    stratum: Ints
    sizes: Ints
    batch: Ints
    design: str
    measure: str
    seed: int

    @property
    def probability(self) -> Floats:
        """Return the inclusion probability of each document, n_h / N_h."""
        counts = np.bincount(self.stratum, minlength=len(self.sizes))
        return np.asarray((counts / self.sizes)[self.stratum])


def draw_sample(
    run: Run,
    n: int,
    *,
    design: str = "uniform",
    measure: str = "micro_f1",
    seed: int = 0,
    earlier: Sample | None = None,
) -> Sample:
    """Choose n documents of a run to label (n further ones where an earlier sample is given).

    Parameters
    ----------
    run : Run
        Predictions of a system for all documents.
    n : int
        How many documents.
    design : "uniform", "stratified" or "neyman"
        See `strata_of`. Within a stratum every document has the same chance.
    measure : str
        The measure whose variance the design "neyman" keeps small: micro_f1, micro_precision, micro_recall, macro_f1,
        prevalence.
    seed : int
        The same seed gives every document the same random number, and a stratum gives its documents with the smallest
        numbers: a later batch extends an earlier one, and together they are one sample. ohlsson1995.
    earlier : Sample, optional
        What was drawn before, from the same run; design, measure and seed are taken from it.
    """
    if n < 1:
        raise InvalidInput(f"a sample of {n} documents; give at least 1")
    if earlier is not None:
        design, measure, seed = earlier.design, earlier.measure, earlier.seed
    system = Predictions.of(run)
    moved = influence(system, measure)
    strata = strata_of(system, design, moved)
    sizes = np.bincount(strata)
    before = np.zeros(len(sizes), np.int64)
    if earlier is not None:
        before = _counts_before(earlier, run, strata, sizes)
        n += len(earlier.documents)
    if n > len(run.documents):
        raise InvalidInput(f"a sample of {n} documents from {len(run.documents)}; give at most that many")
    spreads = np.ones(len(sizes)) if design == "stratified" else _spreads(moved, strata, len(sizes))
    counts = allocate(n, sizes, spreads, least=before)
    numbers = _random_numbers(run.documents, seed)
    rows = np.concatenate([_smallest(np.flatnonzero(strata == h), numbers, k) for h, k in enumerate(counts)])
    rows = rows[np.argsort(numbers[rows], kind="stable")]
    batch = np.ones(len(rows), np.int64)
    if earlier is not None:
        known = dict(zip(earlier.documents, earlier.batch.tolist(), strict=True))
        last = int(earlier.batch.max(initial=0)) + 1
        batch = np.array([known.get(str(run.documents[row]), last) for row in rows], np.int64)
        rows, batch = (part[np.argsort(batch, kind="stable")] for part in (rows, batch))
    ids = tuple(str(run.documents[row]) for row in rows)
    return Sample(ids, rows, strata[rows], sizes, batch, design, measure, seed)


def _spreads(moved: Influence, strata: Ints, count: int) -> Floats:
    """Return the spread within each stratum: of what is expected and of what the labels add."""
    return np.array(
        [
            np.sqrt(moved.expected[strata == h].var() + (moved.spread[strata == h] ** 2).mean()) if count > 1 else 1.0
            for h in range(count)
        ]
    )


def _smallest(rows: Ints, numbers: Floats, count: int) -> Ints:
    return rows[np.argsort(numbers[rows], kind="stable")[:count]]


def _random_numbers(documents: Sequence[str], seed: int) -> Floats:
    """Return a number between 0 and 1 for each document: a digest of the seed and its id, whatever the order."""
    start = hashlib.blake2b(str(seed).encode(), digest_size=8)
    numbers = np.empty(len(documents), np.uint64)
    for row, name in enumerate(documents):
        digest = start.copy()
        digest.update(b"\0" + str(name).encode("utf-8", "surrogatepass"))
        numbers[row] = int.from_bytes(digest.digest(), "big")
    return numbers / 2.0**64


def _counts_before(earlier: Sample, run: Run, strata: Ints, sizes: Ints) -> Ints:
    """Return how many documents each stratum gave before; the run must be the one that was sampled."""
    place = {str(name): row for row, name in enumerate(run.documents)}
    lost = [name for name in earlier.documents if name not in place]
    if lost:
        raise InvalidInput(f"{len(lost)} documents of the earlier sample are not in the run, such as {lost[0]}")
    rows = np.array([place[name] for name in earlier.documents], np.int64)
    same: Bools = strata[rows] == earlier.stratum
    if not np.array_equal(sizes, earlier.sizes) or not same.all():
        raise InvalidInput("the run differs from the one that was sampled (other strata); extend with the same run")
    return np.bincount(earlier.stratum, minlength=len(sizes))


def planned_size(
    run: Run, width: float, *, measure: str = "micro_f1", design: str = "uniform", level: float = 0.95
) -> int:
    """Return how many documents to label for an interval of this width (from end to end), before any is labelled.

    The variance is that of `influence`, which trusts the scores as probabilities; where they are not, plan again when
    the first batch is labelled. With fewer documents left the finite population needs fewer labels.
    """
    if not 0 < width < 1:
        raise InvalidInput(f"an interval of width {width:g}; give a width between 0 and 1, such as 0.05")
    system = Predictions.of(run)
    moved = influence(system, measure)
    strata = strata_of(system, design, moved)
    variance = moved.variance()
    if design != "uniform":
        share = np.bincount(strata) / len(strata)
        spreads = _spreads(moved, strata, len(share))
        variance = float((share * spreads).sum() ** 2 if design == "neyman" else (share * spreads**2).sum())
    documents = len(run.documents)
    needed = variance * (2 * quantile(level) / width) ** 2
    return int(min(documents, max(2, np.ceil(needed / (1 + needed / documents)))))
