"""Micro- and macro-averages over the population by the regression estimator; intervals on the logit scale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.labelling.population_categories import (
    FEW,
    Block,
    CategoryEstimates,
    Curve,
    LabelledSample,
    category_estimates,
    fit_curve,
    logit_t,
    regressed,
)
from rubricate.labelling.predictions import Predictions
from rubricate.types import Floats, Ints, Run

__all__ = [
    "MICRO",
    "DocumentSums",
    "PopulationEstimate",
    "PopulationEstimates",
    "macro_average",
    "micro_average",
    "population_estimates",
]

MICRO = ("precision", "recall", "f1")


class DocumentSums(NamedTuple):
    """Sums over the categories for each document: decisions, labels, both; q stands for labels in the population."""

    decided: Floats
    true: Floats
    both: Floats

    def ratio(self, name: str) -> tuple[Floats, Floats]:
        """Return numerator and denominator of each document."""
        if name == "precision":
            return self.both, self.decided
        if name == "recall":
            return self.both, self.true
        return 2 * self.both, self.decided + self.true


def micro_average(
    sample: LabelledSample,
    name: str,
    labelled: DocumentSums,
    *,
    expected: DocumentSums | None,
    level: float = 0.95,
) -> tuple[float, float, float]:
    """Return a micro-average with its interval; `expected` has the sums of all documents by q, None: labels alone."""
    x, z = labelled.ratio(name)
    below = float(sample.mean(z))
    if below <= 0:
        return float("nan"), 0.0, 1.0
    value = float(sample.mean(x)) / below
    u = x - value * z
    n, strata = len(u), len(sample.sizes)
    if expected is not None:
        above, under = expected.ratio(name)
        g = above - value * under
        moved, u = regressed(sample, u, g[sample.rows], g.mean())
        value += float(moved) / below
    spread, centre = float(sample.variance(u)) / below**2, value
    if not 0 < value < 1:  # nothing but mistakes, or none
        smoothed, least = _smoothed(sample, name, value, np.asarray((z > 0).sum()))
        if least > 0:  # else all documents are labelled
            spread, centre = float(least), float(smoothed)
    low, high = logit_t(centre, np.sqrt(spread), min(n - strata - 1, _freedom(u)), level)
    return float(np.clip(value, 0, 1)), min(float(low), value), max(float(high), value)


def macro_average(
    sample: LabelledSample, name: str, block: Block, *, labels_alone: bool = False, level: float = 0.95
) -> tuple[float, float, float]:
    """Return the macro-average of the categories of a block, which should have positives enough."""
    labelled = block.ratio(name)
    below = sample.mean(labelled.below)
    value = np.divide(sample.mean(labelled.above), below, out=np.zeros_like(below), where=below > 0)
    scale = np.where(below > 0, below, 1)
    u = (labelled.influence(value) / scale).mean(axis=1)
    mean = float(value.mean())
    if not labels_alone:
        g = (block.expected(name).influence(value) / scale).mean(axis=1)
        moved, u = regressed(sample, u, g[sample.rows], g.mean())
        mean += float(moved)
    counts, own = (labelled.below > 0).sum(axis=0), labelled.influence(value) / scale
    smoothed, least = _smoothed(sample, name, value, counts)
    lift, freedom = _skewness(sample.variance(own), least, counts)
    centre = mean if 0 < mean < 1 or not least.any() else float(smoothed.mean())
    low, high = logit_t(centre, float(np.sqrt(sample.variance(u) + lift)), freedom, level)
    mean = float(np.clip(mean, 0, 1))
    return mean, min(float(low), mean), max(float(high), mean)


def _freedom(u: Floats) -> float:
    """Return the degrees of freedom of a variance that few documents bring: 2 n / (κ − 1), κ the kurtosis of u.

    The variance of s² is σ⁴ (κ − 1) / n, which is that of a χ² with so many degrees (cramer1946, chapter 27).
    """
    centred = u - u.mean()
    square = float((centred**2).mean())
    excess = float((centred**4).mean()) / square**2 - 1 if square > 0 else 0.0
    return 2 * len(u) / excess if excess > 0 else np.inf


def _skewness(shown: Floats, least: Floats, counts: Floats) -> tuple[float, float]:
    """Return what few documents in some categories add to the variance of a mean of ratios, and its degrees of freedom.

    `shown` are the variances of the categories, and `least` what each has at least. The degrees of freedom are those of
    the categories, joined as satterthwaite1946 joins variances: a rare category that brings most of the variance brings
    its few degrees.
    """
    kept = np.maximum(shown, least)
    parts = (kept**2 / np.maximum(counts - 1, 1)).sum()
    freedom = kept.sum() ** 2 / parts if parts > 0 else np.inf  # all documents are labelled
    return float((kept - shown).sum()) / len(kept) ** 2, float(freedom)


def _smoothed(sample: LabelledSample, name: str, value: Any, counts: Any) -> tuple[Floats, Floats]:
    """Return (x + 1) / (n + 2) in place of a ratio of x in n, and its variance; F1 by way of TP / (TP + FP + FN).

    A ratio of documents that are all right shows no variance, which is not to say that it has none.
    """
    left = 1 - sample.counts.sum() / sample.sizes.sum()
    share = np.clip(value / (2 - value) if name == "f1" else value, 0, 1)
    smoothed = (share * counts + 1) / (counts + 2)
    variance = left * smoothed * (1 - smoothed) / (counts + 2)
    if name == "f1":  # F1 = 2 s / (1 + s)
        return np.asarray(2 * smoothed / (1 + smoothed)), np.asarray(variance * (2 / (1 + smoothed) ** 2) ** 2)
    return np.asarray(smoothed), np.asarray(variance)


MEASURES = ("precision", "recall", "f1", "prevalence")


@dataclass(frozen=True)
class PopulationEstimate:
    """A measure over all documents. `category` is None for averages; `estimate` is NaN where only the interval holds.

    `labelled` counts the labelled documents with the category (for averages: all labelled documents).
    """

    measure: str
    category: str | None
    estimate: float
    low: float
    high: float
    labelled: int


@dataclass(frozen=True, eq=False)
class PopulationEstimates:
    """All estimates, with what they rest on; `left_out` are the categories that macro-averages cannot cover."""

    estimates: tuple[PopulationEstimate, ...]
    documents: int
    labelled: int
    level: float
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it; NaN becomes None."""
        rows = [
            {name: None if isinstance(cell, float) and np.isnan(cell) else cell for name, cell in asdict(row).items()}
            for row in self.estimates
        ]
        facts = {"documents": self.documents, "labelled": self.labelled, "level": self.level}
        return {"estimates": rows, **facts, "left_out": list(self.left_out), "notes": list(self.notes)}

    def get(self, measure: str, category: str | None = None) -> PopulationEstimate:
        """Return the estimate of a measure, of a category or averaged."""
        for row in self.estimates:
            if row.measure == measure and row.category == category:
                return row
        raise InvalidInput(f"no estimate of {measure!r} for {category!r}; `estimates` lists those there are")


def population_estimates(
    sample: LabelledSample, run: Run, *, level: float = 0.95, labels_alone: bool = False
) -> PopulationEstimates:
    """Estimate precision, recall, F1 and prevalence over all documents of a run from a labelled sample of them.

    Parameters
    ----------
    sample : LabelledSample
        The labelled documents; its labels have the categories of the run.
    run : Run
        Decisions, and scores where there are some, for all documents of the population.
    level : float
        Confidence of the intervals.
    labels_alone : bool
        Use the labelled documents alone: what the predictions for all the others are compared with.

    The modules `categories` and `averages` have the formulas. Where categories have fewer than 5 labelled documents,
    `macro_*` is an interval that allows anything for them within their own intervals, and `macro_*_labelled` is the
    average of the others (for precision, of those that also have 5 labelled documents assigned to them).
    """
    if not 0 < level < 1:
        raise InvalidInput(f"a confidence level lies between 0 and 1, got {level}; .95 is usual")
    system = Predictions.of(run)
    if sample.labels.shape[1] != len(run.categories):
        raise InvalidInput(f"labels of {sample.labels.shape[1]} categories for a run of {len(run.categories)}")
    scores, decided = system.rows(sample.rows)
    y = sample.labels.toarray().astype(float)
    curve = None if labels_alone else fit_curve(scores, y, sample.weights)
    joined, expected = _by_category(sample, system, curve, (y, decided), level=level, alone=labels_alone)
    counts = y.sum(axis=0).astype(np.int64)
    sums = DocumentSums(decided.sum(axis=1), y.sum(axis=1), (decided * y).sum(axis=1))
    averages = [
        PopulationEstimate(
            f"micro_{name}", None, *micro_average(sample, name, sums, expected=expected, level=level), len(y)
        )
        for name in MICRO
    ]
    seen = {"precision": np.minimum(counts, decided.sum(axis=0)), "recall": counts, "f1": counts}
    for name in MICRO:
        known = np.flatnonzero(seen[name] >= FEW)
        averages += _macro(
            sample, name, joined[name], (system, curve, y, decided), known=known, alone=labels_alone, level=level
        )
    rows = [
        PopulationEstimate(name, category, *joined[name].of(c), int(counts[c]))
        for c, category in enumerate(run.categories)
        for name in MEASURES
    ]
    left_out = tuple(run.categories[c] for c in np.flatnonzero(counts < FEW))
    note = f"{len(left_out)} categories have fewer than {FEW} labelled documents: an interval, not a number"
    return PopulationEstimates(
        (*averages, *rows), len(run.documents), len(y), level, left_out, (note,) if left_out else ()
    )


def _by_category(
    sample: LabelledSample,
    system: Predictions,
    curve: Curve | None,
    labelled: tuple[Floats, Floats],
    *,
    level: float,
    alone: bool,
) -> tuple[dict[str, CategoryEstimates], DocumentSums | None]:
    """Return the estimates of all categories, and what is expected of each document (None for labels alone)."""
    y, decided = labelled
    parts: dict[str, list[CategoryEstimates]] = {name: [] for name in MEASURES}
    expected = [np.zeros(system.shape[0]) for _ in range(3)]
    for columns in system.blocks():
        block = _block(system, columns, curve, y=y, d=decided, rows=sample.rows)
        for name, estimated in category_estimates(sample, block, level=level, labels_alone=alone).items():
            parts[name].append(estimated)
        if curve is not None:
            for total, part in zip(expected, (block.all_d, block.all_q, block.all_d * block.all_q), strict=True):
                total += part.sum(axis=1)
    joined = {name: CategoryEstimates(*_joined(estimated)) for name, estimated in parts.items()}
    return joined, None if alone else DocumentSums(*expected)


def _joined(parts: list[CategoryEstimates]) -> Iterator[Floats]:
    for name in ("value", "low", "high"):
        yield np.concatenate([getattr(part, name) for part in parts]) if parts else np.zeros(0)


def _block(
    system: Predictions, columns: slice | Ints, curve: Curve | None, *, y: Floats, d: Floats, rows: Ints
) -> Block:
    """Return some categories; without a curve (labels alone) the population has no documents."""
    if curve is None:
        none = np.zeros((0, y[:, columns].shape[1]))
        return Block(y[:, columns], d[:, columns], none, none, none)
    scores, decided = system.block(columns)
    q = curve(scores)
    return Block(y[:, columns], d[:, columns], q[rows], decided, q)


def _macro(
    sample: LabelledSample,
    name: str,
    each: CategoryEstimates,
    parts: tuple[Predictions, Curve | None, Floats, Floats],
    *,
    known: Ints,
    alone: bool,
    level: float,
) -> list[PopulationEstimate]:
    """Return the macro-average, and where some categories have too few labels that of the others beside it."""
    system, curve, y, decided = parts
    total, n = len(each.value), len(y)
    if not len(known):
        low, high = float(each.low.mean()), float(each.high.mean())
        return [PopulationEstimate(f"macro_{name}", None, float("nan"), low, high, n)]
    block = _block(system, known, curve, y=y, d=decided, rows=sample.rows)
    value, low, high = macro_average(sample, name, block, labels_alone=alone, level=level)
    if len(known) == total:
        return [PopulationEstimate(f"macro_{name}", None, value, low, high, n)]
    rest = np.setdiff1d(np.arange(total), known)
    share = len(known) / total
    bounds = (
        share * low + (1 - share) * float(each.low[rest].mean()),
        share * high + (1 - share) * float(each.high[rest].mean()),
    )
    return [
        PopulationEstimate(f"macro_{name}", None, float("nan"), *bounds, n),
        PopulationEstimate(f"macro_{name}_labelled", None, value, low, high, n),
    ]
