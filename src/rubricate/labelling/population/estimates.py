"""`population_estimates`: how good a system is over all documents, from a labelled sample and its predictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.labelling.population.averages import MICRO, DocumentSums, macro_average, micro_average
from rubricate.labelling.population.calibration import Curve, fit_curve
from rubricate.labelling.population.categories import FEW, Block, CategoryEstimates, category_estimates
from rubricate.labelling.population.labelled import LabelledSample
from rubricate.labelling.predictions import Predictions
from rubricate.types import Floats, Ints, Run

__all__ = ["PopulationEstimate", "PopulationEstimates", "population_estimates"]

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
