"""Scores that no document's own label shaped: five folds, each scored by an SVM that learned from the other four."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm import SVM
from rubricate.errors import InvalidInput
from rubricate.estimation.results import Estimate
from rubricate.folds import assign_folds, fold_scores
from rubricate.labelling.population_categories import fit_curve
from rubricate.labelling.predictions import logistic, logit
from rubricate.labels import in_columns
from rubricate.training.config import TrainingConfig
from rubricate.training.data import TrainingData
from rubricate.types import Bools, Documents, Floats, Ints, Run, Scores, Sparse

__all__ = ["Suspect", "document_surprise", "out_of_fold_scores", "suspects", "with_labels"]


def out_of_fold_scores(X: Any, y: Any = None, *, folds: int = 5, seed: int = 0) -> Run:
    """Return a run over labelled documents: out-of-fold scores of linear SVMs, the labels as truth.

    The vectors are terms beside words in 1- and 2-grams, with ltc weights (`representation="words"`), or those that the
    documents come with. Terms and weights are those of all documents, which no label shapes. With fewer than two
    documents for each fold there are fewer folds.
    """
    material = TrainingData(X, y)
    documents = len(material.ids)
    if documents < 4:
        raise InvalidInput(f"{documents} documents cannot be scored out of fold; give at least 4")
    vectors, blocks = _vectors(material)
    fold_ids = assign_folds(material.labels, min(folds, documents // 2), seed=seed)
    values = fold_scores(SVM(C=float(blocks)), vectors, material.labels, folds=fold_ids)
    scores = Scores(values, material.categories, material.ids)
    return Run("out of fold", material.ids, material.categories, scores, None, material.labels)


def _vectors(material: TrainingData) -> tuple[Any, int]:
    """Return the vectors of the documents, and how many blocks of length 1 they consist of."""
    documents = material.documents
    given = "vectors" in documents.fields if isinstance(documents, Documents) else getattr(documents, "ndim", 1) == 2
    if given:
        return material.shaped(TrainingConfig(weights="precomputed").shape(), None).X, 1
    try:
        return material.shaped(TrainingConfig(representation="words").shape(), None).X, 2
    except InvalidInput:  # texts without words, such as numbers
        return material.shaped(TrainingConfig(representation="characters").shape(), None).X, 2


OWN = 10
"""Fewest labelled documents for a calibration curve of its own; rarer categories share one."""
SAMPLE = 20_000
"""Most pairs that a curve is fitted to: all positives up to half of it, and a sample of the others, weighted."""


@dataclass(frozen=True)
class Suspect:
    """A document whose labels look wrong: what is given, what the scores suggest, and why."""

    document: str
    given: tuple[str, ...]
    suggested: tuple[str, ...]
    score: float
    reason: str


@dataclass(frozen=True, eq=False)
class _LabelPairs:
    """Pairs of document and category that are labelled or scored, with their probabilities; by document."""

    row: Ints
    column: Ints
    given: Bools
    chance: Floats


def suspects(
    documents: Any, y: Any = None, labels: Any = None, *, limit: int | None = 20, seed: int = 0
) -> list[Suspect]:
    """List the documents whose labels look wrong, the most suspicious first.

    Parameters
    ----------
    documents, y
        Labelled documents in any form that `Categorizer.fit` takes; they are scored out of fold
        (`labelling.out_of_fold_scores`). Or a run with scores and the labels to check as its truth, by a system that
        did not learn from these labels.
    labels
        The old form `suspects(estimate, X, y)` gives the labels here; the estimate is not used any more.
    limit
        How many to list at most; only documents that the scores contradict are listed. None for all.
    seed
        Seed of the folds.
    """
    if isinstance(documents, Estimate):
        message = "suspects(estimate, X, y) is now suspects(X, y); the old form goes with the next release"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        documents, y = y, labels
    run = documents if isinstance(documents, Run) else out_of_fold_scores(documents, y, seed=seed)
    pairs = _pairs(run)
    surprise = _by_document(pairs, len(run.documents))
    order = np.argsort(-surprise, kind="stable")
    starts = np.searchsorted(pairs.row, np.arange(len(run.documents) + 1))
    listed: list[Suspect] = []
    for row in order:
        if len(listed) == limit or surprise[row] <= 0:
            break
        own = slice(starts[row], starts[row + 1])
        suspect = _described(run, int(row), float(surprise[row]), pairs, own)
        if suspect is not None:
            listed.append(suspect)
    return listed


def document_surprise(run: Run) -> Floats:
    """Return for each document how much more its labels cost than expected; higher is more suspicious."""
    return _by_document(_pairs(run), len(run.documents))


def _pairs(run: Run) -> _LabelPairs:
    if run.truth is None:
        raise InvalidInput(f"run {run.name!r} has no labels to check; give them as its truth")
    if run.scores is None:
        raise InvalidInput(f"run {run.name!r} has no scores; labels are checked by scores")
    values: Any = run.scores.values
    truth = run.truth.tocoo()
    stored = values.tocoo() if sparse.issparse(values) else None
    if stored is None:
        row, column = np.indices(values.shape).reshape(2, -1)
        score = np.asarray(values, float).ravel()
        given = run.truth.toarray().ravel()
    else:
        row, column, score, given = _union(stored, truth, run.truth.shape[1])
    finite = np.isfinite(score)
    if not finite.any():
        raise InvalidInput(f"run {run.name!r} has no finite scores; labels are checked by scores")
    low, high = float(score[finite].min()), float(score[finite].max())
    scale = logit(score) if low >= 0 and high <= 1 else np.where(finite, score, low)
    chance = _calibrated(np.where(np.isfinite(scale), scale, low), column, given, run.truth.shape[1])
    kept = given | (chance > 1e-4)
    return _LabelPairs(row[kept], column[kept], given[kept], chance[kept])


def _union(stored: Any, truth: Any, width: int) -> tuple[Ints, Ints, Floats, Bools]:
    """Return the pairs with a score or a label, sorted by document; labels without a score have -inf."""
    scored = stored.row.astype(np.int64) * width + stored.col
    labelled = truth.row.astype(np.int64) * width + truth.col
    every = np.union1d(scored, labelled)
    score = np.full(len(every), -np.inf)
    score[np.searchsorted(every, scored)] = stored.data
    given = np.zeros(len(every), bool)
    given[np.searchsorted(every, labelled)] = True
    return every // width, every % width, score, given


def _calibrated(score: Floats, column: Ints, given: Bools, width: int) -> Floats:
    """Return probabilities by a logistic curve per category, fitted to the labels as they are given."""
    rng = np.random.default_rng(0)
    pooled = _curve(score, given, rng)
    order = np.argsort(column, kind="stable")
    starts = np.searchsorted(column[order], np.arange(width + 1))
    counts = np.bincount(column[given], minlength=width)
    chance = np.empty(len(score))
    for c in range(width):
        own = order[starts[c] : starts[c + 1]]
        rare = counts[c] < OWN or len(own) - counts[c] < OWN
        curve = pooled if rare else _curve(score[own], given[own], rng)
        chance[own] = logistic(curve[0] + curve[1] * score[own])
    return chance


def _curve(score: Floats, given: Bools, rng: np.random.Generator) -> tuple[float, float]:
    yes, no = np.flatnonzero(given), np.flatnonzero(~given)
    few = [rng.choice(part, SAMPLE // 2, replace=False) if len(part) > SAMPLE // 2 else part for part in (yes, no)]
    chosen = np.concatenate(few)
    scales = [len(part) / max(len(some), 1) for part, some in zip((yes, no), few, strict=True)]
    weights = np.repeat(scales, [len(some) for some in few])
    fitted = fit_curve(score[chosen, None], given[chosen, None].astype(float), weights)
    # A falling curve says that high scores speak against a category: the labels are too few or the scores are wrong.
    return (fitted.intercept, fitted.slope) if fitted.slope > 0 else (float(logit(given.mean())), 0.0)


def _by_document(pairs: _LabelPairs, documents: int) -> Floats:
    p = np.clip(pairs.chance, 1e-6, 1 - 1e-6)
    cost = -np.where(pairs.given, np.log(p), np.log1p(-p))
    entropy = -p * np.log(p) - (1 - p) * np.log1p(-p)
    return np.asarray(np.bincount(pairs.row, weights=cost - entropy, minlength=documents), float)


def _described(run: Run, row: int, surprise: float, pairs: _LabelPairs, own: slice) -> Suspect | None:
    column, given, chance = pairs.column[own], pairs.given[own], pairs.chance[own]
    doubted, missing = column[given & (chance < 0.5)], column[~given & (chance > 0.5)]
    if not len(doubted) and not len(missing):
        return None
    names, chances = run.categories, dict(zip(column.tolist(), chance.tolist(), strict=True))
    now = [names[c] for c in column[given]]
    suggested = sorted({*now, *(names[c] for c in missing)} - {names[c] for c in doubted})
    reasons = [f"labelled {names[c]} but its probability is {chances[int(c)]:.2f}" for c in doubted]
    reasons += [f"not labelled {names[c]}, whose probability is {chances[int(c)]:.2f}" for c in missing]
    return Suspect(str(run.documents[row]), tuple(sorted(now)), tuple(suggested), surprise, "; ".join(reasons))


def with_labels(run: Run, documents: list[str], labels: Sparse, categories: tuple[str, ...]) -> Run:
    """Return the scores of a run over these documents, with their labels as truth.

    Categories of either side are kept; a document that the run lacks is an error.
    """
    place = {str(name): row for row, name in enumerate(run.documents)}
    lost = [name for name in documents if name not in place]
    if lost:
        raise InvalidInput(f"the run has no scores for {len(lost)} documents, such as {lost[0]}; make the ids agree")
    if run.scores is None:
        raise InvalidInput(f"run {run.name!r} has no scores; labels are checked by scores")
    names = tuple(sorted({*run.categories, *categories}))
    rows = np.array([place[name] for name in documents], np.int64)
    scores = in_columns(sparse.csr_array(run.scores.values)[rows], run.categories, names)
    truth = in_columns(labels, categories, names)
    ids = tuple(documents)
    return Run(run.name, ids, names, Scores(scores, names, ids, run.scores.floor), None, truth)
