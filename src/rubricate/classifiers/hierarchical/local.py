"""Local classifiers in a hierarchy: one a node, one a parent, one a level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy import sparse

from rubricate.classifiers.base import Scorer
from rubricate.classifiers.hierarchical.descent import Cuts
from rubricate.classifiers.hierarchical.groups import POLICIES, Policy, Problems, per_level, per_node, per_parent
from rubricate.classifiers.hierarchical.nodes import Places
from rubricate.classifiers.hierarchical.scorers import Descending
from rubricate.engines import Engine
from rubricate.errors import InvalidInput, UnknownName
from rubricate.registry import classifier
from rubricate.types import Floats, Sparse

__all__ = ["Local"]

SCHEMES = ("node", "parent", "level")


@classifier("local")
class Local(Descending, Scorer):
    """The local schemes of hierarchical categorization (silla2011, section 4.1), with a descent over their scores.

        scheme "parent"   a classifier at each parent tells its children apart, from the documents that it covers
        scheme "node"     a classifier for each node, from the documents of a policy (`negatives`)
        scheme "level"    a classifier for each depth tells all its nodes apart

    At each node visited, `choose="best"` follows the best child and no other, or stays where staying at the node
    scores best; "all" follows every child above the cut. The score of a category is the least margin on its path, of
    several paths the best; with "best" the margin is the score less the middle of the two best at that node. So the
    scores say where the descent ends, and rank what it passed by.

    Deviation: the paper's per-parent classifier is multi-class; ours is the base on a label matrix, one against the
    rest for most, with the node itself as one more choice where documents are labelled with it. With the policies that
    take only documents labelled with the node itself, an internal node without any is closed, and all below it.
    Sample weights, edge cases and cost as in `TopDown`; "node" with a policy that takes all documents
    costs documents × nodes.

    Parameters
    ----------
    base
        Any classifier, ours or scikit-learn's; None: a linear SVM with C = 2.
    scheme
        "parent", "node" or "level".
    negatives
        Policy of scheme "node": "siblings", "exclusive_siblings", "inclusive", "less_inclusive", "exclusive" or
        "less_exclusive" (positives and negatives: see `descent.groups.POLICIES`).
    choose
        "best", "all", or None: "best" where every training document has exactly one label.
    taxonomy, categories, select, cut, probability, folds, seed, engine
        As in `TopDown`; `cut` serves choose="all".

    Examples
    --------
    >>> X = np.repeat(np.eye(4), 3, axis=0)
    >>> tree = [("crude", "ship"), ("crude", "gas"), ("grain", "corn")]
    >>> y = np.repeat(["crude", "ship", "gas", "corn"], 3)
    >>> [Local(taxonomy=tree, scheme=s).fit(X, y).predict(np.eye(4)).tolist() for s in ("parent", "level")]
    [['crude', 'ship', 'gas', 'corn'], ['crude', 'ship', 'gas', 'corn']]
    """

    def __init__(
        self,
        base: Any = None,
        *,
        scheme: Literal["node", "parent", "level"] = "parent",
        negatives: Policy = "siblings",
        choose: Literal["best", "all"] | None = None,
        taxonomy: Sequence[tuple[Any, Any]] | None = None,
        categories: Sequence[str] | None = None,
        select: Any = None,
        cut: Any = None,
        probability: Literal[False, "sigmoid"] = False,
        folds: int = 3,
        seed: int = 0,
        engine: Engine | str = "serial",
    ) -> None:
        self.base = base
        self.scheme = scheme
        self.negatives = negatives
        self.choose = choose
        self.taxonomy = taxonomy
        self.categories = categories
        self.select = select
        self.cut = cut
        self.probability = probability
        self.folds = folds
        self.seed = seed
        self.engine = engine

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check_probability()
        X, places = self._take_places(X, labels, weights)
        problems = self._problems(places)
        descent = self._learn_descent(X, problems, cut=self.cut)
        if self._best(places):
            descent = replace(descent, cuts=Cuts(descent.cuts.problem_cuts, rank=1))
        self._keep_descent(descent)
        if self.probability:
            self._keep(self._learn_slope(X, problems, descent.machines.learned, single=places.one_label_each))

    def _problems(self, places: Places) -> Problems:
        if self.scheme not in SCHEMES:
            raise UnknownName("scheme", str(self.scheme), SCHEMES)
        if self.negatives not in POLICIES:
            raise UnknownName("policy of negatives", str(self.negatives), POLICIES)
        if self.scheme == "parent":
            return per_parent(places, np.arange(places.documents))
        return per_level(places) if self.scheme == "level" else per_node(places, self.negatives)

    def _best(self, places: Places) -> bool:
        if self.choose not in ("best", "all", None):
            raise InvalidInput(f"Local: choose must be 'best', 'all' or None, got {self.choose!r}")
        single = self.choose is None and self.cut is None
        return self.choose == "best" or (single and places.one_label_each)

    def predict(self, X: Any) -> Any:
        """Return where the descent ends; for a one-dimensional y the best class, also where it ends nowhere."""
        X, descent = self._take_vectors(X), self._descent()
        documents, nodes = descent.ends(X)
        column = np.full(len(descent.layout.nodes), -1)
        column[self.columns_] = np.arange(len(self.columns_))
        documents, ends = documents[column[nodes] >= 0], column[nodes][column[nodes] >= 0]
        if self.multilabel_:
            decided = np.zeros((X.shape[0], len(self.columns_)), bool)
            decided[documents, ends] = True
            return sparse.csr_array(decided) if self.sparse_labels_ else decided.astype(np.int64)
        best = np.zeros(X.shape[0], np.int64)
        best[documents] = ends
        lost = np.flatnonzero(np.bincount(documents, minlength=len(best)) != 1)
        if len(lost):
            best[lost] = np.argmax(descent.scores(X[lost]), axis=1)
        return self.classes_[best]
