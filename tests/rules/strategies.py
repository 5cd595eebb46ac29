"""Random conditions, rules, bases and documents for the property tests of rules."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rubricate.rules.form import All, AtLeast, Either, Near, Not, Phrase, Prefix, Rule, RuleBase, Title, Use, Word
from rubricate.rules.sources import Passages
from rubricate.types import Terms

VOCABULARY = ("oil", "oils", "price", "prices", "wheat", "a", "b", "rate")


def located(terms, macros=()):
    """Conditions with places."""
    starred = st.one_of(terms, terms.map(lambda term: term + "*"))
    leaves = [st.builds(Word, terms), st.builds(Prefix, terms)]
    leaves.append(st.builds(Phrase, st.lists(starred, min_size=2, max_size=3).map(tuple)))
    if macros:
        leaves.append(st.sampled_from(macros).map(Use))
    return st.recursive(
        st.one_of(leaves),
        lambda inner: st.lists(inner, min_size=2, max_size=3).map(lambda c: Either(tuple(c))),
        max_leaves=3,
    )


def conditions(terms, macros=(), placed=()):
    """Conditions of every kind; `placed` are the macros with places."""
    words = located(terms, placed)
    near = st.builds(Near, words, words, st.integers(1, 6), st.booleans())
    leaves = [words, near, st.builds(AtLeast, st.integers(1, 4), words)]
    if macros:
        leaves.append(st.sampled_from(macros).map(Use))

    def grow(inner):
        group = st.lists(inner, max_size=3).map(tuple)
        return st.one_of(st.builds(Not, inner), st.builds(Title, inner), group.map(All), group.map(Either))

    return st.recursive(st.one_of(leaves), grow, max_leaves=8)


@st.composite
def bases(draw, terms=None, names=None):
    """Rule bases with macros that build on each other."""
    terms = st.sampled_from(VOCABULARY) if terms is None else terms
    names = st.sampled_from(["grain", "money-fx", "crude"]) if names is None else names
    macros = [("m1", draw(located(terms))), ("m2", draw(located(terms, ("m1",))))]
    macros.append(("m-3", draw(conditions(terms, ("m1", "m2"), ("m1", "m2")))))
    inner = conditions(terms, ("m1", "m2", "m-3"), ("m1", "m2"))
    count = st.one_of(st.none(), st.tuples(st.integers(0, 99), st.integers(0, 99)))
    rules = []
    for _ in range(draw(st.integers(0, 4))):
        right, wrong = draw(count) or (None, None)
        rules.append(Rule(draw(names), draw(inner), right, wrong, draw(st.one_of(st.just(""), names))))
    order = draw(st.permutations(macros))
    value = st.one_of(names, st.none(), st.integers(0, 9), st.lists(names, max_size=3), st.tuples(st.integers(0, 9)))
    option = st.sampled_from(["stem", "title", "stop", "min_length"])
    settings = draw(st.dictionaries(option, value, max_size=3))
    return RuleBase(tuple(rules), tuple(order), tuple(settings.items()))


@st.composite
def passages(draw, documents=6):
    """Documents of a few words, titles among them, some empty."""
    words = st.lists(st.sampled_from(VOCABULARY), max_size=9)
    texts = [draw(words) for _ in range(2 * draw(st.integers(0, documents)))]
    number = {word: i for i, word in enumerate(VOCABULARY)}
    ids = np.array([number[word] for text in texts for word in text], np.int32)
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return Passages(Terms(VOCABULARY, ids, starts))
