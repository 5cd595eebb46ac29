"""The truth beside a run, over the categories that the model knows and those that only the truth has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.training.data import in_columns, take_target
from rubricate.types import Decisions, Documents, Ints, Run, Scores

__all__ = ["with_truth"]


def with_truth(run: Run, documents: Any, y: Any) -> Run:
    """Return the run beside the labels of its documents, over the categories of both."""
    if y is None and not (isinstance(documents, Documents) and documents.categories):
        return run
    target = take_target(documents, y)
    if target.labels.shape[0] != len(run.documents):
        raise InvalidInput(f"{len(run.documents)} documents and {target.labels.shape[0]} label sets")
    if target.form in ("dense", "sparse") and target.labels.shape[1] == len(run.categories) and y is not None:
        target = replace(target, categories=run.categories)
    extra = [name for name in target.categories if name not in set(run.categories)]
    known = run.categories + tuple(extra)
    truth = in_columns(target.labels, target.categories, known)
    return replace(
        run,
        categories=known,
        truth=truth,
        scores=_wider_scores(run.scores, known, len(extra)),
        decisions=_wider_decisions(run.decisions, known, len(extra)),
        train_counts=_wider_counts(run.train_counts, len(extra)),
    )


def _wider_scores(scores: Scores | None, known: tuple[str, ...], extra: int) -> Scores | None:
    if scores is None or not extra:
        return scores
    values: Any = scores.values
    if sparse.issparse(values):
        wider: Any = sparse.csr_array((values.data, values.indices, values.indptr), shape=(values.shape[0], len(known)))
    else:
        wider = np.hstack([values, np.full((values.shape[0], extra), -np.inf)])
    return replace(scores, values=wider, categories=known)


def _wider_decisions(decisions: Decisions | None, known: tuple[str, ...], extra: int) -> Decisions | None:
    if decisions is None or not extra:
        return decisions
    v = decisions.values
    wider = sparse.csr_array((v.data, v.indices, v.indptr), shape=(v.shape[0], len(known)))
    return replace(decisions, values=wider, categories=known)


def _wider_counts(train_counts: Ints | None, extra: int) -> Ints | None:
    return None if train_counts is None else np.r_[train_counts, np.zeros(extra, np.int64)]
