"""Printing rules, and reading back what was printed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rules.strategies import bases

from rubricate.errors import InvalidInput
from rubricate.rules.form import DEEPEST, All, AtLeast, Either, Near, Not, Phrase, Prefix, Rule, RuleBase, Title, Word
from rubricate.rules.parser import parse_rules, read_rules
from rubricate.rules.printer import format_condition, format_rule, format_rules, write_rules

pytestmark = pytest.mark.slow

ODD = st.text(min_size=1, max_size=6).filter(lambda text: text.split() == [text] and text.strip("*"))
NAMES = st.text(min_size=1, max_size=6)


@settings(max_examples=25)
@given(bases())
def test_what_is_printed_is_read_back(base):
    assert parse_rules(format_rules(base)) == base


@settings(max_examples=25)
@given(bases(ODD, NAMES))
def test_words_and_names_of_any_characters_are_read_back(base):
    assert parse_rules(format_rules(base)) == base


@settings(max_examples=10)
@given(bases(ODD, NAMES))
def test_files_are_read_back(tmp_path_factory, base):
    place = tmp_path_factory.mktemp("rules") / "base.rules"
    assert read_rules(write_rules(base, place)) == base


@pytest.mark.parametrize(
    "condition, text",
    [
        (Word("oil"), "oil"),
        (Word("interest rate"), "'interest rate'"),
        (Word("not"), "'not'"),
        (Prefix("not"), "not*"),
        (Phrase(("net", "los*")), '"net los*"'),
        (Near(Word("oil"), Either((Word("price"), Prefix("cost"))), 5), "oil near/5 (price or cost*)"),
        (Near(Word("oil"), Word("price"), 5, ordered=True), "oil before/5 price"),
        (AtLeast(3, Either((Word("a"), Word("b")))), "(a or b) >= 3"),
        (Title(Either((Word("a"), Not(Word("b"))))), "title(a or not b)"),
        (Not(All((Word("a"), Word("b")))), "not (a and b)"),
        (Either((All((Word("a"), Not(Word("b")))), Word("c"))), "a and not b or c"),
        (All((Either((Word("a"), Word("b"))), All(()))), "(a or b) and always"),
        (Either(()), "never"),
    ],
)
def test_conditions_print_with_the_brackets_they_need(condition, text):
    assert format_condition(condition) == text
    assert parse_rules(f"c if {text};").rules[0].condition == condition


def test_learned_rules_print_as_one_conjunction_a_line_with_their_counts():
    learned = [Rule("wheat", All((Word("wheat"), Word("farm"))), 57, 3), Rule("wheat", Word("bushel"), 4, 0, "last")]
    text = format_rules(RuleBase((*learned, Rule("corn", Word("corn"), 9, 1))))
    assert text.splitlines() == [
        "wheat if wheat and farm [57 right, 3 wrong];",
        "last: wheat if bushel [4 right, 0 wrong];",
        "",
        "corn if corn [9 right, 1 wrong];",
    ]


def test_a_long_rule_has_a_line_for_each_member():
    rule = Rule("crude", Either(tuple(Word(f"petroleum{i:02}") for i in range(12))))
    lines = format_rule(rule).splitlines()
    assert lines[:2] == ["crude if petroleum00", "    or petroleum01"]
    assert parse_rules("\n".join(lines)).rules == (rule,)


def test_the_deepest_conditions_are_read_back_and_deeper_ones_refused():
    deep = Word("a")
    for level in range(DEEPEST):
        deep = Not(deep) if level % 2 else All((deep, Word("b")))
    base = RuleBase((Rule("c", deep),))
    assert parse_rules(format_rules(base)) == base
    with pytest.raises(InvalidInput, match="deeper than 50 levels"):
        Rule("c", Not(deep))


def test_an_empty_base_is_an_empty_text():
    assert format_rules(RuleBase()) == ""
    assert parse_rules("  # nothing\n") == RuleBase()
