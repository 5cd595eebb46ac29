"""Rules as values."""

from __future__ import annotations

import pytest

from rubricate.errors import InvalidInput
from rubricate.rules.form import All, AtLeast, Either, Near, Not, Phrase, Prefix, Rule, RuleBase, Title, Use, Word


def test_values_are_equal_by_their_parts_and_can_be_keys():
    one = Rule("c", All((Word("a"), Near(Word("b"), Prefix("d"), 3))), 4, 1)
    two = Rule("c", All([Word("a"), Near(Word("b"), Prefix("d"), 3)]), 4, 1)
    assert one == two
    assert len({one, two, Rule("c", Word("a"))}) == 2
    assert RuleBase([one], [("m", Word("x"))], [("stop", ["a", "b"])]) == RuleBase(
        (two,), (("m", Word("x")),), (("stop", ("a", "b")),)
    )
    with pytest.raises(AttributeError):
        one.category = "d"


def test_groups_of_one_are_their_member():
    grown = All((Either((Not(All((Title(Either((Word("a"),))),))),)),))
    assert Rule("c", grown).condition == Not(Title(Word("a")))
    assert RuleBase(macros=(("m", Either((Word("a"),))),)).macros == (("m", Word("a")),)


@pytest.mark.parametrize("right, wrong, score", [(None, None, 1.0), (0, 0, 0.5), (57, 3, 58 / 62), (0, 8, 0.1)])
def test_scores_are_laplace_estimates(right, wrong, score):
    assert Rule("c", Word("a"), right, wrong).score == pytest.approx(score)


def test_categories_come_in_the_order_of_their_first_rule():
    rules = [Rule(name, Word("a")) for name in ("ship", "corn", "ship", "acq")]
    assert RuleBase(tuple(rules)).categories == ("ship", "corn", "acq")


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Word(""), "not empty"),
        (lambda: Word(3), "not empty, got 3"),
        (lambda: Prefix(""), "not empty"),
        (lambda: Phrase(("a",)), "two terms or more"),
        (lambda: Phrase(("a", "b c")), "no white space"),
        (lambda: Phrase(("a", "*")), "lone asterisk"),
        (lambda: Near(Word("a"), Word("b"), 0), "from 1, got 0"),
        (lambda: AtLeast(0, Word("a")), "from 1, got 0"),
        (lambda: Use("a b"), "name of a macro"),
        (lambda: Rule("", Word("a")), "not empty"),
        (lambda: Rule("c", Word("a"), 3), "both positives and negatives"),
        (lambda: Rule("c", Word("a"), 3, -1), "negative"),
        (lambda: Rule("c", "a"), "expected a condition .* got str"),
        (lambda: RuleBase(macros=(("a;b", Word("a")),)), "name of a macro"),
        (lambda: RuleBase(analyzer=(("stem", -1),)), "analyzer stem"),
        (lambda: RuleBase(analyzer=(("stop", (1, "a")),)), "analyzer stop"),
    ],
)
def test_what_cannot_be_a_rule_is_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()
