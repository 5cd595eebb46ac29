"""CHARADE's search for the rules of one category: descriptions by closure, then those that cover the examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rubricate.classifiers.base import Scorer, require_number, require_whole
from rubricate.classifiers.classic.rule_tables import Cases, Ruled, Words, learn_rules, most_telling
from rubricate.engines import Engine
from rubricate.native.rules import choose_rules, list_descriptions
from rubricate.registry import classifier
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["CHARADE", "charade_rules"]


def charade_rules(
    cases: Cases, *, support: float, share: float, confidence: float, longest: int, redundancy: int
) -> Sequence[Ints]:
    """Return the rules of the category, those that cover most positive documents first.

    A description must cover positive documents of weight `support` and `share` of all positive ones, yet never more
    than half of them, so that a category of two or three documents can have rules.
    """
    of_positive = float(cases.weights[cases.positive].sum())
    least = min(max(support, share * of_positive), of_positive / 2)
    rules, covers = list_descriptions(
        cases.examples, support=float(least), confidence=float(confidence), max_terms=longest
    )
    order = np.lexsort((np.diff(rules.starts), covers[:, 1], -covers[:, 0]))
    chosen = choose_rules(
        cases.examples, cases.holders, rules, order=order, confidence=float(confidence), needed=redundancy
    )
    listed = rules.split()
    return [listed[r] for r in chosen]


@classifier("charade")
class CHARADE(Ruled, Scorer):
    """Rules "these words together imply the category" from a search of descriptions by closure (ganascia1991).

    A description is a set of words; it covers the documents that have all of them. From the empty one on, a word is
    added if it tells: not one that all documents covered have already (the closure of the description), nor one that
    raises the confidence, the part of the documents covered that are positive, above neither the description's nor
    its own. A description of enough support and confidence is a rule and is not specialised. From the rules, those of
    most positive documents first, each is taken that is as confident on the documents not yet covered.

    A word is present where x > 0. Score of a document: that of the strongest rule that fires, with (p + 1)/(p + n + 2)
    over the training documents it covers, and at most .001 more for others that fire (`native/rules.c`); 0 where
    none fires. `predict` assigns a category where a rule fires; a single-label y, the best.

    Learned: `conditions_`, `rule_starts_`, `category_starts_`, `positives_`, `negatives_` (`RuleTable`).

    Cost: the words of the documents of each description that is specialised; descriptions grow with words^longest
    and fall with the support. A category without documents has no rule, one with all a rule without conditions.
    Differs from ganascia1991: words are present or not mentioned, never absent; a word must raise the confidence;
    rules are chosen by what they add.

    Parameters
    ----------
    words
        Size of the dictionary of each category: the words of highest χ² that speak for it; None: all words.
    support
        The least weight of the positive documents that a rule covers, and.
    share
        Their least part of all positive ones; half of these are always enough.
    confidence
        The least part of the documents covered that are positive.
    longest
        The most words of a rule.
    redundancy
        How many rules cover a document before it asks for no more.
    engine
        Where categories are learned; the result does not depend on it.

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 0, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1], [0, 1, 0]]
    >>> model = CHARADE().fit(X, ["corn", "corn", "corn", "gold", "gold", "gold"])
    >>> model.rule_base(names=["maize", "ounce", "price"]).rules[0].condition
    Word(term='maize')
    """

    def __init__(
        self,
        *,
        words: int | None = 50,
        support: float = 3.0,
        share: float = 0.02,
        confidence: float = 0.75,
        longest: int = 3,
        redundancy: int = 1,
        engine: Engine | str = "serial",
    ) -> None:
        self.words = words
        self.support = support
        self.share = share
        self.confidence = confidence
        self.longest = longest
        self.redundancy = redundancy
        self.engine = engine

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        require_whole(self, "words", 1, or_none=True)
        for name in ("longest", "redundancy"):
            require_whole(self, name, 1)
        require_number(self, "support")
        for name in ("share", "confidence"):
            require_number(self, name, most=1.0)
        self._keep(learn_rules(X, labels, weights, search=self._search, engine=self.engine))

    def _search(self, words: Words, positive: Bools, category: int) -> tuple[Cases, Sequence[Ints]]:
        columns = None if self.words is None else most_telling(words, positive, self.words)
        cases = Cases.of(words, positive, columns, absent=False)
        return cases, charade_rules(
            cases,
            support=self.support,
            share=self.share,
            confidence=self.confidence,
            longest=self.longest,
            redundancy=self.redundancy,
        )
