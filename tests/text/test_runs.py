"""Character n-grams and tokens of the web: against scikit-learn, on any text, and what is left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from tests.tally import count_cases

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.text.analyzer import Analyzer
from rubricate.text.vectors import Vectors

SAMPLES = [
    "",
    "a",
    "How do I?",
    "ΟΔΟΣ ΣΑΣ",
    "İstanbul x",
    "漢字 かな",
    "tab\tand\nline\x1dfeed",
    "😀👍🏽 fine",
    "ß½ naïve",
]
ANY = st.characters(exclude_categories=("Cs",), exclude_characters="\x00\x01")
TEXTS = st.lists(
    st.text(ANY, max_size=30) | st.sampled_from([*SAMPLES, "a\u00a0b", "ß½ naïve"]), min_size=1, max_size=5
)


def characters(texts: list[str], lengths: tuple[int, int], **options: int) -> tuple[np.ndarray, list[str]]:
    vectors = Vectors(Analyzer(tokens="characters", ngrams=lengths, **options), weights="nnn")
    return vectors.fit_transform(texts).toarray(), list(vectors.vocabulary_)


@given(texts=TEXTS, low=st.integers(1, 8), more=st.integers(0, 7))
def test_character_ngrams_are_those_of_scikit_learn(texts: list[str], low: int, more: int) -> None:
    lengths = (low, min(8, low + more))
    peer = CountVectorizer(analyzer="char_wb", ngram_range=lengths)
    try:
        expected = peer.fit_transform(texts).toarray()
    except ValueError:  # no text has a character
        with pytest.raises(InvalidInput, match="no term occurs"):
            characters(texts, lengths)
        count_cases(0)
        return
    counts, names = characters(texts, lengths)
    assert names == peer.get_feature_names_out().tolist()
    assert np.array_equal(counts, expected)
    count_cases()


def test_threads_and_batches_change_nothing() -> None:
    texts = [f"word{i} and wörd{i % 7} " * 40 for i in range(1200)]
    alone, shared = (
        Vectors(Analyzer(tokens="characters", ngrams=(2, 4)), weights="nnn", threads=threads).fit(texts)
        for threads in (1, 3)
    )
    assert alone.vocabulary_ == shared.vocabulary_
    assert abs(alone.transform(texts) - shared.transform(texts)).max() == 0


def test_stop_words_and_stems_do_not_apply_to_characters() -> None:
    assert characters(["the"], (3, 3))[1] == [" th", "he ", "the"]


def test_hashed_ngrams_stay_within_their_buckets() -> None:
    counts, names = characters(["wheat exports rose", "corn"], (3, 5), hashing=16)
    assert counts.shape[1] <= 16
    assert counts.sum() == characters(["wheat exports rose", "corn"], (3, 5))[0].sum()
    assert all(name.startswith("#") for name in names)
    for wrong in ({"hashing": 0}, {"hashing": 1 << 30}, {"hashing": 8, "tokens": "words"}):
        with pytest.raises(InvalidInput, match="hashing"):
            Analyzer(**{"tokens": "characters", **wrong}).check()


@pytest.mark.parametrize("ngrams", [(2, 1), (0, 2), (1, 9), 9, "x", "1,2", (1, 2, 3), 1.5, None])
def test_lengths_that_make_no_ngrams(ngrams: object) -> None:
    with pytest.raises(InvalidInput, match=r"ngrams must be .* 1 to 8, got .*Fix"):
        Analyzer(tokens="characters", ngrams=ngrams).check()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't WORRY, it's 3.5", ["don't", "worry", "it's", "3.5"]),
        ("can’t", ["can't"]),
        ("#NLProc @you: 10:30, 1,000!", ["#nlproc", "@you", "10:30", "1,000"]),
        ("great😀👍🏽 ❤️ :)", ["great", "😀", "👍🏽", "❤️", ":)"]),
        ("👨‍👩‍👧", ["👨‍👩‍👧"]),
        ("'quoted' (x)", ["quoted", "x"]),
        ("... -- \x00", []),
    ],
)
def test_tokens_of_the_web(text: str, tokens: list[str]) -> None:
    terms = Analyzer(tokens="web", min_length=1, stop=None, stem=None).terms([text])
    assert [terms.words[i] for i in terms.ids] == tokens


def test_tokens_of_the_web_are_stopped_stemmed_and_joined() -> None:
    terms = Analyzer(tokens="web", stop=["the"], ngrams=(1, 2)).terms(["The exports, the #tags of 2024"])
    assert [terms.words[i] for i in terms.ids] == ["export", "export #tag", "#tag", "#tag of", "of", "of 2024", "2024"]


def test_none_may_be_written_out() -> None:
    named = Analyzer(stop="none", stem="none")
    assert [named.terms(["the exports"]).words] == [["the", "exports"]]
    with pytest.raises(InvalidInput, match="stop must be"):
        rb.text.stop_words(False)  # type: ignore[arg-type]
