"""SWAP-1's search for the rules of one category: a covering set, weakest-link pruning, its extent by held-out error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rubricate.classifiers.base import Scorer, require_flag, require_number, require_whole
from rubricate.classifiers.classic.rule_tables import Cases, Ruled, Words, learn_rules, most_frequent
from rubricate.engines import Engine
from rubricate.native.rules import grow_rule_set, prune_rule_set
from rubricate.registry import classifier
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["SWAP1", "PruningPath", "pruning_path", "split_cases", "swap1_rules"]


@dataclass(frozen=True, eq=False)
class PruningPath:
    """Weakest-link pruning of a set of rules, from all rules to none, step by step.

    `alphas` says at which α each set is reached, `errors` its held-out error; `taken` has the rule (by its place in
    `rules`) and the condition that each step takes out, −1 for the whole rule.
    """

    alphas: Floats
    errors: Floats
    rules: Sequence[Ints]
    taken: Ints

    def error_at(self, alpha: float) -> float:
        """Return the held-out error of the set that is left when all removals at α or less are made."""
        return float(self.errors[self._steps(alpha)])

    def rules_at(self, alpha: float) -> list[Ints]:
        """Return the set that is left when all removals at α or less are made."""
        left = dict(enumerate(self.rules))
        for rule, place in self.taken[: self._steps(alpha)].tolist():
            if place < 0:
                del left[rule]
            else:
                left[rule] = np.delete(left[rule], place)
        return list(left.values())

    def _steps(self, alpha: float) -> int:
        return int(np.searchsorted(self.alphas, alpha, side="right")) - 1


def swap1_rules(cases: Cases, *, folds: int, loss_ratio: float, rng: np.random.Generator) -> Sequence[Ints]:
    """Return the rules of the category, grown on all documents and pruned as far as does best on held-out folds.

    α is the error that a removal may add for each condition it saves. The candidates are the geometric means of the
    α that follow each other in the pruning of the whole set, as in cost-complexity pruning; of candidates with the
    least held-out error the one that leaves fewest conditions, though no empty set where another does as well.
    """
    costs = np.where(cases.positive, loss_ratio, 1.0) * cases.weights
    everything = np.ones(len(costs), bool)
    whole = pruning_path(cases, everything, ~everything, costs=costs)
    fold = split_cases(cases.positive, folds, rng)
    held = [pruning_path(cases, fold != f, fold == f, costs=costs) for f in range(folds)]
    steps = np.unique(whole.alphas)
    between = np.sqrt(np.maximum(steps, 0) * np.maximum(np.append(steps[1:], steps[-1]), 0))
    errors = [sum(path.error_at(alpha) for path in held) for alpha in np.maximum(between, steps)]
    # The set is empty from the last step on.
    options = [(error, bool(alpha >= whole.alphas[-1]), alpha) for error, alpha in zip(errors, steps, strict=True)]
    return whole.rules_at(min(reversed(options), key=lambda option: option[:2])[2])


def pruning_path(cases: Cases, growing: Bools, held: Bools, *, costs: Floats) -> PruningPath:
    """Grow rules from the growing documents, and prune them step by step."""
    rules = grow_rule_set(cases.examples, cases.holders, np.flatnonzero(growing))
    counts = np.where(growing, costs, 0.0)
    steps = prune_rule_set(
        cases.examples,
        cases.holders,
        rules,
        counts=np.where(cases.positive, counts, -counts),
        held_out=np.where(held, costs, 0.0),
    )
    alphas = np.concatenate([[-np.inf], np.maximum.accumulate(steps.added)])
    return PruningPath(alphas, steps.errors, rules.split(), np.column_stack([steps.rules, steps.places]))


def split_cases(positive: Bools, folds: int, rng: np.random.Generator) -> Ints:
    """Return the fold of each document, positive and negative ones dealt apart."""
    fold = np.empty(len(positive), np.int64)
    for part in (positive, ~positive):
        shuffled = rng.permutation(np.flatnonzero(part))
        fold[shuffled] = np.arange(len(shuffled)) % folds
    return fold


@classifier("swap1")
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
