"""Cuts at the nodes of a hierarchy: the natural one, a number, or cuts learned node by node."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.classifiers.hierarchical.descent import Cuts
from rubricate.classifiers.hierarchical.groups import Group
from rubricate.classifiers.hierarchical.machines import Trainer, natural_cut
from rubricate.errors import InvalidInput
from rubricate.types import Floats

__all__ = ["learn_cuts"]

FAR = 1e9
"""A cut of ±∞ becomes ±FAR, so that scores stay finite."""


def learn_cuts(trainer: Trainer, X: Any, groups: Sequence[Group], *, cut: Any, seed: int) -> Cuts:
    """Return the cut of each problem, over scores less the natural cut.

    A threshold that needs scores learns at each node from scores of held-out documents of that node; one without
    cuts, such as `Rcut(t)`, decides by rank among the choices at a node.

    Parameters
    ----------
    trainer, X, groups
        How the problems are learned, and from what.
    cut
        None (the natural cut), a number, or an unfitted threshold.
    seed
        Seed of the folds that are held out.
    """
    natural = np.zeros(sum(group.labels.shape[1] for group in groups))
    if cut is None:
        return Cuts(natural)
    if isinstance(cut, Real) and not isinstance(cut, bool) and not np.isnan(float(cut)):
        return Cuts(natural + (np.clip(float(cut), -FAR, FAR) - natural_cut(trainer.base)))
    if not callable(getattr(cut, "decide", None)) or isinstance(cut, type):
        raise InvalidInput(f"cut must be None, a number or a threshold such as rb.thresholds.Scut(), got {cut!r}")
    if not cut.needs_scores and hasattr(cut, "t"):
        return Cuts(natural, int(cut.t))
    scores: Sequence[Floats | None] = [None] * len(groups)
    if cut.needs_scores:
        scores = trainer.held_out(X, groups, folds=cut.folds, seed=seed)
    shift = 0.0 if cut.needs_scores else natural_cut(trainer.base)
    parts = [_group_cuts(cut, group, held, shift=shift) for group, held in zip(groups, scores, strict=True)]
    return Cuts(np.concatenate([np.zeros(0), *parts]))


def _group_cuts(cut: Any, group: Group, scores: Floats | None, *, shift: float) -> Floats:
    """Fit the threshold on the problems of one group that have documents on both sides; the others are cut at 0."""
    mixed, cuts = group.mixed(), np.zeros(group.labels.shape[1])
    if mixed.any():
        labels = sparse.csr_array(group.labels[:, mixed])
        fitted = clone(cut).fit(None if scores is None else scores[:, mixed], labels)
        if not hasattr(fitted, "cuts_"):
            raise InvalidInput(
                f"{cut!r} has no cut per category and cannot decide at a node; use Scut, Rcut or a number"
            )
        # A threshold says yes at its cut, a margin only above 0: so the cut moves one step down.
        cuts[mixed] = np.clip(np.nextafter(fitted.cuts_, -np.inf), -FAR, FAR) - shift
    return cuts
