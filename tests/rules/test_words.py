"""Words of rules as an analyzer makes them."""

from __future__ import annotations

import pytest

from rubricate.errors import InvalidInput
from rubricate.rules.parser import parse_rules
from rubricate.rules.printer import format_rules
from rubricate.rules.sources import analysed
from rubricate.text.analyzer import Analyzer


def made(text, **options):
    return format_rules(analysed(parse_rules(text), Analyzer(**({"stop": None, "stem": None} | options))))


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
