"""Where the classifiers of a hierarchy say yes: at their natural cut, at a number, or at cuts learned node by node."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.classifiers.hierarchical.descent.bases import natural_cut
from rubricate.classifiers.hierarchical.descent.groups import Group
from rubricate.classifiers.hierarchical.descent.machines import held_out, mixed_problems
from rubricate.errors import InvalidInput
from rubricate.types import Floats

__all__ = ["learn_cuts"]

FAR = 1e9
"""What a cut of ±∞ becomes, so that scores stay numbers."""


def learn_cuts(model: Any, X: Any, groups: Sequence[Group], base: Any) -> None:
    """Set `problem_cuts_` (over scores less the natural cut) and `rank_` from `model.cut`.

    A threshold that needs scores learns at each node from scores of held-out documents of that node; one without
    cuts, such as `Rcut(t)`, decides by rank among the choices at a node.
    """
    cut, count = model.cut, sum(group.labels.shape[1] for group in groups)
    model.problem_cuts_, model.rank_ = np.zeros(count), 0
    if cut is None:
        return
    if isinstance(cut, Real) and not isinstance(cut, bool) and not np.isnan(float(cut)):
        model.problem_cuts_ += np.clip(float(cut), -FAR, FAR) - natural_cut(base)
        return
    if not callable(getattr(cut, "decide", None)) or isinstance(cut, type):
        raise InvalidInput(f"cut must be None, a number or a threshold such as rb.thresholds.Scut(), got {cut!r}")
    if not cut.needs_scores and hasattr(cut, "t"):
        model.rank_ = int(cut.t)
        return
    model.problem_cuts_ = _learned(model, X, groups, base)


def _learned(model: Any, X: Any, groups: Sequence[Group], base: Any) -> Floats:
    cut, needed = model.cut, model.cut.needs_scores
    scores = held_out(model, X, groups, base, folds=cut.folds, seed=model.seed) if needed else [None] * len(groups)
    parts = []
    for group, own in zip(groups, scores, strict=True):
        mixed, found = mixed_problems(group.labels), np.zeros(group.labels.shape[1])
        if mixed.any():
            labels = sparse.csr_array(group.labels[:, mixed])
            fitted = clone(cut).fit(own[:, mixed] if own is not None else None, labels)
            if not hasattr(fitted, "cuts_"):
                raise InvalidInput(
                    f"{cut!r} has no cut a category and cannot decide at a node; use Scut, Rcut or a number"
                )
            found[mixed] = np.clip(np.nextafter(fitted.cuts_, -np.inf), -FAR, FAR)
            found[mixed] -= 0.0 if needed else natural_cut(base)
        parts.append(found)
    return np.concatenate([np.zeros(0), *parts])
