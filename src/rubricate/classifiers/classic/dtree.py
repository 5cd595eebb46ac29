"""Decision trees on the occurrence of words: C4.5 and IND. yang1999, section 2; quinlan1993; buntine1992."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rubricate.classifiers.base import Keeping, Scorer
from rubricate.classifiers.category_terms import presence
from rubricate.classifiers.classic.word_trees import Forest, Growth, Picture, as_svg, as_text, grow, leaves_of, paths
from rubricate.errors import InvalidInput, UnknownName
from rubricate.registry import classifier
from rubricate.rules.form import All, Not, Rule, RuleBase, Word
from rubricate.types import Evidence, Floats, Ints, Sparse

__all__ = ["DTree"]

STYLES = ("c45", "ind")


@classifier("dtree")
class DTree(Keeping, Scorer):
    """One tree per category; each inner node asks whether a word occurs (x > 0), each leaf holds a probability.

    Scores are the leaves' probabilities; `predict` takes those above 1/2, which for C4.5 is the majority of the leaf.
    Formulas, ties and limits: `native/trees.c`.

    Learned, with the nodes of all trees one after the other and children after parents: `starts_` (tree c has the nodes
    from starts_[c] to starts_[c + 1], its root first), `asked_` (the column asked for, −1 at a leaf), `present_` and
    `without_` (the next node, −1 at a leaf), `positives_`, `documents_` (sums of weights), `chances_`.

    All categories share one table of words. Growing costs, per category, at most log2(documents) passes over the
    documents and a look at each word that can still split a node; scoring, the length of the paths.

    A constant column, and one that too few documents have, is never asked for. A category without documents, one with
    all, and a single document give a leaf. A row of zeros takes the way without each word. Values below 0 are absence.
    Differs from C4.5, release 8: the average gain is not lowered by .001 (with words it would exclude nothing), and
    there are no missing values, numbers or costs.

    Parameters
    ----------
    style
        "c45": the test of highest gain ratio among those of at least average gain, then error-based pruning
        with subtree raising (quinlan1993, chapters 2 and 4); "ind": the test of highest information gain, no
        pruning; a document's probability is the mean of the estimates on its path, weighted by the posterior of
        each pruning (buntine1992).
    min_documents
        A test leaves so many documents (their weights) or more on either side.
    confidence
        Confidence of error-based pruning, from 0 to 1: smaller prunes more; 1 not at all. C4.5 only.
    alpha
        A leaf with p positives of n documents estimates (p + α) / (n + 2α); 1 is Laplace's rule.
    leaf_prior
        IND: the prior chance that a node is a leaf, above 0 and below 1.
    threads
        Categories grown at once; None for as many as there are cores. The result does not depend on it.

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 0, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1], [0, 1, 0]]
    >>> tree = DTree().fit(X, ["corn", "corn", "corn", "gold", "gold", "gold"])
    >>> tree.predict([[1, 0, 0], [0, 0, 0]]).tolist()
    ['corn', 'gold']
    >>> print(tree.text("corn", names=["maize", "ounce", "price"]))
    corn: 3 of 6 documents
    if maize: .80 (3 of 3)
    else: .20 (0 of 3)
    """

    _natural_cut = 0.5
    starts_: Ints
    asked_: Ints
    present_: Ints
    without_: Ints
    positives_: Floats
    documents_: Floats
    chances_: Floats

    def __init__(
        self,
        style: Literal["c45", "ind"] = "c45",
        *,
        min_documents: float = 2,
        confidence: float = 0.25,
        alpha: float = 1.0,
        leaf_prior: float = 0.5,
        threads: int | None = None,
    ) -> None:
        self.style = style
        self.min_documents = min_documents
        self.confidence = confidence
        self.alpha = alpha
        self.leaf_prior = leaf_prior
        self.threads = threads

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each category; for a single-label y each row sums to 1."""
        chances = self._score(self._take_vectors(X))
        return chances if self.multilabel_ else chances / chances.sum(axis=1, keepdims=True)

    def text(self, category: int | str, *, names: Sequence[str] | None = None) -> str:
        """Return the tree of a category as nested conditions; each leaf shows its probability and training documents.

        `names` are those of the columns; without them, the columns of the data frame fitted, or x0, x1, …
        """
        return as_text(self._picture(category, names))

    def svg(self, category: int | str, *, names: Sequence[str] | None = None) -> str:
        """Return the tree of a category as a picture (SVG): with the word to the right, without it straight down."""
        return as_svg(self._picture(category, names))

    def rule_base(self, names: Sequence[str] | None = None, categories: Sequence[str] | None = None) -> RuleBase:
        """Return a rule for every leaf whose probability is above 1/2: the tests on the way to it.

        The rules of a category hold where `predict` assigns it. Weights of documents are rounded to whole documents.
        """
        check_is_fitted(self)
        called = self.categories_ if categories is None else categories
        rules = []
        for category in range(len(self.categories_)):
            tree = self._picture(category, names)
            for leaf, tests in paths(tree):
                if tree.chances[leaf] > self._natural_cut:
                    conditions = [Word(word) if present else Not(Word(word)) for word, present in tests]
                    p, n = round(tree.positives[leaf]), round(tree.documents[leaf])
                    rules.append(Rule(called[category], All(tuple(conditions)), p, n - p))
        return RuleBase(tuple(rules))

    def check_state(self) -> None:
        """Raise ValueError where learned arrays would lead a document astray (of a model read from a file)."""
        if not hasattr(self, "classes_"):
            return
        forest, nodes = self._recall(Forest), len(self.asked_)
        if any(part.ndim != 1 for part in forest) or any(len(part) != nodes for part in forest[1:]):
            raise ValueError("the arrays of nodes differ in length")
        if any(part.dtype.kind != "i" for part in forest[:4]):
            raise ValueError("node numbers must be whole numbers")
        starts, inner = self.starts_, self.asked_ >= 0
        if (
            len(starts) != len(self.classes_) + 1
            or starts[0] != 0
            or starts[-1] != nodes
            or np.any(np.diff(starts) < 1)
        ):
            raise ValueError("starts_ must part the nodes into one tree per category")
        if np.any(self.asked_ >= self.n_features_in_):
            raise ValueError(f"asked_ names a column beyond the {self.n_features_in_}")
        own, last = np.arange(nodes), np.repeat(starts[1:], np.diff(starts))
        for child in (self.present_, self.without_):
            if np.any(inner & ((child <= own) | (child >= last))):
                raise ValueError("a child must come after its parent, in the same tree")
        if not all(np.isfinite(part).all() for part in forest[4:]):
            raise ValueError("positives_, documents_ and chances_ must be finite")

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._keep(grow(X, labels, weights, growth=self._growth(), threads=self.threads))

    def _score(self, X: Any) -> Floats:
        return self.chances_[leaves_of(self._recall(Forest), X)]

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the tests on the way, each with its change of the share of positives, the greatest change first."""
        rows = presence(X)
        tree = self._picture(category, None)
        explained = []
        for start, stop in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
            steps = self._steps(tree, category, set(rows.indices[start:stop].tolist()))
            explained.append(sorted(steps, key=lambda step: -abs(step.weight))[:limit])
        return explained

    def _steps(self, tree: Picture, category: int, held: set[int]) -> list[Evidence]:
        node, steps = 0, list[Evidence]()
        while tree.asked[node] >= 0:
            present = int(tree.asked[node]) in held
            below = int(tree.present[node] if present else tree.without[node])
            change = tree.share(below) - tree.share(node)
            term = int(tree.asked[node])
            detail = f"step {len(steps) + 1}: {tree.counted(below)}"
            steps.append(Evidence("rule", (term if present else ~term,), change, detail=detail))
            node = below
        return steps

    def _picture(self, category: int | str, names: Sequence[str] | None) -> Picture:
        check_is_fitted(self)
        if isinstance(category, str):
            if category not in self.categories_:
                raise UnknownName("category", category, self.categories_)
            category = self.categories_.index(category)
        if not 0 <= category < len(self.categories_):
            raise InvalidInput(f"category {category} of {len(self.categories_)}; columns count from 0")
        if names is not None and len(names) != self.n_features_in_:
            raise InvalidInput(f"{len(names)} names for {self.n_features_in_} columns; give one per column")
        begin = int(self.starts_[category])
        own = slice(begin, int(self.starts_[category + 1]))
        return Picture(
            self.categories_[category],
            self._term_names() if names is None else names,
            self.asked_[own],
            self.present_[own] - begin,
            self.without_[own] - begin,
            self.positives_[own],
            self.documents_[own],
            self.chances_[own],
        )

    def _growth(self) -> Growth:
        if self.style not in STYLES:
            raise UnknownName("style", str(self.style), STYLES)
        if not (isinstance(self.min_documents, Real) and 1e-6 <= self.min_documents < np.inf):
            raise InvalidInput(f"min_documents must be a number from 1e-6 on, got {self.min_documents!r}")
        if not (isinstance(self.confidence, Real) and 0 < self.confidence <= 1):
            raise InvalidInput(f"confidence must be above 0 and at most 1 (no pruning), got {self.confidence!r}")
        if not (isinstance(self.alpha, Real) and 0 < self.alpha < np.inf):
            raise InvalidInput(f"alpha must be a number above 0, got {self.alpha!r}; 1 is Laplace's rule")
        if not (isinstance(self.leaf_prior, Real) and 0 < self.leaf_prior < 1):
            raise InvalidInput(f"leaf_prior must be above 0 and below 1, got {self.leaf_prior!r}")
        if self.threads is not None and not (isinstance(self.threads, Integral) and self.threads >= 1):
            raise InvalidInput(f"threads must be 1 or more, or None for all cores; got {self.threads!r}")
        if self.style == "c45":
            return Growth(True, float(self.min_documents), float(self.confidence), float(self.alpha), 0.0)
        return Growth(False, float(self.min_documents), 1.0, float(self.alpha), float(self.leaf_prior))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # the checks' measurements are above 0 everywhere: all words present
        return tags
