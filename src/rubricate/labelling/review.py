"""`review_order`: which decisions of a system a person should check first. berardi2012, berardi2015.

With q the probability of a category, a decision is wrong with probability 1 − q where it was made and q where it was
not. Correcting a false positive turns the table (TP, FP, FN) into (TP, FP − 1, FN), correcting a false negative into
(TP + 1, FP, FN − 1); the gain is the difference in F1, of the category (macro) or of the pooled table (micro).
Decisions are ranked by probability × gain, with the table that the probabilities expect. Lowest confidence, the usual
order, forgets that a missed label costs F1 more than a wrong one, and that a rare category gains more from a
correction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rubricate.errors import InvalidInput, UnknownName
from rubricate.labelling.population_categories import Curve, LabelledSample, fit_curve
from rubricate.labelling.predictions import Predictions
from rubricate.types import Bools, Floats, Ints, Run

__all__ = ["Checkable", "Review", "review_order"]

MEASURES = ("micro_f1", "macro_f1")
STEPS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Parts of the budget at which the curve is given."""


@dataclass(frozen=True)
class Checkable:
    """A decision to check: whether the category was assigned, how probably that is wrong, what F1 gains on average."""

    document: str
    category: str
    decision: bool
    wrong: float
    gain: float


@dataclass(frozen=True, eq=False)
class Review:
    """Decisions to check, the most rewarding first, and (checked, expected measure) along the budget."""

    measure: str
    decisions: tuple[Checkable, ...]
    curve: tuple[tuple[int, float], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        points = [{"checked": n, "expected": value} for n, value in self.curve]
        return {"measure": self.measure, "decisions": [asdict(row) for row in self.decisions], "curve": points}


@dataclass(frozen=True, eq=False)
class _ExpectedTable:
    """Expected TP, FP, FN; one entry per category, or one for all."""

    tp: Floats
    fp: Floats
    fn: Floats

    def f1(self) -> Floats:
        below = 2 * self.tp + self.fp + self.fn
        return np.divide(2 * self.tp, below, out=np.zeros_like(below), where=below > 0)

    def gains(self) -> tuple[Floats, Floats]:
        """Return what correcting one false positive and one false negative adds to F1; at most what there is."""
        now, below = self.f1(), 2 * self.tp + self.fp + self.fn
        fewer = np.divide(2 * self.tp, np.maximum(below - 1, 2 * self.tp), out=np.zeros_like(below), where=below > 0)
        more = 2 * (self.tp + 1) / np.maximum(below + 1, 2 * self.tp + 2)
        return np.maximum(fewer - now, 0), np.maximum(more - now, 0)


def review_order(
    run: Run, *, budget: int = 100, measure: str = "micro_f1", truth: LabelledSample | None = None
) -> Review:
    """Return the decisions of a run to check first.

    Parameters
    ----------
    run : Run
        Scores and decisions; scores within 0 and 1 are probabilities.
    budget : int
        How many decisions can be checked.
    measure : "micro_f1" or "macro_f1"
        What should gain.
    truth : LabelledSample, optional
        Labels of some documents, to turn scores into probabilities; needed where scores are not probabilities, else
        the probabilities are a guess by the scale of the scores.
    """
    if measure not in MEASURES:
        raise UnknownName("measure to gain", measure, MEASURES)
    if budget < 1:
        raise InvalidInput(f"a budget of {budget} decisions; give at least 1")
    chances = _ReviewChances.of(Predictions.of(run), truth)
    each = chances.tables()
    whole = _ExpectedTable(*(np.array([part.sum()]) for part in (each.tp, each.fp, each.fn)))
    table = whole if measure == "micro_f1" else each
    row, column, gain, wrong, decided = chances.best(table, budget)
    scale = 1 if measure == "micro_f1" else len(run.categories)
    decisions = tuple(
        Checkable(str(run.documents[i]), run.categories[c], bool(d), float(w), float(g) / scale)
        for i, c, d, w, g in zip(row, column, decided, wrong, gain, strict=True)
    )
    return Review(measure, decisions, _curve(table, column, wrong, decided))


@dataclass(frozen=True, eq=False)
class _ReviewChances:
    """Probabilities of a system's categories, a block at a time: by a curve, or as the system states them."""

    system: Predictions
    curve: Curve | None

    @classmethod
    def of(cls, system: Predictions, truth: LabelledSample | None) -> _ReviewChances:
        if truth is None:
            return cls(system, None)
        scores, labels = system.rows(truth.rows)[0], truth.labels.toarray().astype(float)
        return cls(system, fit_curve(scores, labels, truth.weights))

    def block(self, columns: slice) -> tuple[Floats, Floats]:
        scores, decided = self.system.block(columns)
        return (self.system.pilot(columns) if self.curve is None else self.curve(scores)), decided

    def tables(self) -> _ExpectedTable:
        parts = []
        for columns in self.system.blocks():
            q, d = self.block(columns)
            parts.append([(d * q).sum(axis=0), (d * (1 - q)).sum(axis=0), ((1 - d) * q).sum(axis=0)])
        return _ExpectedTable(*(np.concatenate([part[k] for part in parts]) for k in range(3)))

    def best(self, table: _ExpectedTable, budget: int) -> tuple[Ints, Ints, Floats, Floats, Bools]:
        """Return document, category, gain, probability of error and decision of the best decisions, best first."""
        for_fp, for_fn = table.gains()
        kept: list[tuple[Any, ...]] = []
        for columns in self.system.blocks():
            q, d = self.block(columns)
            own = (for_fp, for_fn) if len(for_fp) == 1 else (for_fp[columns], for_fn[columns])
            wrong = np.where(d > 0, 1 - q, q)
            gain = wrong * np.where(d > 0, own[0], own[1])
            top = np.argpartition(-gain, min(budget, gain.size) - 1, axis=None)[:budget]
            row, place = np.unravel_index(top, gain.shape)
            kept.append((row, place + columns.start, gain[row, place], wrong[row, place], d[row, place] > 0))
        row, column, gain, wrong, decided = (np.concatenate([part[k] for part in kept]) for k in range(5))
        order = np.lexsort((column, row, -gain))[:budget]
        return row[order], column[order], gain[order], wrong[order], decided[order]


def _curve(
    table: _ExpectedTable, column: Ints, wrong: Floats, decided: Sequence[Any] | Bools
) -> tuple[tuple[int, float], ...]:
    """Return the expected measure after checking the first decisions, at some points of the budget."""
    points = [(0, float(table.f1().mean()))]
    for n in sorted({max(1, round(part * len(column))) for part in STEPS}) if len(column) else []:
        place = np.zeros(n, np.int64) if len(table.tp) == 1 else column[:n]
        yes = np.asarray(decided[:n], bool)
        found = np.bincount(place, weights=np.where(yes, 0, wrong[:n]), minlength=len(table.tp))
        removed = np.bincount(place, weights=np.where(yes, wrong[:n], 0), minlength=len(table.tp))
        after = _ExpectedTable(table.tp + found, np.maximum(table.fp - removed, 0), np.maximum(table.fn - found, 0))
        points.append((n, float(after.f1().mean())))
    return tuple(points)
