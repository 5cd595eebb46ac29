"""The engine against the slow twin, on sequences of terms and on matrices."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.rule_language import holds
from tests.rules.strategies import VOCABULARY, bases, passages

from rubricate.errors import InvalidInput, UnknownName
from rubricate.rules.engine import fire, make_plan, score
from rubricate.rules.form import All, AtLeast, Either, Near, Not, Phrase, Prefix, Rule, RuleBase, Title, Use, Word
from rubricate.rules.parser import parse_rules
from rubricate.rules.sources import Columns, Passages
from rubricate.types import Terms

pytestmark = pytest.mark.slow


def texts_of(found):
    words, starts = found.terms.words, found.terms.starts
    texts = [[words[i] for i in found.terms.ids[a:b]] for a, b in pairwise(starts)]
    return list(zip(texts[::2], texts[1::2], strict=True))


def passages_of(*documents):
    """From (title, body) pairs."""
    texts = [part.split() for pair in documents for part in pair]
    words = sorted({word for text in texts for word in text})
    ids = np.array([words.index(word) for text in texts for word in text], np.int32)
    return Passages(Terms(words, ids, np.cumsum([0, *map(len, texts)])))


def fired(text, source):
    return fire(parse_rules(text), source).toarray().astype(int).T.tolist()


@settings(max_examples=30)
@given(bases(), passages())
def test_agrees_with_the_slow_twin_on_sequences(base, found):
    macros = dict(base.macros)
    wanted = [[holds(rule.condition, *text, macros) for rule in base.rules] for text in texts_of(found)]
    assert fire(base, found).toarray().tolist() == wanted


def test_agrees_with_the_slow_twin_on_thousands_of_conditions():
    """Longer documents and deeper conditions than hypothesis draws in the time."""
    chance = random.Random(8)
    word = lambda: chance.choice(VOCABULARY)  # noqa: E731
    texts = [(" ".join(chance.choices(VOCABULARY, k=chance.randrange(4))), "") for _ in range(40)]
    texts = [(title, " ".join(chance.choices(VOCABULARY, k=chance.randrange(25)))) for title, _ in texts]

    def places():
        kind = chance.randrange(4)
        if kind == 0:
            return Phrase((word(), word() + chance.choice(["", "*"])))
        return Prefix(word()[:3]) if kind == 1 else Either((Word(word()), places())) if kind == 2 else Word(word())

    def any_condition(depth):
        kind = chance.randrange(7 if depth else 3)
        if kind < 2:
            return Near(places(), places(), chance.randrange(1, 5), ordered=kind == 0)
        if kind < 4:
            return AtLeast(chance.randrange(1, 5), places())
        parts = tuple(any_condition(depth - 1) for _ in range(chance.randrange(4)))
        return (All(parts), Either(parts), Title(Not(All(parts))))[kind - 4]

    base = RuleBase(tuple(Rule("c", any_condition(4)) for _ in range(1200)))
    found = fire(base, passages_of(*texts)).toarray()
    split = [(title.split(), body.split()) for title, body in texts]
    assert found.tolist() == [[holds(rule.condition, *text, {}) for rule in base.rules] for text in split]


@settings(max_examples=20)
@given(bases(), passages(), st.randoms(use_true_random=False))
def test_documents_are_judged_one_by_one(base, found, random):
    order = list(range(len(found)))
    random.shuffle(order)
    whole = fire(base, found).toarray()
    assert (fire(base, found.take(order)).toarray() == whole[order]).all()
    for d in order[:2]:
        assert (fire(base, found.take([d])).toarray() == whole[[d]]).all()


@given(st.data(), passages())
def test_a_matrix_answers_as_sequences_do(data, found):
    """Words, prefixes, counts, phrases and titles by name; proximity needs order."""
    term = st.sampled_from(VOCABULARY)
    leaf = st.one_of(
        st.builds(Word, term),
        st.builds(Phrase, st.lists(term.flatmap(lambda t: st.sampled_from([t, t + "*"])), min_size=2, max_size=2)),
    )
    some = st.builds(AtLeast, st.integers(1, 3), st.one_of(leaf, st.lists(leaf, min_size=2, max_size=3).map(Either)))
    inner = st.recursive(
        st.one_of(leaf, some),
        lambda c: st.one_of(st.builds(Not, c), st.builds(Title, c), st.lists(c, max_size=3).map(All)),
        max_leaves=5,
    )
    base = RuleBase((Rule("c", data.draw(inner)),))
    pairs = [f"{a} {b}" for a in VOCABULARY for b in VOCABULARY]
    names = [mark + name for mark in ("", "title:") for name in (*VOCABULARY, *pairs)]
    counts = np.zeros((len(found), len(names)))
    for d, (title, body) in enumerate(texts_of(found)):
        for text, marks in ((title, ("", "title:")), (body, ("",))):
            for name in (*text, *map(" ".join, pairwise(text))):
                for mark in marks:
                    counts[d, names.index(mark + name)] += 1
    for matrix in (counts, sparse.csr_array(counts)):
        assert (fire(base, Columns(matrix, names)).toarray() == fire(base, found).toarray()).all()


def test_phrases_do_not_cross_from_the_title_into_the_body():
    found = passages_of(("crude oil", "price rose"), ("", "oil price"))
    assert fired('c if "oil price"; c if oil near/9 price; c if title(oil); c if oil;', found) == [
        [0, 1],
        [0, 1],
        [1, 0],
        [1, 1],
    ]


def test_near_counts_words_between_ends_and_needs_two_occurrences():
    found = passages_of(("", "a x b"), ("", "b a"), ("", "a a"), ("", "a x y b"))
    assert fired("c if a near/2 b;", found) == [[1, 1, 0, 0]]
    assert fired("c if a before/2 b;", found) == [[1, 0, 0, 0]]
    assert fired("c if a before/1 b;", found) == [[0, 0, 0, 0]]
    assert fired("c if a near/1 a;", found) == [[0, 0, 1, 0]]
    assert fired('c if "a x" near/2 b;', found) == [[1, 0, 0, 1]]


def test_counts_are_of_places_that_differ():
    found = passages_of(("oil", "oil oils"))
    assert fired("c if oil >= 2; c if oil >= 3; c if (oil or oil*) >= 3; c if (oil or oil*) >= 4;", found) == [
        [1],
        [0],
        [1],
        [0],
    ]


def test_learned_words_with_spaces_and_marks_are_found_in_sequences():
    found = passages_of(("wheat", "interest rate"))
    assert fired("c if 'interest rate'; c if 'title:wheat'; c if 'title:rate'; c if 'rate interest';", found) == [
        [1],
        [1],
        [0],
        [0],
    ]


def test_empty_conditions_bases_and_documents():
    found = passages_of(("", ""), ("", "a"))
    assert fired("c if always; c if never; c if not a; c if zebra;", found) == [[1, 1], [0, 0], [1, 0], [0, 0]]
    assert fire(RuleBase(), found).shape == (2, 0)
    assert fire(parse_rules("c if a; c if always;"), passages_of()).shape == (0, 2)


def test_common_conditions_are_steps_once_and_chains_of_macros_are_cheap():
    base = parse_rules("@x = a or b; c if @x and d; c if @x and e; c if (a or b) and f; d if title(a);")
    plan = make_plan(base)
    kinds = [plan.steps[number].kind for number in plan.needed()]
    assert kinds.count("word") == 6  # a, b, d, e, f, and the 'a' of the title
    assert kinds.count("any") == 1
    chain = "@m0 = a or b;" + "".join(f"@m{i + 1} = @m{i} or @m{i};" for i in range(2000)) + "c if @m2000 >= 2;"
    assert fired(chain, passages_of(("", "a"), ("", "a b"))) == [[0, 1]]


def test_scores_are_those_of_the_best_rule_that_holds():
    base = RuleBase((Rule("c", Word("a"), 8, 0), Rule("c", Word("b"), 0, 8), Rule("d", Word("b")), Rule("e", All(()))))
    found = fire(base, passages_of(("", "a b"), ("", "b"), ("", "")))
    assert score(base, found, ("d", "c")).tolist() == [[1.0, 0.9], [1.0, 0.1], [0.0, 0.0]]


def test_what_a_matrix_cannot_answer_is_said():
    X = Columns([[1.0, 0.5]], ["oil", "wheat"])
    with pytest.raises(InvalidInput, match="order of words"):
        fired("c if oil near/3 wheat;", X)
    with pytest.raises(InvalidInput, match="no column is named like 'title:wheat'"):
        fired("c if title(oil);", X)
    with pytest.raises(InvalidInput, match=r"phrase of 2 words.*like 'a b'.*ngrams=\(1, 2\)"):
        fired('c if "oil price";', X)
    with pytest.raises(InvalidInput, match="holds weights; give a matrix of counts"):
        fired("c if wheat >= 2;", X)
    with pytest.raises(InvalidInput, match="1 names for 2 columns"):
        Columns([[1, 2]], ["oil"])
    assert fired("c if wheat; c if zebra; c if whe*;", X) == [[1], [0], [1]]


def test_a_base_made_in_python_is_checked_like_a_file():
    found = passages_of(("", "a"))
    with pytest.raises(UnknownName, match="no macro named 'y'"):
        fire(RuleBase((Rule("c", Use("y")),)), found)
    with pytest.raises(InvalidInput, match="uses itself"):
        fire(RuleBase((), (("x", Use("x")),)), found)
    with pytest.raises(InvalidInput, match="same name"):
        fire(RuleBase((), (("x", Word("a")), ("x", Word("b")))), found)
    with pytest.raises(InvalidInput, match="AtLeast needs words"):
        fire(RuleBase((Rule("c", AtLeast(2, Not(Word("a")))),)), found)
    with pytest.raises(InvalidInput, match="Near needs words"):
        fire(RuleBase((Rule("c", Near(Word("a"), Title(Word("a")), 2)),)), found)
    with pytest.raises(InvalidInput, match="title and a body"):
        Passages(Terms(["a"], np.zeros(1, np.int32), np.array([0, 1])))
