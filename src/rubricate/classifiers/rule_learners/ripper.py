"""RIPPER: rules grown on one part of the documents and pruned on another. cohen1995."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rubricate.classifiers.base.parameters import require_flag, require_number, require_whole
from rubricate.classifiers.base.scorer import Scorer
from rubricate.classifiers.rule_learners.search.cases import Cases, Words
from rubricate.classifiers.rule_learners.search.dictionaries import most_frequent
from rubricate.classifiers.rule_learners.search.learning import learn_rules
from rubricate.classifiers.rule_learners.search.ripper_search import ripper_rules
from rubricate.classifiers.rule_learners.search.ruled import Ruled
from rubricate.engines import Engine
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["RIPPER"]


class RIPPER(Ruled, Scorer):
    """Repeated incremental pruning to produce error reduction (cohen1995), one set of rules per category.

    IREP*: the documents that no rule covers are dealt at random, two thirds for growing and one for pruning. A rule
    grows by the condition of highest FOIL gain p1 (log2 p1/(p1 + n1) − log2 p0/(p0 + n0)) until it covers no negative
    document, and is cut back to the beginning of highest (p − n)/(p + n) on the pruning part. Rules are added until
    the description length of rules and errors is 64 bits above the shortest; then those without
    which it is shorter are deleted. Optimisation: for each rule a replacement (grown anew) and a revision (grown on),
    both pruned for the accuracy of the whole set; the variant of shortest description stays; positive documents left
    are covered by IREP* again.

    A word is present where x > 0. Score of a document: that of the strongest rule that fires, with (p + 1)/(p + n + 2)
    over the training documents it covers, and at most .001 more for others that fire (`native/rules.c`); 0 where
    none fires. `predict` assigns a category where a rule fires; a single-label y, the best.

    Learned: `conditions_`, `rule_starts_`, `category_starts_`, `positives_`, `negatives_` (`RuleTable`).

    Cost: for each rule grown, the words of the documents left, and one look at each word.
    A category without documents has no rule, one with all a rule without conditions. Differs from cohen1995: errors are
    expected half among the covered and half among the uncovered documents, as in quinlan1995; `max_error`; `absent`.

    Parameters
    ----------
    passes
        Passes of optimisation.
    loss_ratio
        What a false negative costs in units of a false positive, in pruning and in description lengths.
    absent
        Conditions may also ask that a word is absent.
    max_error
        No more rules are added after one that is wrong for this part (or more) of the pruning documents it
        covers, the criterion of IREP (furnkranz1994); None: description length alone, as in cohen1995.
    words
        The most frequent words of the category that rules may use; None: all words of X.
    seed
        Seed of the random parts.
    engine
        Where categories are learned; the result does not depend on it.

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 0, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1], [0, 1, 0]]
    >>> model = RIPPER().fit(X, ["corn", "corn", "corn", "gold", "gold", "gold"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]]).tolist()
    ['corn', 'gold']
    >>> from rubricate.rules.printer import format_rules
    >>> print(format_rules(model.rule_base(names=["maize", "ounce", "price"])), end="")
    corn if maize [3 right, 0 wrong];
    <BLANKLINE>
    gold if not maize [3 right, 0 wrong];
    """

    def __init__(
        self,
        *,
        passes: int = 2,
        loss_ratio: float = 1.0,
        absent: bool = True,
        max_error: float | None = 0.5,
        words: int | None = None,
        seed: int = 0,
        engine: Engine | str = "serial",
    ) -> None:
        self.passes = passes
        self.loss_ratio = loss_ratio
        self.absent = absent
        self.max_error = max_error
        self.words = words
        self.seed = seed
        self.engine = engine

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        require_whole(self, "passes", 0)
        require_whole(self, "words", 1, or_none=True)
        require_number(self, "loss_ratio")
        require_flag(self, "absent")
        require_whole(self, "seed", 0)
        if self.max_error is not None:
            require_number(self, "max_error", most=1.0)
        self._keep(learn_rules(X, labels, weights, search=self._search, engine=self.engine))

    def _search(self, words: Words, positive: Bools, category: int) -> tuple[Cases, Sequence[Ints]]:
        columns = None if self.words is None else most_frequent(words, positive, self.words)
        cases = Cases.of(words, positive, columns, absent=self.absent)
        return cases, ripper_rules(
            cases,
            passes=self.passes,
            loss_ratio=self.loss_ratio,
            max_error=self.max_error,
            rng=np.random.default_rng([self.seed, category]),
        )
