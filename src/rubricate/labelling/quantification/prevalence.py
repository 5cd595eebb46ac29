"""`prevalence`: how common each category is among the documents of a run, and `drift` between two sets of documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from rubricate.errors import InvalidInput, UnknownName
from rubricate.labelling.population.calibration import fit_curve
from rubricate.labelling.population.categories import Block, category_estimates
from rubricate.labelling.population.labelled import LabelledSample
from rubricate.labelling.predictions import Predictions, logistic
from rubricate.labelling.quantification.curves import category_curves, chances_by
from rubricate.labelling.quantification.methods import METHODS, LabelledScores, Unlabelled, quantify
from rubricate.types import Floats, Run, Sparse

__all__ = ["Drift", "Prevalence", "drift", "prevalence"]

WORK = 1 << 25
"""Most cells of draws × documents at once, 256 MB."""


@dataclass(frozen=True)
class Prevalence:
    """The share of documents with a category, and how it was estimated; NaN where only the interval holds."""

    category: str
    estimate: float
    low: float
    high: float
    method: str


@dataclass(frozen=True)
class Drift:
    """Whether a category is more or less common in one set of documents than in another, as its scores say."""

    category: str
    before: float
    now: float
    p_value: float
    adjusted_p: float


@dataclass(frozen=True, eq=False)
class _Parts:
    """Scores, decisions and labels of labelled documents, over the categories of the run."""

    scores: Floats
    decided: Floats
    labels: Floats


def prevalence(
    run: Run,
    *,
    truth: LabelledSample | None = None,
    held_out: tuple[Run, Sparse] | None = None,
    method: str | None = None,
    draws: int = 200,
    level: float = 0.95,
    seed: int = 0,
) -> list[Prevalence]:
    """Estimate the prevalence of each category among the documents of a run.

    Parameters
    ----------
    run : Run
        Decisions, and scores where there are some.
    truth : LabelledSample, optional
        Labels of a random sample of these documents.
    held_out : (Run, labels), optional
        The same system's predictions of other labelled documents, which it was not trained on (or out-of-fold).
    method : str, optional
        cc, pcc, acc, pacc, em, or sample: the estimator of `population_estimates`, for labels of a random sample.
        By default sample with `truth`, pacc with `held_out` where the scores have drifted (`drift`) and pcc where they
        have not, and without labels pcc for probabilities and cc for decisions.
    draws, level, seed
        Resamples of both sets of documents for the intervals.

    With labels the scores become probabilities by a logistic curve per category; without, only scores within 0 and 1
    are probabilities.
    """
    if truth is not None and held_out is not None:
        raise InvalidInput("labels of the run's documents and held-out documents; give one of them")
    if method not in (None, "sample", *METHODS):
        raise UnknownName("method", str(method), ("sample", *METHODS))
    system = Predictions.of(run)
    known = _from_truth(system, truth) if truth is not None else _from_held_out(run, held_out)
    if method == "sample" or (method is None and truth is not None):
        if truth is None:
            raise InvalidInput("the method sample needs labels of a random sample of the documents (--truth)")
        return _sampled(system, truth, level)
    return _quantified(system, known, method, draws=draws, level=level, rng=np.random.default_rng(seed))


def _from_truth(system: Predictions, truth: LabelledSample) -> _Parts:
    scores, decided = system.rows(truth.rows)
    return _Parts(scores, decided, truth.labels.toarray().astype(float))


def _from_held_out(run: Run, held_out: tuple[Run, Sparse] | None) -> _Parts | None:
    if held_out is None:
        return None
    other, labels = held_out
    if other.categories != run.categories:
        raise InvalidInput("the held-out documents have other categories than the run; give the same system's files")
    scores, decided = Predictions.of(other).rows(np.arange(len(other.documents)))
    return _Parts(scores, decided, labels.toarray().astype(float))


def _sampled(system: Predictions, truth: LabelledSample, level: float) -> list[Prevalence]:
    scores, decided = system.rows(truth.rows)
    y = truth.labels.toarray().astype(float)
    curve = fit_curve(scores, y, truth.weights)
    rows = []
    for columns in system.blocks():
        every, chosen = system.block(columns)
        q = curve(every)
        block = Block(y[:, columns], decided[:, columns], q[truth.rows], chosen, q)
        found = category_estimates(truth, block, level=level)["prevalence"]
        for c, name in enumerate(system.run.categories[columns]):
            value = float(found.value[c])
            rows.append(Prevalence(name, value, float(found.low[c]), float(found.high[c]), "sample"))
    return rows


def _quantified(
    system: Predictions,
    known: _Parts | None,
    method: str | None,
    *,
    draws: int,
    level: float,
    rng: np.random.Generator,
) -> list[Prevalence]:
    rows = []
    moved = _moved(system, known) if method is None and known is not None else np.zeros(system.shape[1], bool)
    for columns in system.blocks():
        scores, decided = system.block(columns)
        chances, labelled = _chances(system, scores, known, columns)
        for c, name in enumerate(system.run.categories[columns]):
            place = columns.start + c
            chosen = method or _default(system, known, bool(moved[place]))
            own = Unlabelled(decided[:, [c]], chances[:, [c]], np.ones((1, len(decided))))
            alike = None if labelled is None else labelled.category(c)
            value = float(quantify(own, alike, chosen)[0, 0])
            low, high = _ends(own, alike, chosen, draws=draws, level=level, rng=rng)
            rows.append(Prevalence(name, value, min(low, value), max(high, value), chosen))
    return rows


def _ends(
    own: Unlabelled,
    labelled: LabelledScores | None,
    method: str,
    *,
    draws: int,
    level: float,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return the percentile interval over resamples of both sets of documents; 0 to 1 without draws."""
    if not draws:
        return 0.0, 1.0
    drawn = np.concatenate([quantify(*again, method)[:, 0] for again in _resampled(own, labelled, draws, rng)])
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def _default(system: Predictions, known: _Parts | None, moved: bool) -> str:
    if known is not None:
        return "pacc" if moved else "pcc"
    return "pcc" if system.probabilities else "cc"


def _chances(
    system: Predictions, scores: Floats, known: _Parts | None, columns: slice
) -> tuple[Floats, LabelledScores | None]:
    if known is None:
        # Without labels scores that are not probabilities have none to give: pcc then counts decisions at 0.
        return (logistic(scores) if system.probabilities else (scores > 0).astype(float)), None
    held, labels = known.scores[:, columns], known.labels[:, columns]
    curves = category_curves(held, labels)
    labelled = LabelledScores(known.decided[:, columns], chances_by(curves, held), labels, np.ones((1, len(held))))
    return chances_by(curves, scores), labelled


def _resampled(
    documents: Unlabelled, labelled: LabelledScores | None, draws: int, rng: np.random.Generator
) -> Iterator[tuple[Unlabelled, LabelledScores | None]]:
    """Yield both sets of documents with weights of the bootstrap, some draws at a time."""
    n = len(documents.decided)
    step = max(1, WORK // max(n, 1))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        again = documents._replace(weights=rng.multinomial(n, np.full(n, 1 / n), size).astype(float))
        other = labelled
        if labelled is not None:
            m = len(labelled.labels)
            other = labelled._replace(weights=rng.multinomial(m, np.full(m, 1 / m), size).astype(float))
        yield again, other


def _moved(system: Predictions, known: _Parts) -> np.ndarray:
    """Tell which categories have drifted between the labelled documents and the run, at .05 after Holm's correction."""
    return np.array([row.adjusted_p < 0.05 for row in _drift(system, known.scores, known.decided)], bool)


def drift(run: Run, before: Run) -> list[Drift]:
    """Test for each category whether its scores are higher or lower in one set of documents than in another.

    Welch's test of the mean of the scores on the logistic scale (of the decisions, where there are no scores),
    two-sided, normal; the P-values are adjusted over the categories by holm1979. `before` and `now` are the shares of
    decisions.
    """
    if run.categories != before.categories:
        raise InvalidInput("the two sets of documents have different categories; give runs of one system")
    scores, decided = Predictions.of(before).rows(np.arange(len(before.documents)))
    return _drift(Predictions.of(run), scores, decided)


def _drift(system: Predictions, scores: Floats, decided: Floats) -> list[Drift]:
    z, shares = [], []
    for columns in system.blocks():
        own, chosen = system.block(columns)
        a, b = logistic(scores[:, columns]), logistic(own)
        error = np.sqrt(a.var(axis=0, ddof=1) / len(a) + b.var(axis=0, ddof=1) / len(b))
        gap = b.mean(axis=0) - a.mean(axis=0)
        z.append(np.divide(gap, error, out=np.zeros_like(gap), where=error > 0))
        shares.append(np.column_stack([decided[:, columns].mean(axis=0), chosen.mean(axis=0)]))
    p = 2 * ndtr(-np.abs(np.concatenate(z)))
    order = np.argsort(p)
    steps = np.maximum.accumulate(np.minimum(p[order] * (len(p) - np.arange(len(p))), 1.0))
    adjusted = np.empty_like(p)
    adjusted[order] = steps
    both = np.vstack(shares)
    return [
        Drift(name, float(both[c, 0]), float(both[c, 1]), float(p[c]), float(adjusted[c]))
        for c, name in enumerate(system.run.categories)
    ]


def to_dict(rows: list[Prevalence], moved: list[Drift] | None = None) -> dict[str, Any]:
    """Return estimates and drift as JSON takes them; NaN becomes None."""
    listed = [
        {name: None if isinstance(cell, float) and np.isnan(cell) else cell for name, cell in asdict(row).items()}
        for row in rows
    ]
    return {"prevalence": listed} | ({} if moved is None else {"drift": [asdict(row) for row in moved]})
