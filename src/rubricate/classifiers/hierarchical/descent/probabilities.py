"""Probabilities of categories, and of lying in the coverage of a node, for each document alone.

P(c) is the chance that a document is labelled with c: of a descent the product of the chances on the likeliest path
(see `_hier_chances`), of a classifier for all categories a sigmoid of the score, or the softmax of a · score where
exactly one label is right. Slopes have the least log-loss on scores of held-out documents. For a one-dimensional y the
classes of a document sum to 1. The coverage of a node holds it and everything below, so that its chance is

    Σ P(c) over the categories in the coverage, where exactly one label is right
    the largest chance of a node in the coverage, where labels do not exclude each other

and a parent is never less likely than its child, on graphs too. A document has the same chances in every batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.base import scorer
from rubricate.classifiers.hierarchical.descent.chances import learn_slope, path_chances
from rubricate.classifiers.hierarchical.descent.groups import Group
from rubricate.classifiers.hierarchical.descent.machines import held_out
from rubricate.errors import InvalidInput
from rubricate.hierarchy.structure import coverage_of_links
from rubricate.types import Floats

__all__ = [
    "check_probability",
    "coverage_from_labels",
    "coverage_of_paths",
    "gives_probability",
    "in_blocks",
    "labels_of_paths",
    "learn_path_slope",
    "normalised",
]


def gives_probability(model: Any) -> bool:
    """Whether the model has probabilities; scikit-learn's way of saying no is an AttributeError."""
    if getattr(model, "probability", "sigmoid") == "sigmoid":
        return True
    raise AttributeError(f"{type(model).__name__} gives probabilities only when made with probability='sigmoid'")


def check_probability(model: Any) -> None:
    """Raise what is wrong with `probability` and `folds`, if anything."""
    if model.probability not in (False, "sigmoid"):
        raise InvalidInput(f"{type(model).__name__}: probability must be False or 'sigmoid', got {model.probability!r}")
    if not isinstance(model.folds, Integral) or model.folds < 2:
        raise InvalidInput(f"{type(model).__name__}: folds must be a whole number from 2 on, got {model.folds!r}")


def learn_path_slope(model: Any, X: Any, groups: Sequence[Group], base: Any, *, single: bool) -> None:
    """Set `single_` and `slope_`, if the model is to give probabilities. Cost: `folds` further trainings."""
    if model.probability:
        scores = held_out(model, X, groups, base, folds=model.folds, seed=model.seed)
        model.single_, model.slope_ = single, learn_slope(groups, scores, model.learned_, single=single)


def in_blocks(model: Any, X: Any, chances: Callable[[Any], Floats]) -> Floats:
    """The chances of all documents, a block of them at a time."""
    size = max(1, scorer.BLOCK // len(model.nodes_))
    return np.vstack([chances(X[start : start + size]) for start in range(0, max(X.shape[0], 1), size)])


def normalised(model: Any, chances: Floats) -> Floats:
    """The chances of the categories; for a one-dimensional y they sum to 1."""
    return chances if model.multilabel_ else chances / chances.sum(axis=1, keepdims=True)


def labels_of_paths(model: Any, X: Any, *, beam: int | None = None) -> Floats:
    """P of each category by a descent, documents × categories."""
    found = in_blocks(model, X, lambda part: np.exp(path_chances(model, part, beam=beam)[1][model.columns_].T))
    return normalised(model, found)


def coverage_of_paths(model: Any, X: Any, *, beam: int | None = None) -> Floats:
    """The chance of each coverage by a descent, documents × nodes."""
    if model.single_:
        return coverage_from_labels(model, labels_of_paths(model, X, beam=beam), single=True)
    return in_blocks(model, X, lambda part: _largest_below(model, np.exp(path_chances(model, part, beam=beam)[0])).T)


def coverage_from_labels(model: Any, chances: Floats, *, single: bool, direct: Floats | None = None) -> Floats:
    """The chance of each coverage from P of the categories; `direct` are chances of nodes known otherwise."""
    if single:
        covers = coverage_of_links(model.child_starts_, model.child_ids_)[:, model.columns_]
        found: Floats = np.minimum((sparse.csr_array(covers, dtype=np.float64) @ chances.T).T, 1.0)
        return found
    nodes = np.zeros((len(model.nodes_), len(chances))) if direct is None else direct.T.copy()
    np.maximum.at(nodes, model.columns_, chances.T)
    return _largest_below(model, nodes).T


def _largest_below(model: Any, nodes: Floats) -> Floats:
    """nodes × documents: each raised to the largest below it."""
    for node in range(len(nodes) - 1, -1, -1):
        children = model.child_ids_[model.child_starts_[node] : model.child_starts_[node + 1]]
        if len(children):
            nodes[node] = np.maximum(nodes[node], nodes[children].max(axis=0))
    return nodes
