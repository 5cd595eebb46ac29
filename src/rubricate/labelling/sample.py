"""How much each document is expected to move a measure, before any label is known.

A measure is a ratio θ = Σ x / Σ z, and u = x − θ z the influence of a document. With labels drawn as the pilot
probabilities q say, u has the mean `expected` and the standard deviation `spread` for each document. The variance of an
estimate from n documents is about (Var(expected) + mean(spread²)) / (n z̄²); Neyman's allocation samples by spread.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rubricate.errors import InvalidInput, UnknownName
from rubricate.labelling.population_categories import quantile
from rubricate.labelling.predictions import Predictions
from rubricate.types import Bools, Floats, Ints, Run

__all__ = [
    "DESIGNS",
    "MEASURES",
    "Influence",
    "Sample",
    "allocate",
    "draw_sample",
    "influence",
    "planned_size",
    "strata_of",
]

MEASURES = ("micro_f1", "micro_precision", "micro_recall", "macro_f1", "prevalence")


class Influence(NamedTuple):
    """Expected influence and its spread for each document, on the scale of the measure."""

    expected: Floats
    spread: Floats

    def variance(self) -> float:
        """Return the variance of an estimate from one document drawn uniformly."""
        return float(self.expected.var() + (self.spread**2).mean())


def influence(system: Predictions, measure: str = "micro_f1") -> Influence:
    """Return the influence of each document on a measure; prevalence is that of the most uncertain category."""
    if measure not in MEASURES:
        raise UnknownName("measure to plan for", measure, MEASURES)
    if measure == "prevalence":
        return _prevalence(system)
    if measure == "macro_f1":
        return _macro(system)
    return _micro(system, measure.removeprefix("micro_"))


def _coefficients(name: str) -> tuple[float, float, float]:
    """Return the weights of d·y in x, and of y and d in z."""
    return {"precision": (1.0, 0.0, 1.0), "recall": (1.0, 1.0, 0.0), "f1": (2.0, 1.0, 1.0)}[name]


def _micro(system: Predictions, name: str) -> Influence:
    both, true, decided = _coefficients(name)
    above = below = 0.0
    for columns in system.blocks():
        q, d = system.pilot(columns), system.block(columns)[1]
        above += both * float((d * q).sum())
        below += true * float(q.sum()) + decided * float(d.sum())
    value = above / below if below > 0 else 0.0
    expected, variance = np.zeros(system.shape[0]), np.zeros(system.shape[0])
    for columns in system.blocks():
        q, d = system.pilot(columns), system.block(columns)[1]
        slope = both * d - value * true
        expected += (slope * q - value * decided * d).sum(axis=1)
        variance += (slope**2 * q * (1 - q)).sum(axis=1)
    scale = max(below / system.shape[0], 1e-12)
    return Influence(expected / scale, np.sqrt(variance) / scale)


def _macro(system: Predictions) -> Influence:
    documents, categories = system.shape
    expected, variance = np.zeros(documents), np.zeros(documents)
    for columns in system.blocks():
        q, d = system.pilot(columns), system.block(columns)[1]
        # Three documents more than expected: a category that is hardly ever predicted must not rule the sample.
        below = ((q + d).sum(axis=0) + 3) / documents
        value = 2 * (d * q).mean(axis=0) / below
        slope = (2 * d - value) / below
        expected += (slope * q - value * d / below).sum(axis=1)
        variance += (slope**2 * q * (1 - q)).sum(axis=1)
    return Influence(expected / categories, np.sqrt(variance) / categories)


def _prevalence(system: Predictions) -> Influence:
    best: Influence | None = None
    for columns in system.blocks():
        q = system.pilot(columns)
        c = int(np.argmax((q * (1 - q)).mean(axis=0) + q.var(axis=0)))
        own = Influence(q[:, c], np.sqrt(q[:, c] * (1 - q[:, c])))
        best = own if best is None or own.variance() > best.variance() else best
    return best or Influence(np.zeros(system.shape[0]), np.zeros(system.shape[0]))


DESIGNS = ("uniform", "stratified", "neyman")
BANDS = 4
"""Strata of the design "neyman". More gain little: the spread within a band is small already."""
COMMON = 0.05
"""A predicted category with at least this share of the documents has strata of its own."""


def strata_of(system: Predictions, design: str, influence: Influence) -> Ints:
    """Return the stratum of each document, 0, 1, …; a function of the predictions and the design alone.

    uniform     one stratum
    stratified  the most confident predicted category (those with 5 % of the documents; the others together; none),
                each split at its median confidence
    neyman      four bands of the expected spread, cut where the cumulated root of the spread is equal (dalenius1959)
    """
    if design not in DESIGNS:
        raise UnknownName("design", design, DESIGNS)
    if design == "uniform":
        return np.zeros(system.shape[0], np.int64)
    strata = _by_category(system) if design == "stratified" else _by_spread(influence.spread)
    return np.unique(strata, return_inverse=True)[1].astype(np.int64)


def _by_spread(spread: Floats) -> Ints:
    order = np.argsort(spread, kind="stable")
    cumulated = np.cumsum(np.sqrt(spread[order]))
    strata = np.empty(len(spread), np.int64)
    total = cumulated[-1] if len(cumulated) and cumulated[-1] > 0 else 1.0
    strata[order] = np.minimum((cumulated / total * BANDS).astype(np.int64), BANDS - 1)
    return strata


def _by_category(system: Predictions) -> Ints:
    documents = system.shape[0]
    first, confidence = np.full(documents, -1, np.int64), np.full(documents, -1.0)
    doubt = np.zeros(documents)
    for columns in system.blocks():
        q, d = system.pilot(columns), system.block(columns)[1]
        sure = np.where(d > 0, q, -1.0)
        best = sure.argmax(axis=1)
        top = sure[np.arange(documents), best]
        better = top > confidence
        first[better], confidence[better] = best[better] + columns.start, top[better]
        doubt = np.maximum(doubt, np.where(d > 0, 0, q).max(axis=1))
    confidence = np.where(first >= 0, confidence, 1 - doubt)
    counts = np.bincount(first + 1, minlength=system.shape[1] + 1)
    common = counts >= COMMON * documents
    group = np.where(first < 0, 0, np.where(common[first + 1], first + 2, 1))
    strata = np.zeros(documents, np.int64)
    for name in np.unique(group):
        own = group == name
        strata[own] = 2 * name + (confidence[own] > np.median(confidence[own]))
    return strata


def allocate(n: int, sizes: Ints, spreads: Floats, *, least: Ints) -> Ints:
    """Return how many documents to draw from each stratum: in proportion to size × spread. neyman1934.

    Each stratum gives at least `least` (what earlier batches drew) and 2 (for a variance), or all it has. Rounding by
    largest remainders; a stratum that runs out passes its share to the others.
    """
    floor = np.minimum(np.maximum(least, 2), sizes)
    n = int(min(max(n, floor.sum()), sizes.sum()))
    wish = sizes * np.maximum(spreads, 1e-12)
    given = floor.copy()
    while given.sum() < n:
        free = given < sizes
        ideal = n * np.where(free, wish, 0) / wish[free].sum()
        # The next document goes to the stratum that is furthest below its share.
        lack = np.where(free, (ideal + 1e-9) / (given + 0.5), -1.0)
        step = max(1, int(0.5 * (n - given.sum()) / len(sizes)))
        h = int(np.argmax(lack))
        given[h] += min(step, int(sizes[h] - given[h]))
    return given


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
