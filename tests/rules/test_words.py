"""Words of rules as an analyzer makes them, and under other names."""

from __future__ import annotations

import pytest

from rubricate.analysis import Analyzer
from rubricate.errors import InvalidInput
from rubricate.rules.parser import parse_rules
from rubricate.rules.printer import print_rules
from rubricate.rules.words import analysed, renamed


def made(text, **options):
    return print_rules(analysed(parse_rules(text), Analyzer(**({"stop": None, "stem": None} | options))))


def test_hand_written_words_are_folded_split_and_stemmed():
    assert made("c if Wheat and U.S. >= 2;".replace("U.S.", "'U.S.'"), min_length=1) == 'c if wheat and "u s" >= 2;\n'
    assert made("c if exports near/3 'Third-Quarter results';", stem="porter") == (
        'c if export near/3 "third quarter result";\n'
    )
    assert made('@m = "The Exports*" or title(PRICES); c if not @m;', stem="porter") == (
        '@m = "the exports*" or title(price);\n\nc if not @m;\n'
    )


def test_stop_words_leave_phrases_and_are_refused_alone():
    assert made('c if "bank of england";', stop=["of"]) == 'c if "bank england";\n'
    assert made('c if "of england*";', stop=["of"]) == "c if england*;\n"
    with pytest.raises(InvalidInput, match=r"leaves nothing of 'The'.*stop = none"):
        made("c if The;", stop=["the"])
    with pytest.raises(InvalidInput, match="more than one word"):
        made("c if 'u.s'*;", min_length=1)


def test_learned_rules_hold_terms_already():
    text = "c if Univers and 'interest rate' [3 right, 1 wrong];\n"
    assert made(text, stem="porter") == text


def test_words_and_categories_get_their_names():
    base = parse_rules('0 if x1 and not title(x2 >= 2) and x9 [3 right, 0 wrong]; 1 if x1 near/2 x2; odd if "x1 x2";')
    found = renamed(base, words={"x1": "oil", "x2": "crude oil"}, categories={"0": "crude", "1": "gas"})
    assert print_rules(found).split("\n\n") == [
        "crude if oil and not title('crude oil' >= 2) and x9 [3 right, 0 wrong];",
        "gas if oil near/2 'crude oil';",
        'odd if "x1 x2";\n',
    ]
