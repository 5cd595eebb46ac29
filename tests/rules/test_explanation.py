"""Why a rule holds: which words, and where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.rules.strategies import bases, passages
from tests.rules.test_engine import passages_of

from rubricate.rules.engine import fire
from rubricate.rules.explanation import Explainer
from rubricate.rules.parser import parse_rules
from rubricate.rules.sources import Columns


def explain(text, *documents):
    return [[str(one) for one in row] for row in Explainer(parse_rules(text)).explain(passages_of(*documents))]


def test_the_words_that_hold_are_shown_where_they_are():
    text = "c if oil and (price or cost) and not wheat;"
    body = "a b c d e the oil price f g h i j"
    assert explain(text, ("", body)) == [
        ["oil: … c d e the [oil] price f g h …; price: … d e the oil [price] f g h i …"]
    ]


def test_phrases_counts_titles_and_nearness():
    document = ("oil up", "crude oil rose and oil fell")
    assert explain('c if "crude oil";', document) == [['"crude oil": [crude oil] rose and oil fell']]
    assert explain("c if title(oil);", document) == [["title(oil): [oil] up"]]
    assert explain("c if oil >= 3;", document) == [
        ["oil >= 3: [oil] up | crude [oil] rose and oil fell | crude oil rose and [oil] fell"]
    ]
    assert explain("c if fell near/3 rose;", document) == [["fell near/3 rose: crude oil [rose and oil fell]"]]
    assert explain("c if not wheat;", document) == [[""]]
    assert explain("c if wheat;", document) == [[]]


def test_many_places_are_counted_and_positions_are_kept():
    firing = Explainer(parse_rules("c if a;")).explain(passages_of(("a", "a b a a a")))[0][0]
    assert firing.matches[0].places == (0, 1, 3, 4, 5)
    assert firing.matches[0].snippets[-1] == "and 2 more"


def test_the_best_rule_comes_first_and_categories_can_be_chosen():
    base = parse_rules("c if a [1 right, 1 wrong]; d if a; c if b [9 right, 0 wrong];")
    found = Explainer(base).explain(passages_of(("", "a b"), ("", "")))
    assert [one.number for one in found[0]] == [1, 2, 0]
    assert found[1] == []
    assert [one.number for one in Explainer(base).explain(passages_of(("", "a b")), "c")[0]] == [2, 0]


def test_a_matrix_shows_the_columns():
    base = parse_rules("c if whe* and not oil; c if (corn or oats) >= 2;")
    found = Explainer(base).explain(Columns([[1, 0, 2, 0], [1, 1, 0, 0]], ["wheat", "oil", "corn", "oats"]))
    assert [[str(one) for one in row] for row in found] == [["whe*: wheat", "(corn or oats) >= 2: corn"], []]


@pytest.mark.slow
def test_chains_of_macros_are_explained_without_end():
    chain = "@m0 = a or b;" + "".join(f"@m{i + 1} = @m{i} or c{i};" for i in range(2000)) + "c if @m2000 >= 1;"
    assert explain(chain, ("", "a"))[0][0].endswith(": [a]")


@pytest.mark.slow
@settings(max_examples=15)
@given(bases(), passages())
def test_exactly_the_rules_that_fire_are_explained(base, found):
    fired = fire(base, found).toarray()
    shown = Explainer(base).explain(found)
    for row, firings in zip(fired, shown, strict=True):
        assert sorted(one.number for one in firings) == row.nonzero()[0].tolist()
