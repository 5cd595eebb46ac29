"""Probabilities from scores by a curve for each category, learned on labelled documents; rare categories share one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls
from scipy.special import ndtr

from rubricate.errors import InvalidInput, UnknownName
from rubricate.labelling.population_categories import Block, Curve, LabelledSample, category_estimates, fit_curve
from rubricate.labelling.predictions import Predictions, logistic
from rubricate.types import Floats, Ints, Run, Sparse

__all__ = [
    "METHODS",
    "Drift",
    "LabelledScores",
    "Prevalence",
    "Unlabelled",
    "category_curves",
    "chances_by",
    "class_shares",
    "drift",
    "prevalence",
    "quantify",
]

OWN = 10
"""Fewest positives (and negatives) for a curve of its own; fewer, and the curve of all categories serves."""


def category_curves(scores: Floats, labels: Floats) -> list[Curve]:
    """Return a logistic curve per category. The labels are pulled in as platt1999 does, (n + 1) / (n + 2)."""
    ones = np.ones(len(scores))
    pooled = fit_curve(scores, labels, ones)
    curves = []
    for c in range(scores.shape[1]):
        yes = labels[:, c].sum()
        no = len(labels) - yes
        if min(yes, no) < OWN:
            curves.append(pooled)
            continue
        target = np.where(labels[:, c] > 0, (yes + 1) / (yes + 2), 1 / (no + 2))
        curves.append(fit_curve(scores[:, [c]], target[:, None], ones))
    return curves


def chances_by(curves: list[Curve], scores: Floats) -> Floats:
    """Return the probabilities of scores by the curves of their categories."""
    intercepts, slopes = (np.array(part) for part in zip(*curves, strict=True))
    return Curve(0.0, 1.0)(intercepts + slopes * scores)


HEAVY = 1e4
"""Weight of the equation Σ p = 1 beside those of the adjustment: it holds to about 1e-8."""


def class_shares(chances: Floats, *, held_chances: Floats, held_labels: Ints, method: str = "pacc") -> Floats:
    """Return the share of each class among documents, from class probabilities of them and of labelled documents.

    Parameters
    ----------
    chances : documents × classes, rows that sum to one.
    held_chances, held_labels : the same of labelled documents, and the class of each (0, 1, …).
    method : cc, pcc, acc, pacc or em; acc and pacc are the p >= 0 with Σ p = 1 that minimise |M p − count|², where
        column j of M is the mean decision or probability of labelled documents of class j. firat2016, section 2.
    """
    if method not in METHODS:
        raise UnknownName("method", method, METHODS)
    classes = chances.shape[1]
    if method == "em":
        return _expectation_maximization(chances, np.bincount(held_labels, minlength=classes) / len(held_labels))
    sharp = method in ("cc", "acc")
    own, known = (_decisions(part) if sharp else part for part in (chances, held_chances))
    count = np.asarray(own.mean(axis=0))
    if method in ("cc", "pcc"):
        return count
    rates = np.eye(classes)
    for j in range(classes):
        if (held_labels == j).any():
            rates[:, j] = known[held_labels == j].mean(axis=0)
    shares, _ = nnls(np.vstack([rates, np.full(classes, HEAVY)]), np.append(count, HEAVY))
    return np.asarray(shares / shares.sum())


def _decisions(chances: Floats) -> Floats:
    return np.eye(chances.shape[1])[chances.argmax(axis=1)]


def _expectation_maximization(chances: Floats, prior: Floats) -> Floats:
    """Return the shares q with q = mean of the posteriors that q / prior corrects. saerens2002, equation 2.9."""
    before = prior.copy()
    if (before == 0).any():
        before = (before + EPSILON) / (before + EPSILON).sum()
    shares = before
    for step in range(STEPS):
        # The mean of the posteriors as two products: no matrix is made.
        odds = shares / before
        fresh = odds * ((1 / (chances @ odds)) @ chances) / len(chances)
        change, shares = float(np.abs(fresh - shares).mean()), fresh
        if change < EPSILON and step > LEAST:
            break
    return np.asarray(shares)


METHODS = ("cc", "pcc", "acc", "pacc", "em")
EPSILON, STEPS, LEAST = 1e-4, 1000, 10
"""When em stops: the change of one step, the most steps, and steps that are always taken (as in QuaPy)."""


class Unlabelled(NamedTuple):
    """Decisions (0 or 1) and probabilities of the documents to quantify, and their weights (draws × documents)."""

    decided: Floats
    chances: Floats
    weights: Floats


class LabelledScores(NamedTuple):
    """The same of labelled documents that the system was not trained on, and their labels (0 or 1)."""

    decided: Floats
    chances: Floats
    labels: Floats
    weights: Floats

    def category(self, c: int) -> LabelledScores:
        """Return the parts of one category."""
        return LabelledScores(self.decided[:, [c]], self.chances[:, [c]], self.labels[:, [c]], self.weights)


def quantify(documents: Unlabelled, labelled: LabelledScores | None, method: str) -> Floats:
    """Return the prevalence of each category, draws × categories: one row per row of the weights."""
    if method not in METHODS:
        raise UnknownName("method", method, METHODS)
    if method in ("cc", "pcc"):
        return _mean(documents.weights, documents.decided if method == "cc" else documents.chances)
    if labelled is None:
        raise InvalidInput(f"{method} learns from labelled documents; give some (--truth or --held-out)")
    if method == "em":
        return _expectation_maximization_methods(documents, _mean(labelled.weights, labelled.labels))
    own, known = (documents.decided, labelled.decided) if method == "acc" else (documents.chances, labelled.chances)
    return _adjusted(_mean(documents.weights, own), known, labelled)


def _mean(weights: Floats, values: Floats) -> Floats:
    return np.asarray(weights @ values / weights.sum(axis=1, keepdims=True))


def _adjusted(count: Floats, known: Floats, labelled: LabelledScores) -> Floats:
    weights, labels = labelled.weights, labelled.labels
    positives = weights @ labels
    negatives = weights.sum(axis=1, keepdims=True) - positives
    with np.errstate(divide="ignore", invalid="ignore"):
        hits = weights @ (known * labels) / positives
        alarms = weights @ (known * (1 - labels)) / negatives
        adjusted = np.clip((count - alarms) / (hits - alarms), 0, 1)
    usable = np.isfinite(adjusted) & (hits > alarms)
    return np.where(usable, adjusted, count)


def _expectation_maximization_methods(documents: Unlabelled, prior: Floats) -> Floats:
    """Return p = mean of q r / (q r + (1 − q) s), r = p / prior, s = (1 − p) / (1 − prior), by fixed-point steps."""
    draws, categories = len(documents.weights), documents.chances.shape[1]
    result = np.empty((draws, categories))
    total = documents.weights.sum(axis=1)
    for c in range(categories):
        q = documents.chances[:, c]
        before = np.clip(prior[:, c] if len(prior) == draws else np.repeat(prior[0, c], draws), EPSILON, 1 - EPSILON)
        p = before.copy()
        for step in range(STEPS):
            yes = (p / before)[:, None] * q
            corrected = yes / (yes + ((1 - p) / (1 - before))[:, None] * (1 - q))
            fresh = (documents.weights * corrected).sum(axis=1) / total
            change, p = np.abs(fresh - p).max(), fresh
            if change < EPSILON and step > LEAST:
                break
        result[:, c] = p
    return result


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
