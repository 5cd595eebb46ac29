"""SWAP-1's search for the rules of one category: a covering set, weakest-link pruning, its extent by held-out error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rubricate.classifiers.rule_learners.search.cases import Cases
from rubricate.native.rules import grow_rule_set, prune_rule_set
from rubricate.types import Bools, Floats, Ints

__all__ = ["PruningPath", "deal_cases", "pruning_path", "swap1_rules"]


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
    fold = deal_cases(cases.positive, folds, rng)
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


def deal_cases(positive: Bools, folds: int, rng: np.random.Generator) -> Ints:
    """Return the fold of each document, positive and negative ones dealt apart."""
    fold = np.empty(len(positive), np.int64)
    for part in (positive, ~positive):
        dealt = rng.permutation(np.flatnonzero(part))
        fold[dealt] = np.arange(len(dealt)) % folds
    return fold
