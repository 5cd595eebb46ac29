"""SWAP-1: rules without errors by exchanging conditions, pruned by their weakest links. weiss1993; apte1994."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rubricate.classifiers.base.parameters import require_flag, require_number, require_whole
from rubricate.classifiers.base.scorer import Scorer
from rubricate.classifiers.rule_learners.search.cases import Cases, Words
from rubricate.classifiers.rule_learners.search.dictionaries import most_frequent
from rubricate.classifiers.rule_learners.search.learning import learn_rules
from rubricate.classifiers.rule_learners.search.ruled import Ruled
from rubricate.classifiers.rule_learners.search.swap1_search import swap1_rules
from rubricate.engines import Engine
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["SWAP1"]


class SWAP1(Ruled, Scorer):
    """Optimised rule induction (weiss1993) as apte1994 used it on text: one set of rules per category.

    Growing: from the rule without conditions take the best single exchange or removal of a condition, else the best
    addition, until the rule is right for every training document it covers (`native/rules.c`); the documents
    covered are set aside, and the next rule is grown for those left. Pruning: again and again the removal, of a rule or
    of a condition, that adds least error for each condition it saves; how far is decided by the error on held-out
    folds (`rule_learners.search.swap1_search`).

    A word is present where x > 0. Score of a document: that of the strongest rule that fires, with (p + 1)/(p + n + 2)
    over the training documents it covers, and at most .001 more for others that fire (`native/rules.c`); 0 where
    none fires. `predict` assigns a category where a rule fires; a single-label y, the best.

    Learned: `conditions_`, `rule_starts_`, `category_starts_`, `positives_`, `negatives_` (`RuleTable`).

    Cost: folds + 1 times the growing, which for each step of a rule counts the words of the documents that meet all
    conditions but one, and the pruning, which for each step looks at the documents of every possible removal.
    A category without documents has no rule, one with all a rule without conditions. Differs from weiss1993: a rule
    starts with its best condition, not with a random one; the extent is chosen by α as in cost-complexity pruning
    (breiman1984), and the rules come from all documents.

    Parameters
    ----------
    words
        The local dictionary: the most frequent words of the category (apte1994); None: all words.
    folds
        That are held out in turn to choose the extent of pruning.
    loss_ratio
        What a false negative costs in pruning in units of a false positive.
    absent
        Conditions may also ask that a word is absent.
    seed
        Seed of the folds.
    engine
        Where categories are learned; the result does not depend on it.

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 0, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1], [0, 1, 0]]
    >>> model = SWAP1().fit(X, ["corn", "corn", "corn", "gold", "gold", "gold"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]]).tolist()
    ['corn', 'gold']
    >>> model.rule_base(names=["maize", "ounce", "price"]).rules[0].condition
    Word(term='maize')
    """

    def __init__(
        self,
        *,
        words: int | None = 100,
        folds: int = 3,
        loss_ratio: float = 2.0,
        absent: bool = True,
        seed: int = 0,
        engine: Engine | str = "serial",
    ) -> None:
        self.words = words
        self.folds = folds
        self.loss_ratio = loss_ratio
        self.absent = absent
        self.seed = seed
        self.engine = engine

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        require_whole(self, "words", 1, or_none=True)
        require_whole(self, "folds", 2)
        require_number(self, "loss_ratio")
        require_flag(self, "absent")
        require_whole(self, "seed", 0)
        self._keep(learn_rules(X, labels, weights, search=self._search, engine=self.engine))

    def _search(self, words: Words, positive: Bools, category: int) -> tuple[Cases, Sequence[Ints]]:
        columns = None if self.words is None else most_frequent(words, positive, self.words)
        cases = Cases.of(words, positive, columns, absent=self.absent)
        return cases, swap1_rules(
            cases,
            folds=self.folds,
            loss_ratio=self.loss_ratio,
            rng=np.random.default_rng([self.seed, category]),
        )
