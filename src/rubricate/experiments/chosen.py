"""Systems chosen by cross-validation: the figure that chose them beside the one on test documents.

The cross-validated figure of a system with a learned cut is cross-fitted: every fold is decided by cuts from the
out-of-fold scores of the other folds, so that no document helps to decide on itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import make_pipeline

from rubricate.experiments.systems import System, run_of
from rubricate.folds import out_of_fold, score_matrix, stratified_folds
from rubricate.measures import counts, macro, micro
from rubricate.measures.f1 import f1
from rubricate.types import Corpus, Documents, Floats, Ints, Run, Sparse

__all__ = ["Chosen", "choose", "cross_fitted", "run_chosen"]


@dataclass(frozen=True)
class Chosen:
    """A fitted system: its cross-validated F1 (mean over seeds), the model and the cut."""

    system: System
    micro: float
    macro: float
    model: Any
    cut: Any


def choose(system: System, train: Documents, members: Mapping[str, System] | None = None) -> Chosen:
    """Train and cross-validate on training documents alone.

    A stack takes the systems that its setting `members` names, each with vectors of its own.
    """
    model = _model(system, members or {})
    seeds = range(system.get("seed", 0), system.get("seed", 0) + system.get("seeds", 1))
    dealt = [stratified_folds(train.labels, 5, seed=seed) for seed in seeds]
    if system.get("classifier") == "stack":
        model.fit(train, train.labels)
        scores: Sequence[Floats] = [_written_out(one) for one in model.out_of_fold_scores()]
    else:
        scores = [out_of_fold(model, train, train.labels, folds=folds) for folds in dealt]
        model.fit(train, train.labels)
    figures = [cross_fitted(system.cut(), one, train.labels, folds) for one, folds in zip(scores, dealt, strict=True)]
    cut = system.cut().merge([system.cut().fit(one, train.labels) for one in scores])
    both = np.mean(figures, axis=0)
    return Chosen(system, float(both[0]), float(both[1]), model, cut)


def _written_out(scores: Any) -> Floats:
    """Sparse scores as an array, the floor where nothing is stored."""
    values = scores.values
    full = np.full(values.shape, scores.floor)
    full[np.repeat(np.arange(values.shape[0]), np.diff(values.indptr)), values.indices] = values.data
    return full


def run_chosen(chosen: Chosen, corpus: Corpus) -> Run:
    """Open the test set: scores and decisions of its documents."""
    scores = score_matrix(chosen.model, corpus.test)
    return run_of(chosen.system, corpus, scores, chosen.cut.decide(scores))


def _model(system: System, members: Mapping[str, System]) -> Any:
    if system.get("classifier") != "stack":
        return make_pipeline(system.vectors(), system.classifier())
    named = [
        (name, make_pipeline(members[name].vectors(), members[name].classifier())) for name in system.get("members")
    ]
    options = {"seed": system.get("seed", 0), "seeds": system.get("seeds", 1), "keep_scores": True}
    return system.classifier().set_params(members=named, **options)


def cross_fitted(cut: Any, scores: Floats, labels: Sparse, folds: Ints) -> tuple[float, float]:
    """Micro-F1 and macro-F1 when each fold is decided by cuts from the others.

    >>> from rubricate.thresholds.scut import Scut
    >>> labels = sparse.csr_array(np.array([[1, 0], [0, 1]] * 4, dtype=bool))
    >>> cross_fitted(Scut(), labels.toarray() * 1.0, labels, np.arange(8) // 4)
    (1.0, 1.0)
    """
    held = [np.flatnonzero(folds == fold) for fold in np.unique(folds)]
    kept = [np.flatnonzero(folds != fold) for fold in np.unique(folds)]
    parts = [cut.fit(scores[rows], labels[rows]).decide(scores[out]) for rows, out in zip(kept, held, strict=True)]
    decided = sparse.csr_array(sparse.vstack(parts))[np.argsort(np.concatenate(held))]
    table = counts(labels, decided)
    return micro(f1, table), macro(f1, table)
