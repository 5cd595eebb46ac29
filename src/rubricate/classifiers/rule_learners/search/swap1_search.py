"""SWAP-1's search for the rules of one category: a covering set, weakest-link pruning, its extent by held-out error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rubricate.classifiers.rule_learners.search.cases import Cases
from rubricate.classifiers.rule_learners.search.swap1_pruning import Pruning
from rubricate.kernels.rule_cover import count_terms
from rubricate.kernels.rule_swap import swap_growth
from rubricate.types import Bools, Floats, Ints

__all__ = ["PruningPath", "covering_rules", "deal_cases", "pruning_path", "swap1_rules"]


NOBODY = np.empty(0, np.int64)


class PruningPath(NamedTuple):
    """The sets of weakest-link pruning, from all rules to none: at which α each is reached, and its held-out error."""

    alphas: Floats
    errors: Floats
    sets: list[list[Ints]]

    def error_at(self, alpha: float) -> float:
        """Return the held-out error of the set that is left when all removals at α or less are made."""
        return float(self.errors[np.searchsorted(self.alphas, alpha, side="right") - 1])


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
    left = [whole.sets[np.searchsorted(whole.alphas, alpha, side="right") - 1] for alpha in steps]
    return min(reversed(list(zip(errors, left, strict=True))), key=lambda option: (option[0], not option[1]))[1]


def pruning_path(cases: Cases, growing: Bools, held: Bools, *, costs: Floats) -> PruningPath:
    """Grow rules from the growing documents, and record what pruning leaves of them step by step."""
    pruning = Pruning(cases, covering_rules(cases, growing), np.where(growing, costs, 0.0))
    alpha, alphas, errors, sets = -np.inf, list[float](), list[float](), list[list[Ints]]()
    while True:
        alphas.append(alpha)
        errors.append(float(costs[held & pruning.wrong()].sum()))
        sets.append(pruning.rules.copy())
        if not pruning.rules:
            return PruningPath(np.array(alphas), np.array(errors), sets)
        alpha = max(alpha, pruning.remove_weakest())


def covering_rules(cases: Cases, documents: Bools) -> list[Ints]:
    """Grow rules for the positive documents that no rule covers, one after the other, as long as there is one.

    A rule that is wrong for half of the documents it newly covers is left out: twins with different labels.
    """
    free, rules, holders = documents.copy(), list[Ints](), cases.holders
    totals, part = cases.sums(np.flatnonzero(free)), cases.sums(NOBODY)
    exact = bool((cases.weights == np.rint(cases.weights)).all())  # then sums may be kept by subtraction
    while (free & cases.positive).any():
        rule = swap_growth(cases.examples, holders, np.flatnonzero(free), totals)
        if not len(rule):
            break
        cover = cases.cover(rule)
        new = cover[free[cover]]
        if cases.weights[new[cases.positive[new]]].sum() > cases.weights[new].sum() / 2:
            rules.append(rule)
        free[cover] = False
        if exact:
            count_terms(cases.examples, new, part)
            for all_of, gone in zip(totals, part, strict=True):
                all_of -= gone
        else:
            count_terms(cases.examples, np.flatnonzero(free), totals)
    return rules


def deal_cases(positive: Bools, folds: int, rng: np.random.Generator) -> Ints:
    """Return the fold of each document, positive and negative ones dealt apart."""
    fold = np.empty(len(positive), np.int64)
    for part in (positive, ~positive):
        dealt = rng.permutation(np.flatnonzero(part))
        fold[dealt] = np.arange(len(dealt)) % folds
    return fold
