"""Reading rules: the language, and what a wrong file is told."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubricate.errors import InvalidFile, InvalidInput, InvalidRules
from rubricate.rules.form import All, AtLeast, Either, Near, Not, Phrase, Prefix, Rule, RuleBase, Title, Use, Word
from rubricate.rules.parser import bases, parse_rules, read_rules
from rubricate.rules.printer import format_rules

EVERYTHING = r"""
# A comment; with 'quotes and "all"
analyzer tokens = letters, min_length = 1, stop = (the, 'of'), stem = none, ngrams = (1, 2), title = plain;
@oil = oil or "crude oil" or petrol*;
prices: crude if @oil near/5 price* and not title(vegetable or "palm oil");
'money-fx' if "Bank of England" before/3 'not' [57 right, 3 wrong];
"two words": grain if (wheat or corn) >= 2 AND NOT (always and never);
"""


def outcome(read):
    """What was read, or what was said instead."""
    try:
        return read(), ""
    except InvalidInput as error:
        return None, str(error)


def condition(text):
    return parse_rules(f"c if {text};").rules[0].condition


def test_every_part_of_the_language():
    assert parse_rules(EVERYTHING) == RuleBase(
        rules=(
            Rule(
                "crude",
                All(
                    (
                        Near(Use("oil"), Prefix("price"), 5),
                        Not(Title(Either((Word("vegetable"), Phrase(("palm", "oil")))))),
                    )
                ),
                name="prices",
            ),
            Rule("money-fx", Near(Phrase(("Bank", "of", "England")), Word("not"), 3, ordered=True), 57, 3),
            Rule(
                "grain",
                All((AtLeast(2, Either((Word("wheat"), Word("corn")))), Not(All((All(()), Either(())))))),
                name="two words",
            ),
        ),
        macros=(("oil", Either((Word("oil"), Phrase(("crude", "oil")), Prefix("petrol")))),),
        analyzer=(
            ("tokens", "letters"),
            ("min_length", 1),
            ("stop", ("the", "of")),
            ("stem", None),
            ("ngrams", (1, 2)),
            ("title", "plain"),
        ),
    )


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("a or b and c", Either((Word("a"), All((Word("b"), Word("c")))))),
        ("not a and b", All((Not(Word("a")), Word("b")))),
        ("not not a", Not(Not(Word("a")))),
        ("not a near/2 b", Not(Near(Word("a"), Word("b"), 2))),
        ('"oil"', Word("oil")),
        ('"oil*"', Prefix("oil")),
        ("'los angeles'*", Prefix("los angeles")),
        (r"'it\'s \\ \u00e9'", Word("it's \\ é")),
        ("u.s and third-quarter", All((Word("u.s"), Word("third-quarter")))),
        ("10 and x_1", All((Word("10"), Word("x_1")))),
        ("((a))", Word("a")),
        ("near or before", Either((Word("near"), Word("before")))),
    ],
)
def test_conditions_bind_as_documented(text, wanted):
    assert condition(text) == wanted


@pytest.mark.parametrize(
    "text, line, column, message",
    [
        ("earn if ;", 1, 9, "expected a condition .*got ';'"),
        ("earn if", 1, 8, "expected a condition .*got the end"),
        ("earn if a b;", 1, 11, "expected 'and', 'or' or ';' to end the rule, got 'b'"),
        ("earn if a", 1, 10, "';' to end the rule, got the end"),
        ("earn if a & b;", 1, 11, "unknown operator '&'.*write 'and'"),
        ("earn if a xor b;", 1, 11, "got 'xor'"),
        ("earn if a within/3 b;", 1, 11, "got 'within'"),
        ("earn if a > 3;", 1, 11, "unknown operator '>'"),
        ("earn if\n  (a or b;", 2, 3, r"this '\(' is not closed"),
        ("earn if a or b);", 1, 15, r"'\)' that closes nothing"),
        ("earn if a and 'b;\n", 1, 15, "quote ' that does not end in its line"),
        ('earn if "a;', 1, 9, 'quote " that does not end'),
        ('earn if "";', 1, 9, "words between the quotes, got none"),
        ("earn if '';", 1, 9, "got empty quotes"),
        (r"earn if 'a\q';", 1, 11, r"unknown escape \\q"),
        ("earn if a and @rates;", 1, 15, "no macro named 'rates'"),
        ("@a = x;\n@a = y;", 2, 1, "@a is defined twice"),
        ("@a = x or @a;", 1, 1, "@a uses itself"),
        ("x if y;\n@a = @b;\n@b = @c or z;\n@c = @a;", 2, 1, "@a uses itself .*@a → @b → @c → @a"),
        ("@a = @b;", 1, 1, "no macro named 'b'"),
        ("earn when a;", 1, 6, "expected 'if' behind the category 'earn', got 'when'"),
        ("if a;", 1, 1, "expected a category"),
        ("earn if (a and b) near/2 c;", 1, 9, "want words, phrases"),
        ("earn if a near/2 title(b);", 1, 18, "want words, phrases"),
        ("@m = not a; earn if @m >= 2;", 1, 21, "want words, phrases"),
        ("earn if a near/0 b;", 1, 11, "whole number from 1"),
        ("earn if a near/9999999999 b;", 1, 11, "at most 9"),
        ("earn if a >= b;", 1, 14, "whole number of occurrences, got 'b'"),
        ("earn if a >= 0;", 1, 11, "whole number from 1"),
        ("earn if a near/2 b near/2 c;", 1, 20, "join two conditions, not three"),
        ("earn if title a;", 1, 15, r"expected '\(' after 'title'"),
        ("earn if a [3 right];", 1, 19, "expected ',' behind 'right'"),
        ("earn if a [3 good, 2 wrong];", 1, 14, "expected 'right', got 'good'"),
        ("earn if a [x right, 2 wrong];", 1, 12, "number of documents that the rule covers rightly"),
        ("analyzer stem porter;", 1, 15, "expected '=' behind 'stem'"),
        ("analyzer stem = a, stem = b;", 1, 20, "'stem' is set twice"),
        ("analyzer ngrams = (1, a);", 1, 19, "words only, or numbers only"),
        ("earn if a\0b;", 1, 10, "NUL"),
        ("earn if @;", 1, 9, "name of a macro behind '@'"),
        ("earn if $5;", 1, 9, r"unexpected '\$'"),
    ],
)
def test_what_is_wrong_is_named_by_line_and_column(text, line, column, message):
    with pytest.raises(InvalidRules, match=message) as caught:
        parse_rules(text, path="news.rules")
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"news.rules, line {line}: column {column}: ")
    shown, caret = str(caught.value).splitlines()[-2:]
    wrong = text.split("\n")[line - 1].replace("\0", " ")
    assert shown == f"  {wrong}"
    assert caret == " " * (column + 1) + "^"


def test_a_category_that_is_not_there_is_named_with_the_nearest():
    with pytest.raises(
        InvalidRules, match=r"line 2: column 1: no category named 'ern'\. Did you mean 'earn'"
    ) as caught:
        parse_rules("acq if b;\nern if a;", categories=("earn", "acq"))
    assert caught.value.column == 1
    assert parse_rules("earn if a;", categories=["earn"]).categories == ("earn",)


def test_absurd_depth_is_an_error_and_not_a_crash():
    for text in ("(" * 100_000, "not " * 100_000 + "a", "title(" * 5000, "(a and " * 60 + "b" + ")" * 60):
        with pytest.raises(InvalidRules, match="nest deeper than 50 levels"):
            parse_rules(f"earn if {text};")
    assert len(condition(" or ".join("a" * n for n in range(1, 3000))).conditions) == 2999


@pytest.mark.slow
def test_long_circles_of_macros_are_found_and_long_chains_are_fine():
    chain = "".join(f"@m{i} = @m{i + 1};" for i in range(3000))
    with pytest.raises(InvalidRules, match=r"uses itself .* → …"):
        parse_rules(chain + "@m3000 = @m0;")
    assert len(parse_rules(chain + "@m3000 = a; c if @m0;").macros) == 3001


def test_a_long_line_is_shown_in_part():
    with pytest.raises(InvalidRules) as caught:
        parse_rules("earn if " + "wheat or " * 5000 + "&")
    shown, caret = str(caught.value).splitlines()[-2:]
    assert len(shown) <= 110
    assert shown[len(caret) - 1] == "&"


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InvalidFile, match=r"cannot read it .*one of: reuters10"):
        read_rules(tmp_path / "none.rules")
    with pytest.raises(InvalidFile, match="cannot read it"):
        read_rules(tmp_path)
    place = tmp_path / "latin.rules"
    place.write_bytes(b"# good\nearn if caf\xe9;")
    with pytest.raises(InvalidFile, match="line 2: not UTF-8"):
        read_rules(place)
    place.write_bytes(b"\xef\xbb\xbfearn if a;\r\nacq if b;\r\n")
    assert read_rules(place).categories == ("earn", "acq")
    place.write_bytes(bytes(range(256)) * 40)
    with pytest.raises(InvalidFile):
        read_rules(place)


@pytest.mark.slow
def test_a_megabyte_of_rules_is_read():
    text = "".join(f"c{i % 90}: earn if w{i} and not v{i} or 'x y'; # {i}\n" for i in range(20_000))
    assert len(text) > 900_000
    assert len(parse_rules(text).rules) == 20_000


def test_the_bases_that_come_along_are_read_and_printed():
    assert bases() == ["reuters10"]
    base = read_rules("reuters10")
    assert base.categories == (
        *("earn", "acq", "money-fx", "grain", "crude"),
        *("trade", "interest", "ship", "wheat", "corn"),
    )
    assert parse_rules(format_rules(base)) == base
    assert all(rule.name for rule in base.rules)


@pytest.mark.slow
@settings(max_examples=200)
@given(st.text(alphabet="abc if@;:=()[]\"'*<>&|,#\n\\\0é9/nor\td", max_size=60))
def test_any_text_is_read_or_refused(text):
    base, said = outcome(lambda: parse_rules(text))
    assert "column" in said if base is None else parse_rules(format_rules(base)) == base


@pytest.mark.slow
@settings(max_examples=100)
@given(st.randoms(use_true_random=False))
def test_a_damaged_file_is_read_or_refused(chance: random.Random):
    text = list(EVERYTHING)
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(text))
        chance.choice(
            [
                lambda at=place: text.pop(at),
                lambda at=place: text.insert(at, chance.choice("();=@'\"[],")),
                lambda at=place: text.__setitem__(slice(at, at + 9), text[at : at + 9] * 2),
            ]
        )()
    base, said = outcome(lambda: parse_rules("".join(text)))
    assert "column" in said if base is None else parse_rules(format_rules(base)) == base


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    place = tmp_path_factory.mktemp("bytes") / "x.rules"
    place.write_bytes(data)
    base, said = outcome(lambda: read_rules(place))
    assert base is not None or "x.rules" in said
