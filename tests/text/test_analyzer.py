"""Text to terms: against the patterns, on any text, in any form of input, and on what nobody should send."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from tests.oracles.terms import terms_of

from rubricate.errors import InvalidInput, UnknownName
from rubricate.text import lexicon as _lexicon
from rubricate.text.analyzer import Analyzer
from rubricate.types import Documents, Terms

pytestmark = pytest.mark.slow

PLAIN = {"min_length": 1, "stop": None, "stem": None}
EVERYTHING = st.text(alphabet=st.characters(exclude_categories=()), max_size=40)
WORDY = st.lists(
    st.sampled_from(
        ["Wheat", "the", "of", "corn", "İstanbul", "ΟΔΟΣ", "ΣΑΣ", "naïve", "x_1", "3rd", "½", "漢字", "ß", "\ud800"]
    ),
    max_size=12,
).map(" ".join)
TEXTS = st.lists(EVERYTHING | WORDY, max_size=6)


def listed(terms: Terms) -> list[list[str]]:
    return [[terms.words[i] for i in terms.ids[a:b]] for a, b in zip(terms.starts, terms.starts[1:], strict=False)]


def documents(titles: list[str] | None, bodies: list[str]) -> Documents:
    labels = sparse.csr_array((len(bodies), 0), dtype=bool)
    return Documents([str(i) for i in range(len(bodies))], bodies, labels, (), titles)


@pytest.mark.parametrize("tokens", ["letters", "alphanumeric", "words"])
@given(texts=TEXTS)
def test_tokens_are_the_matches_of_the_pattern(tokens: str, texts: list[str]) -> None:
    found = Analyzer(tokens=tokens, **PLAIN).terms(texts)
    assert listed(found) == [terms_of(None, text, tokens=tokens, min_length=1) for text in texts]


@pytest.mark.parametrize("tokens", ["letters", "alphanumeric", "words"])
def test_every_code_point_is_classified_as_the_pattern_does(tokens: str) -> None:
    texts = [" ".join(f"a{chr(point)}b" for point in range(first, first + 4096)) for first in range(0, 0x110000, 4096)]
    found = Analyzer(tokens=tokens, **PLAIN).terms(texts)
    expected = [terms_of(None, text, tokens=tokens, min_length=1) for text in texts]
    assert listed(found) == expected


@given(
    texts=st.lists(st.tuples(WORDY | EVERYTHING, WORDY), max_size=4),
    title=st.sampled_from(["plain", "mark", 1, 2, 3]),
    lengths=st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (3, 3)]),
    stem=st.sampled_from([None, "porter", "porter2"]),
    min_length=st.integers(1, 3),
)
def test_all_options_together(texts, title, lengths, stem, min_length) -> None:
    analyzer = Analyzer(
        tokens="words", min_length=min_length, stop=["the", "of"], stem=stem, ngrams=lengths, title=title
    )
    found = analyzer.terms(documents([t for t, _ in texts], [b for _, b in texts]))
    options = {"tokens": "words", "min_length": min_length, "stop": ["the", "of"], "stem": stem}
    assert listed(found) == [terms_of(t, b, title_as=title, lengths=lengths, **options) for t, b in texts]
    assert len(set(found.words)) == len(found.words) == len(np.unique(found.ids))


@given(texts=st.lists(WORDY, max_size=30), threads=st.integers(1, 4))
def test_batches_do_not_depend_on_threads_or_on_the_size_of_a_block(texts: list[str], threads: int) -> None:
    analyzer = Analyzer(ngrams=(1, 2), stop=None)
    whole = analyzer.terms(texts)
    serial = list(analyzer.batches(texts, threads=1, characters=20))
    parts = list(analyzer.batches(texts, threads=threads, characters=20))
    assert [row for part in parts for row in listed(part)] == listed(whole)
    assert [(list(part.words), part.ids.tolist()) for part in parts] == [
        (list(part.words), part.ids.tolist()) for part in serial
    ]


@pytest.mark.parametrize("threads", [1, 3])
def test_each_distinct_word_is_stemmed_once(threads: int, monkeypatch) -> None:
    """However many blocks and scanners it occurs in; stopped and short words not at all."""
    seen: list[str] = []

    class Counting:
        def __init__(self, *settings: object) -> None:
            pass

        def stemWords(self, words: list[str]) -> list[str]:  # noqa: N802, PyStemmer's name
            seen.extend(words)
            return words

    monkeypatch.setattr(_lexicon.Stemmer, "Stemmer", Counting)
    texts = [f"the wheat rose on day {day % 7} of x Wheat" for day in range(50)] + ["late news"]
    parts = list(Analyzer(tokens="words", min_length=2).batches(texts, threads=threads, characters=20))
    assert len(parts) > 20
    assert sorted(seen) == ["day", "late", "news", "rose", "wheat"]


def test_words_by_hand() -> None:
    """Worked by hand: stop words go before stemming, phrases come after it and bridge what was stopped."""
    found = Analyzer(ngrams=(1, 2)).terms(["The exporting of wheat-flour", "", "Exports!"])
    assert listed(found) == [["export", "export wheat", "wheat", "wheat flour", "flour"], [], ["export"]]
    assert found.words == ["export", "export wheat", "wheat", "wheat flour", "flour"]


def test_titles_by_hand() -> None:
    one = documents(["Gold"], ["old gold"])
    assert listed(Analyzer(stop=None).terms(one)) == [["gold", "old", "gold"]]
    assert listed(Analyzer(stop=None, title=3).terms(one)) == [["gold", "gold", "gold", "old", "gold"]]
    assert listed(Analyzer(stop=None, title="mark").terms(one)) == [["gold", "title:gold", "old", "gold"]]
    assert listed(Analyzer(stop=None, title="mark").terms(one.bodies)) == [["old", "gold"]]


TEXT = ["Wheat rose", "", "Ähren über Ähren"]


@pytest.mark.parametrize(
    "form",
    [
        tuple,
        iter,
        np.array,
        pd.Series,
        lambda t: pd.Series(t, index=[5.0, 1.0, 3.0]),
        pl.Series,
        pa.array,
        lambda t: pa.chunked_array([t[:1], t[1:]]),
        lambda t: documents(None, t),
        lambda t: (text for text in t),
    ],
)
def test_forms_of_texts(form) -> None:
    assert listed(Analyzer().terms(form(TEXT))) == [["wheat", "rose"], [], ["ähren", "über", "ähren"]]


@pytest.mark.parametrize(
    "texts, message",
    [
        (["a", None], r"document 1 \(counted from 0\): expected a string as text, got None"),
        (["a"] * 100 + [b"x"], r"document 100 .*decode it first"),
        (pd.Series(["a", float("nan")], dtype=object), r"document 1 .*float"),
        (pa.array(["a", None]), "document 1 "),
        ("one text", "Put a single text in a list"),
        (b"bytes", "list or column of texts"),
        (7, "got int"),
        (np.array([["a"]]), "2 dimensions"),
        (pd.DataFrame({"text": ["a"]}), "2 dimensions"),
    ],
)
def test_wrong_texts_are_named_by_position(texts, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Analyzer().terms(texts)


def test_a_wrong_title_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"document 1 .* as title"):
        Analyzer().terms(documents(["a", 3], ["b", "c"]))


@pytest.mark.parametrize(
    "options", [{"ngrams": 0}, {"ngrams": (2, 1)}, {"min_length": 0}, {"title": 0}, {"title": "bold"}, {"stop": [3]}]
)
def test_wrong_settings(options) -> None:
    with pytest.raises(InvalidInput):
        Analyzer(**options).terms(["a"])


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'letters'"):
        Analyzer(tokens="leters").terms([])
    with pytest.raises(UnknownName, match="Did you mean 'porter'"):
        Analyzer(stem="poter").terms([])
    with pytest.raises(InvalidInput, match="threads must be 1 or more"):
        Analyzer().batches([], threads=0)


def test_no_documents() -> None:
    found = Analyzer().terms([])
    assert len(found) == 0
    assert len(found.words) == 0


def test_a_long_document_and_a_long_token() -> None:
    """50 MB in one document, and a token of 5 MB: as many terms as were written, the long token whole."""
    text = "wheat prices " * 3_500_000 + "x" * 5_000_000
    found = Analyzer().terms([text, "wheat"])
    assert found.words[:2] == ["wheat", "price"]
    assert len(found.words[2]) == 5_000_000
    assert found.starts.tolist() == [0, 7_000_001, 7_000_002]


def test_many_distinct_words_outgrow_the_first_table() -> None:
    words = [f"w{i:x}" for i in range(20_000)]
    found = Analyzer(tokens="words", stop=None, stem=None).terms([" ".join(words), " ".join(reversed(words))])
    assert found.words == words
    assert found.ids.tolist() == [*range(20_000), *range(19_999, -1, -1)]


def test_a_parameter_object_of_scikit_learn() -> None:
    analyzer = Analyzer(stem="porter2", title=2)
    assert clone(analyzer).get_params() == analyzer.get_params()
    assert analyzer.signature() == "letters2+stop smart+stem porter2+title 2"


def test_reuters_terms_are_those_of_the_pattern(aptemod) -> None:
    texts = list(aptemod.test.texts)[::10]
    found = Analyzer(stop=None, stem="porter").terms(texts)
    assert listed(found) == [terms_of(None, text, stem="porter") for text in texts]
