"""The bits that it takes to send a set of rules and the documents that it gets wrong. quinlan1995; cohen1995."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import Any

import numpy as np

from rubricate.classifiers.base import Scorer, require_flag, require_number, require_whole
from rubricate.classifiers.classic.rule_tables import Cases, Ruled, Words, learn_rules, most_frequent
from rubricate.engines import Engine
from rubricate.native.rules import grow_rule, weigh_prefixes
from rubricate.registry import classifier
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["RIPPER", "RipperSearch", "RuleSet", "exception_bits", "ripper_rules", "rule_bits", "subset_bits"]


def subset_bits(n: float, k: float, p: float) -> float:
    """Return S(n, k, p) = k log2 1/p + (n − k) log2 1/(1 − p): which k of n, each expected with chance p.

    0 · log2 1/0 is 0; k > 0 where p = 0 (or k < n where p = 1) takes infinitely many bits and does not occur here.

    >>> subset_bits(8, 4, 0.5), subset_bits(8, 0, 0.0)
    (8.0, 0.0)
    """
    some = k * -log2(p) if k > 0 else 0.0
    rest = (n - k) * -log2(1 - p) if n > k else 0.0
    return some + rest


def rule_bits(conditions: int, choices: int) -> float:
    """Return ½ (‖k‖ + S(n, k, k/n)) for k conditions of n possible ones; ½ allows for what they have in common.

    ‖k‖, the bits of the number k, is log2 k + 2 log2 log2 k (the second only from k = 2 on). No condition: 0.

    >>> round(rule_bits(1, 1024), 3)
    5.721
    """
    if conditions == 0:
        return 0.0
    number = log2(conditions)
    if conditions > 1:
        number += 2 * log2(number)
    return (number + subset_bits(choices, conditions, conditions / choices)) / 2


def exception_bits(*, covered: float, uncovered: float, false_positives: float, false_negatives: float) -> float:
    """Return log2(C + U + 1), plus the bits of which of the C covered and U uncovered documents are wrong.

    Half of the errors e are expected among the larger of the two, with chance e / 2C (or e / 2U); the other part is
    sent with its own rate, fn / U (or fp / C). Half of the errors are more than a part holds only where C or U is
    under e / 2; the chance is then held to 1 − 1 / (2C + 2), and likewise to at least 1 / (2C + 2) where errors exist.
    """
    bits = log2(covered + uncovered + 1)
    half = (false_positives + false_negatives) / 2
    if covered > uncovered:
        return bits + _expected(covered, false_positives, half) + _own_rate(uncovered, false_negatives)
    return bits + _own_rate(covered, false_positives) + _expected(uncovered, false_negatives, half)


def _own_rate(n: float, k: float) -> float:
    return subset_bits(n, k, k / n) if n > 0 else 0.0


def _expected(n: float, k: float, half: float) -> float:
    if n <= 0 or half <= 0:
        return 0.0
    least = 1 / (2 * n + 2)
    return subset_bits(n, k, min(max(half / n, least), 1 - least))


class RuleSet:
    """Rules in order; rules may be added, exchanged and deleted. `costs` weigh an error on each document."""

    def __init__(self, cases: Cases, costs: Floats) -> None:
        self.cases = cases
        self.costs = costs
        self.rules: list[Ints] = []
        self.covers: list[Ints] = []
        self.times = np.zeros(len(costs), np.int32)
        self.bits = 0.0
        self.right = self.wrong = 0.0
        self.all_positive = float(costs[cases.positive].sum())
        self.all = float(costs.sum())

    def copy(self) -> RuleSet:
        """Return a set that can be changed while this one stays."""
        other = object.__new__(RuleSet)
        other.__dict__.update(self.__dict__)
        other.rules, other.covers, other.times = self.rules.copy(), self.covers.copy(), self.times.copy()
        return other

    def insert(self, place: int, rule: Ints, cover: Ints | None = None) -> None:
        """Insert a rule before the one at `place`; `cover` holds the documents it covers, where they are known."""
        cover = self.cases.cover(rule) if cover is None else cover
        self.rules.insert(place, rule)
        self.covers.insert(place, cover)
        self._count(cover[self.times[cover] == 0], 1)
        self.times[cover] += 1
        self.bits += rule_bits(len(rule), self.cases.choices)

    def delete(self, place: int) -> tuple[Ints, Ints]:
        """Take the rule at `place` out; return it and the documents it covers."""
        cover, rule = self.covers.pop(place), self.rules.pop(place)
        self.times[cover] -= 1
        self._count(cover[self.times[cover] == 0], -1)
        self.bits -= rule_bits(len(rule), self.cases.choices)
        return rule, cover

    def _count(self, documents: Ints, sign: int) -> None:
        positive, costs = self.cases.positive[documents], self.costs[documents]
        self.right += sign * float(costs[positive].sum())
        self.wrong += sign * float(costs[~positive].sum())

    def length(self) -> float:
        """Return the description length of the rules and of their errors, in bits."""
        covered = self.right + self.wrong
        return self.bits + exception_bits(
            covered=max(0.0, covered),
            uncovered=max(0.0, self.all - covered),
            false_positives=max(0.0, self.wrong),
            false_negatives=max(0.0, self.all_positive - self.right),
        )

    def simplify(self) -> None:
        """Delete, from the last to the first, each rule without which the description is shorter."""
        shortest = self.length()
        for place in reversed(range(len(self.rules))):
            rule, cover = self.delete(place)
            without = self.length()
            if without < shortest:
                shortest = without
            else:
                self.insert(place, rule, cover)

    def free(self, before: int | None = None) -> Bools:
        """Return which documents no rule covers; with `before`, no rule ahead of that place."""
        if before is None:
            return self.times == 0
        uncovered = np.ones(len(self.times), bool)
        for cover in self.covers[:before]:
            uncovered[cover] = False
        return uncovered


PATIENCE = 64.0
"""Bits that the description may be longer than the shortest so far before no more rules are added."""
GROWING = 2 / 3
"""The part of the documents that rules are grown on; they are pruned on the others."""
NOTHING = np.zeros(0, np.int64)


def ripper_rules(
    cases: Cases, *, passes: int, loss_ratio: float, max_error: float | None, rng: np.random.Generator
) -> Sequence[Ints]:
    """Return the rules of the category, each as its conditions in the order of growth."""
    costs = np.where(cases.positive, loss_ratio, 1.0) * cases.weights
    search = RipperSearch(cases, RuleSet(cases, costs), max_error=max_error, rng=rng)
    search.extend()
    for _ in range(passes):
        search.optimise()
        search.extend()
    return search.rules.rules


class RipperSearch:
    """The rules found so far, with the steps that add to them and improve them."""

    def __init__(self, cases: Cases, rules: RuleSet, *, max_error: float | None, rng: np.random.Generator) -> None:
        self.cases, self.rules = cases, rules
        self.max_error, self.rng = max_error, rng

    def extend(self) -> None:
        """Add rules for the positive documents that none covers yet (IREP*), then delete those that do not pay."""
        shortest = self.rules.length()
        while True:
            growing, pruning = self._parts(self.rules.free())
            rule = self._prune(grow_rule(self.cases.examples, growing, NOTHING), pruning, by_precision=True)
            if not len(rule) or self._errs(rule, pruning):
                break
            self.rules.insert(len(self.rules.rules), rule)
            length = self.rules.length()
            if length > shortest + PATIENCE:
                self.rules.delete(len(self.rules.rules) - 1)
                break
            shortest = min(shortest, length)
        self.rules.simplify()

    def optimise(self) -> None:
        """Try for each rule a new one in its place and a longer one; keep what gives the shortest description."""
        for place in range(len(self.rules.rules)):
            rule, _ = self.rules.delete(place)
            growing, pruning = self._parts(self.rules.free(before=place))
            pruning = pruning[self.rules.times[pruning] == 0]
            variants = [rule]
            for start in (NOTHING, rule):
                grown = grow_rule(self.cases.examples, growing, start)
                variants.append(self._prune(grown, pruning, by_precision=False))
            self.rules.insert(place, min(variants, key=lambda variant: self._length_with(place, variant)))

    def _length_with(self, place: int, variant: Ints) -> float:
        """Return the description length with this rule, without those that do not pay; ∞ without a condition."""
        if not len(variant):
            return np.inf
        tried = self.rules.copy()
        tried.insert(place, variant)
        tried.simplify()
        return tried.length()

    def _parts(self, free: Bools) -> tuple[Ints, Ints]:
        """Deal the free documents into growing and pruning, positive and negative ones apart; growing gets more."""
        growing = np.zeros(len(free), bool)
        for part in (self.cases.positive, ~self.cases.positive):
            shuffled = self.rng.permutation(np.flatnonzero(free & part))
            growing[shuffled[: int(np.ceil(GROWING * len(shuffled)))]] = True
        return np.flatnonzero(growing), np.flatnonzero(free & ~growing)

    def _prune(self, rule: Ints, documents: Ints, *, by_precision: bool) -> Ints:
        """Return the beginning of the rule that does best on other documents, the shortest of equals.

        (p − n) / (p + n) for a new rule, with 0/0 = 0; p − n, which the accuracy of the whole set follows, for a
        variant in a set whose other rules cover none of the documents.
        """
        if not len(rule):
            return rule
        p, n = self._weigh_prefixes(rule, documents)
        values = p - n
        if by_precision:
            values = np.divide(values, p + n, out=np.zeros(len(p)), where=p + n > 0)
        return rule[: int(np.argmax(values)) + 1]

    def _errs(self, rule: Ints, documents: Ints) -> bool:
        """Return whether the rule is wrong too often on other documents, if it covers any."""
        p, n = (float(counts[-1]) for counts in self._weigh_prefixes(rule, documents))
        return self.max_error is not None and n > 0 and n >= self.max_error * (p + n)

    def _weigh_prefixes(self, rule: Ints, documents: Ints) -> tuple[Floats, Floats]:
        return weigh_prefixes(self.cases.examples, documents, rule, self.rules.costs)


@classifier("ripper")
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
