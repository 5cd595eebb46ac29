"""Rules on documents that are sets of words: slow, obvious twins of native/rules.c.

A condition c >= 0 asks for the word c, c < 0 for the absence of ~c.
"""

from __future__ import annotations

from itertools import chain, combinations
from math import log2, prod

import numpy as np
from hypothesis import strategies as st

from rubricate.native.rules import Holders, RuleExamples
from rubricate.native.sparse import Lists


@st.composite
def worlds(draw, most_words=6, most_documents=24):
    """Documents as sets of words, which of them are positive, and whole weights."""
    words = draw(st.integers(1, most_words))
    row = st.tuples(st.sets(st.integers(0, words - 1)), st.booleans(), st.integers(1, 3))
    rows = draw(st.lists(row, min_size=1, max_size=most_documents))
    documents, positive, weights = map(list, zip(*rows, strict=True))
    return documents, np.array(positive), np.array(weights, float), words


def as_rows(documents):
    """Return the terms of each document, ascending."""
    starts = np.cumsum([0, *map(len, documents)])
    return Lists(starts.astype(np.int64), np.array([t for row in documents for t in sorted(row)], np.int32))


def as_examples(world, *, absent=False):
    """Return a world as compiled loops take it."""
    documents, positive, weights, words = world
    return RuleExamples(as_rows(documents), words, positive, weights, absent)


def as_holders(documents, words):
    """Return the documents that hold each word."""
    holders = [[d for d, row in enumerate(documents) if t in row] for t in range(words)]
    starts = np.cumsum([0, *map(len, holders)]).astype(np.int64)
    return Holders(starts[:-1], starts[1:], np.array(list(chain(*holders)), np.int64))


def holds(condition, document):
    return condition in document if condition >= 0 else ~condition not in document


def covers(rule, document):
    return all(holds(condition, document) for condition in rule)


def cover(rule, documents):
    return [d for d, document in enumerate(documents) if covers(rule, document)]


def depth(rule, document):
    """How many conditions hold before the first that fails."""
    return next((i for i, condition in enumerate(rule) if not holds(condition, document)), len(rule))


def weigh(rows, positive, weights):
    """Weights of the positive and of the negative documents among these."""
    return (
        sum(float(weights[d]) for d in rows if positive[d]),
        sum(float(weights[d]) for d in rows if not positive[d]),
    )


def all_conditions(words, absent):
    """In the order in which ties are broken."""
    return [c for t in range(words) for c in ((t, ~t) if absent else (t,))]


def foil_gain(before, after):
    (p0, n0), (p1, n1) = before, after
    return p1 * (log2(p1 / (p1 + n1)) - log2(p0 / (p0 + n0))) if p1 else 0.0


def better(after, before):
    """Of higher precision, or of equal precision and more positives."""
    (p, n), (p0, n0) = after, before
    return p > 0 and (p * n0 > p0 * n or (p * n0 == p0 * n and p > p0))


def swap_growth(documents, positive, weights, words, absent, exchange=True):
    """One rule by the best exchange or removal, else the best addition."""

    def worth(rule):
        return weigh(cover(rule, documents), positive, weights)

    rule: list[int] = []
    while worth(rule)[0] > 0 and worth(rule)[1] > 0:
        best, value = rule, worth(rule)
        for i in range(len(rule) if exchange else 0):
            others = rule[:i] + rule[i + 1 :]
            exchanges = [[*rule[:i], c, *rule[i + 1 :]] for c in all_conditions(words, absent)]
            for tried in ([others] if others else []) + exchanges:
                if better(worth(tried), value):
                    best, value = tried, worth(tried)
        if best == rule:
            for c in all_conditions(words, absent):
                if better(worth([*rule, c]), value):
                    best, value = [*rule, c], worth([*rule, c])
        if best == rule:
            break
        rule = best
    return rule


def error(rules, documents, positive, counted):
    """The summed weight of documents that a set of rules gets wrong."""
    return sum(
        w
        for document, truth, w in zip(documents, positive, counted, strict=True)
        if any(covers(rule, document) for rule in rules) != truth
    )


def descriptions(documents, positive, weights, words, *, support, confidence, longest):
    """Every listed description, by trying all sets of words: each beginning must tell and not be listed itself."""

    def worth(rule):
        return weigh(cover(rule, documents), positive, weights)

    def precise(after, before):
        return after[0] * before[1] > before[0] * after[1]

    def listed(rule):
        p, n = worth(rule)
        return p >= confidence * (p + n)

    def reached(rule):
        for size in range(1, len(rule) + 1):
            now = worth(rule[:size])
            if now[0] < support or now[0] <= 0 or not precise(now, worth(rule[: size - 1])):
                return False
            if size > 1 and not precise(now, worth(rule[size - 1 : size])):
                return False
            if size < len(rule) and listed(rule[:size]):
                return False
        return True

    sizes = range(1, longest + 1)
    every = sorted(rule for size in sizes for rule in combinations(range(words), size))
    return [rule for rule in every if reached(rule) and listed(rule)]


def choose(rules, order, documents, positive, weights, *, confidence, needed):
    """The rules that are chosen for what they add."""
    times, chosen = [0] * len(documents), []
    for r in order:
        if all(times[d] >= needed for d in range(len(documents)) if positive[d]):
            break
        rows = cover(rules[r], documents)
        p, n = weigh([d for d in rows if times[d] < needed], positive, weights)
        if p > 0 and p >= confidence * (p + n):
            chosen.append(r)
            for d in rows:
                times[d] += 1
    return chosen


def score(rules, strengths, categories, document, category, slight):
    """The strongest rule that fires, lifted a little by the others."""
    fired = sorted(
        s for rule, s, c in zip(rules, strengths, categories, strict=True) if c == category and covers(rule, document)
    )
    return fired[-1] + slight * (1 - fired[-1]) * (1 - prod(1 - s for s in fired[:-1])) if fired else 0.0
