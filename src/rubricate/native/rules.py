"""Rules on words: what they cover, growing, pruning, choosing, firing. See native/rules.c."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rubricate.native.library import Buffer, check_lengths, core
from rubricate.native.sparse import Lists

__all__ = [
    "Holders", "PruningSteps", "RuleExamples", "RuleIndex", "Rules", "choose_rules",
    "find_covered", "fire_rules", "grow_rule", "grow_rule_set", "list_descriptions", "prune_rule_set", "weigh_prefixes",
]  # fmt: skip


class RuleExamples(NamedTuple):
    """Documents to learn rules from.

    `rows` are the terms of each document, ascending; `columns` is the number of terms; `positive` and `weights` are
    those of the documents; `absent` says whether rules may ask for the absence of a term.
    """

    rows: Lists
    columns: int
    positive: np.ndarray
    weights: np.ndarray
    absent: bool

    def check(self) -> None:
        """Raise ValueError unless the arrays fit each other."""
        check_lengths(self.rows.length, positive=self.positive, weights=self.weights)
        terms = self.rows.items
        if len(terms) != self.rows.starts[-1] or (len(terms) and not 0 <= terms.min() <= terms.max() < self.columns):
            raise ValueError(f"terms must be from 0 to {self.columns - 1}")


class Holders(NamedTuple):
    """The documents that hold each term: documents[starts[t]:ends[t]], ascending."""

    starts: np.ndarray
    ends: np.ndarray
    documents: np.ndarray


class Rules(NamedTuple):
    """Rules end to end: rule r has conditions[starts[r]:starts[r + 1]], c >= 0 for a term, c < 0 for no ~c."""

    starts: np.ndarray
    conditions: np.ndarray

    @property
    def length(self) -> int:
        """Return the number of rules."""
        return len(self.starts) - 1

    def split(self) -> list[np.ndarray]:
        """Return the conditions of each rule."""
        return [self.conditions[a:b] for a, b in pairwise(self.starts.tolist())]


class PruningSteps(NamedTuple):
    """The error that each step adds per condition saved, the rule, and the place of the condition (−1: the whole rule).

    `errors` has the held-out error before the first step and after each.
    """

    added: np.ndarray
    rules: np.ndarray
    places: np.ndarray
    errors: np.ndarray


class RuleIndex(NamedTuple):
    """Rules that can be looked up by the terms of a document; each has a strength and one of `categories` categories.

    The rules that begin with the presence of term t are by_term[term_starts[t]:term_starts[t + 1]]; `others` are all
    other rules.
    """

    rules: Rules
    strengths: np.ndarray
    category: np.ndarray
    categories: int
    term_starts: np.ndarray
    by_term: np.ndarray
    others: np.ndarray


def find_covered(rows: Lists, documents: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """Return those of the documents that meet every condition, in the order given."""
    covered = np.empty(len(documents), np.int64)
    return covered[: core.rb_find_covered(rows, documents, len(documents), conditions, len(conditions), covered)]


def weigh_prefixes(
    examples: RuleExamples, documents: np.ndarray, conditions: np.ndarray, costs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what the positive and the negative documents cost that meet the first 1, 2, … conditions."""
    size = len(conditions)
    positive, negative = np.empty(size), np.empty(size)
    core.rb_weigh_prefixes(examples, costs, documents, len(documents), conditions, size, positive, negative)
    return positive, negative


def grow_rule(examples: RuleExamples, documents: np.ndarray, rule: np.ndarray) -> np.ndarray:
    """Return a rule with the conditions that RIPPER adds to it on these documents."""
    _check_documents(documents, examples)
    size = np.full(1, len(rule))
    conditions = np.empty(len(rule) + len(documents), np.int64)
    conditions[: len(rule)] = rule
    core.rb_grow_rule(examples, documents, len(documents), conditions, size)
    return conditions[: size[0]].copy()


def grow_rule_set(examples: RuleExamples, holders: Holders, documents: np.ndarray) -> Rules:
    """Return the rules that SWAP-1 grows to tell the positive documents from the negative ones."""
    _check_documents(documents, examples)
    conditions, ends = Buffer(), Buffer()
    core.run_stoppable("rb_grow_rule_set", examples, holders, documents, len(documents), conditions, ends)
    return Rules(_starts(ends), conditions.take(np.int64))


def prune_rule_set(
    examples: RuleExamples, holders: Holders, rules: Rules, *, counts: np.ndarray, held_out: np.ndarray
) -> PruningSteps:
    """Return the steps of weakest-link pruning, from all rules to none.

    `counts` is what each document counts in the error, above 0 if it is positive, below 0 if it is negative, else 0;
    `held_out` is what a wrong answer costs on each document that is held out, 0 on the others.
    """
    check_lengths(examples.rows.length, counts=counts, held_out=held_out)
    places, made = len(rules.conditions) + rules.length + 1, np.zeros(1, np.int64)
    steps = PruningSteps(np.empty(places), np.empty(places, np.int64), np.empty(places, np.int64), np.empty(places))
    core.run_stoppable("rb_prune_rule_set", examples, holders, rules, counts, held_out, steps, made)
    size = int(made[0])
    return PruningSteps._make([*(part[:size].copy() for part in steps[:3]), steps.errors[: size + 1].copy()])


def list_descriptions(
    examples: RuleExamples, *, support: float, confidence: float, max_terms: int
) -> tuple[Rules, np.ndarray]:
    """Return CHARADE's descriptions, and the weights p and n that each covers, descriptions × 2."""
    if max_terms < 1:
        raise ValueError("max_terms must be 1 or more")
    terms, ends, covers = Buffer(), Buffer(), Buffer()
    core.run_stoppable("rb_list_descriptions", examples, support, confidence, max_terms, terms, ends, covers)
    return Rules(_starts(ends), terms.take(np.int64)), covers.take(np.float64).reshape(-1, 2)


def choose_rules(
    examples: RuleExamples, holders: Holders, rules: Rules, *, order: np.ndarray, confidence: float, needed: int
) -> np.ndarray:
    """Return the rules that are chosen, in order, for what they add to those before; `order` has every rule once."""
    chosen, count = np.empty(rules.length, np.int64), np.zeros(1, np.int64)
    check_lengths(rules.length, order=order)
    core.rb_choose_rules(examples, holders, rules, order, confidence, needed, chosen, count)
    return chosen[: count[0]]


def fire_rules(rows: Lists, index: RuleIndex, slight: float) -> np.ndarray:
    """Return the score of each document for each category."""
    scores = np.zeros((rows.length, index.categories))
    core.rb_fire_rules(rows, index, len(index.term_starts) - 1, len(index.others), slight, scores)
    return scores


def _starts(ends: Buffer) -> np.ndarray:
    return np.concatenate([np.zeros(1, np.int64), ends.take(np.int64)])


def _check_documents(documents: np.ndarray, examples: RuleExamples) -> None:
    if len(documents) and not 0 <= documents.min() <= documents.max() < examples.rows.length:
        raise ValueError(f"documents must be from 0 to {examples.rows.length - 1}")
