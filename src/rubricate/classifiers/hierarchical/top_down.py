"""Top-down categorization by subtree and local classifiers (sunlim2001)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rubricate.classifiers.base import Scorer
from rubricate.classifiers.hierarchical.groups import Problems, per_parent
from rubricate.classifiers.hierarchical.nodes import Places
from rubricate.classifiers.hierarchical.scorers import Descending
from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.registry import classifier
from rubricate.types import Bools, Floats, Sparse

__all__ = ["TopDown"]


@classifier("top_down")
class TopDown(Descending, Scorer):
    """Level by level: may the document go below a category, does it belong to it (sunlim2001, section 4).

    Each internal category has a *subtree* classifier (may the document be given to the children?) and a *local* one
    (is it labelled with the category itself?), each leaf a local one. They learn from these documents:

        classifier                positive                negative
        subtree, internal c       in coverage(c)          in coverage(parent), not in coverage(c)
        local, internal c         labelled c              in coverage(c), not labelled c
        local, leaf c             labelled c              in coverage(parent), not labelled c
        subtree, root             in coverage(root)       as many others, drawn by `seed` (`root="classifier"`)

    A document stops wherever its local classifiers say yes, at several places if need be, and goes no further where a
    subtree classifier refuses; `predict` never visits what lies below. The score of a category is the least margin on
    its path (of several paths the best): above 0 exactly where all classifiers of the path say yes.

    Deviation: on a graph every link from a parent has a classifier of its own, and one open path suffices. Sample
    weights go to the base (one that takes none is an error); cuts and selection pass them over. Learned: `nodes_`,
    the links and machines (see `descent.descent`, `descent.machines`).

    Edge cases: a category without documents scores at most −1; where all documents of a node are in one child, its
    link is open. A label that is not in the taxonomy is an error; a document labelled with a node and one above it
    belongs to both. Cost: the documents of each node × its children; in all about documents × depth × children.

    Parameters
    ----------
    base
        Any classifier, ours or scikit-learn's; None: a linear SVM with C = 2.
    taxonomy
        (parent, child) pairs, by category name or column; None: all categories side by side.
    categories
        Names of the label columns (or of classes 0, 1, …) where y has none.
    root
        "join": documents outside the tree count as negatives of the top categories; "classifier": a classifier
        of its own guards the root, as in the paper.
    select
        A term selector such as `Select("chi2:500")`, fitted at each node; None: all terms.
    cut
        None (0, or ½ for probabilities), a number, or a threshold learned at each node from held-out scores.
    contested
        Whether a document below a category and below one beside it, but not labelled with the category itself,
        is negative for it too, as the counts of the paper's table 2 have it, against its text.
    probability
        "sigmoid" adds `predict_proba` and `coverage_proba`, learned by `folds` further trainings.
    folds
        Held-out folds from which probabilities are learned.
    seed
        Seed of the documents drawn and of the folds.
    engine
        Where nodes are learned; the result does not depend on it.

    Examples
    --------
    >>> X = np.repeat(np.eye(4), 3, axis=0)
    >>> tree = [("crude", "ship"), ("crude", "gas"), ("grain", "corn")]
    >>> y = np.repeat(["crude", "ship", "gas", "corn"], 3)
    >>> TopDown(taxonomy=tree).fit(X, y).predict(np.eye(4)).tolist()
    ['crude', 'ship', 'gas', 'corn']
    """

    def __init__(
        self,
        base: Any = None,
        *,
        taxonomy: Sequence[tuple[Any, Any]] | None = None,
        categories: Sequence[str] | None = None,
        root: Literal["join", "classifier"] = "join",
        select: Any = None,
        cut: Any = None,
        contested: bool = False,
        probability: Literal[False, "sigmoid"] = False,
        folds: int = 3,
        seed: int = 0,
        engine: Engine | str = "serial",
    ) -> None:
        self.base = base
        self.taxonomy = taxonomy
        self.categories = categories
        self.root = root
        self.select = select
        self.cut = cut
        self.contested = contested
        self.probability = probability
        self.folds = folds
        self.seed = seed
        self.engine = engine

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check_probability()
        X, places = self._take_places(X, labels, weights)
        problems = self._problems(places)
        descent = self._learn_descent(X, problems, cut=self.cut)
        self._keep_descent(descent)
        if self.probability:
            self._keep(self._learn_slope(X, problems, descent.machines.learned, single=places.one_label_each))

    def _problems(self, places: Places) -> Problems:
        if self.root == "join":
            return per_parent(places, np.arange(places.documents), contested=self.contested)
        if self.root != "classifier":
            raise InvalidInput(f"TopDown: root must be 'join' or 'classifier', got {self.root!r}")
        problems, inside = per_parent(places, contested=self.contested), places.covered(0)
        outside = np.setdiff1d(np.arange(places.documents), inside)
        if len(outside):
            drawn = np.random.default_rng(self.seed).permutation(outside)[: max(1, len(inside))]
            problems.root = int(problems.add(np.union1d(inside, drawn), [inside])[0])
        return problems

    def predict(self, X: Any) -> Any:
        """Return the best class of a one-dimensional y; else every category that the descent ends at."""
        check_is_fitted(self)
        if not self.multilabel_:
            return super().predict(X)
        decided = self.decide_nodes(X)[1][:, self.columns_]
        return sparse.csr_array(decided) if self.sparse_labels_ else decided.astype(np.int64)

    def decide_nodes(self, X: Any) -> tuple[Bools, Bools]:
        """Return (visited, assigned), documents × `nodes_`: where documents come by, and where they stay."""
        reach, stay = self._descent().reach(self._take_vectors(X), pruned=True)
        return reach.T > 0, stay.T > 0
