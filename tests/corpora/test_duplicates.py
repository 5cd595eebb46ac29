"""Duplicates: the join against its oracle, the counts by their definition, and the known ones of ApteMod."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import shingles as oracle

import rubricate as rb
from rubricate.corpora import duplicates
from rubricate.corpora import duplicates as shingles
from rubricate.corpora.duplicates import DuplicateCount, find_duplicates, similar_pairs
from rubricate.labels import label_matrix
from rubricate.types import Corpus, Documents

pytestmark = pytest.mark.slow

WORDS = st.lists(st.sampled_from("a b c d e".split()), max_size=12).map(" ".join)  # noqa: SIM905


def as_dict(found) -> dict[tuple[int, int], float]:
    i, j, similarity = found
    return dict(zip(zip(i.tolist(), j.tolist(), strict=True), similarity.tolist(), strict=True))


@given(
    texts=st.lists(WORDS, max_size=14),
    threshold=st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0]),
    width=st.integers(1, 4),
)
def test_the_join_finds_exactly_the_pairs_of_the_definition(texts, threshold, width):
    assert as_dict(similar_pairs(texts, threshold=threshold, width=width)) == pytest.approx(
        oracle.similar_pairs(texts, threshold, width)
    )


@given(texts=st.lists(WORDS, min_size=2, max_size=14))
def test_small_blocks_change_nothing(texts):
    whole = as_dict(similar_pairs(texts, threshold=0.3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shingles, "_CANDIDATES", 2)
        patch.setattr(shingles, "_COUNTED", 1)
        assert as_dict(similar_pairs(texts, threshold=0.3)) == whole


@given(texts=st.lists(WORDS, min_size=1, max_size=10), order=st.randoms(use_true_random=False))
def test_the_order_of_texts_does_not_matter(texts, order):
    rows = list(range(len(texts)))
    order.shuffle(rows)
    shuffled = as_dict(similar_pairs([texts[row] for row in rows], threshold=0.5))
    back = {tuple(sorted((rows[i], rows[j]))): value for (i, j), value in shuffled.items()}
    assert back == as_dict(similar_pairs(texts, threshold=0.5))


def test_case_and_punctuation_do_not_count_and_empty_texts_are_like_nothing():
    assert as_dict(similar_pairs(["The cat sat.", "the CAT -- sat", "", "...", "x", "X!"])) == {
        (0, 1): 1.0,
        (4, 5): 1.0,
    }
    assert as_dict(similar_pairs([])) == {}


def test_a_similarity_exactly_at_the_threshold_counts():
    """Eight of ten runs of one word: 8 / 10, which is not .8 in floating point on every path."""
    shared = " ".join(f"w{n}" for n in range(8))
    assert len(as_dict(similar_pairs([f"{shared} x", f"{shared} y"], threshold=0.8, width=1))) == 1
    assert len(as_dict(similar_pairs([f"{shared} x", f"{shared} y"], threshold=0.81, width=1))) == 0


def documents(texts: list[str], titles: list[str] | None = None, **fields: list[str]) -> Documents:
    labels, names = label_matrix([["a"]] * len(texts), ["a"])
    return Documents([f"{n}" for n in range(len(texts))], texts, labels, names, titles=titles, fields=fields)


A, B, NEAR_A = "one two three four five six", "nothing of that at all here", "one two three four five six seven"


def test_counts_inside_and_across():
    corpus = Corpus("toy", "", documents([A, B, A, NEAR_A, A]), documents([B, B, "new text is here", NEAR_A]))
    found = find_duplicates(corpus)
    assert found.exact == found.same_text == DuplicateCount(train=2, test=1, across=3)
    assert found.near == DuplicateCount(train=3, test=1, across=3)


def test_a_twin_counts_whichever_of_the_two_the_training_set_has():
    found = find_duplicates(Corpus("toy", "", documents([A]), documents([NEAR_A, A])))
    assert found.near == DuplicateCount(train=0, test=1, across=2)


def test_exact_means_every_part_of_the_text():
    corpus = Corpus(
        "toy",
        "",
        documents([A, A, A], ["t", "t", "u"], dateline=["x", "y", "x"]),
        documents([A], ["t"], dateline=["x"]),
    )
    found = find_duplicates(corpus)
    assert found.exact == DuplicateCount(train=0, test=0, across=1)
    assert found.same_text == DuplicateCount(train=1, test=0, across=1)
    assert found.near == DuplicateCount(train=1, test=0, across=1)


@given(train=st.lists(WORDS, max_size=8), test=st.lists(WORDS, max_size=8))
def test_the_degrees_are_nested_and_follow_the_definition(train, test):
    found = find_duplicates(Corpus("toy", "", documents(train), documents(test)), threshold=0.5)
    assert found.same_text.train == len(train) - len(set(train))
    assert found.same_text.across == sum(text in set(train) for text in test)
    alike = oracle.similar_pairs([*train, *test], 0.5, 3)

    def like(i: int, j: int) -> bool:
        texts = [*train, *test]
        return (i, j) in alike or texts[i] == texts[j]

    n, m = len(train), len(test)
    assert found.near.train == sum(any(like(i, j) for i in range(j)) for j in range(n))
    assert found.near.test == sum(any(like(i, j) for i in range(n, j)) for j in range(n, n + m))
    assert found.near.across == sum(any(like(i, j) for i in range(n)) for j in range(n, n + m))


def test_documents_of_one_pattern_are_not_compared_pair_by_pair(monkeypatch):
    texts = [f"your order has been sent today and will be with you soon {number}" for number in range(40)]
    corpus = Corpus("toy", "", documents(texts[:20]), documents(texts[20:]))
    assert find_duplicates(corpus).near == DuplicateCount(19, 19, 20)
    monkeypatch.setattr(duplicates, "MOST", 100)
    found = find_duplicates(corpus)
    assert (found.near, found.exact) == (None, DuplicateCount(0, 0, 0))


def test_no_documents():
    assert find_duplicates(Corpus("toy", "", documents([]), documents([]))).near == DuplicateCount(0, 0, 0)


def test_a_text_many_times_over_is_one_text():
    found = find_duplicates(Corpus("toy", "", documents([A] * 50_000), documents([A])))
    assert found.near == DuplicateCount(train=49_999, test=0, across=1)


def test_the_known_duplicates_of_aptemod(reuters_folder):
    """76 exact ones in training (notes on the collection); the rest counted here, near ones against the oracle."""
    corpus = rb.load("reuters21578", folder=reuters_folder)
    found = find_duplicates(corpus)
    assert found.exact == DuplicateCount(train=76, test=12, across=3)
    assert found.same_text == DuplicateCount(train=86, test=12, across=4)
    assert found.near == DuplicateCount(train=177, test=34, across=9)
    texts = corpus.test.texts[:250]
    assert as_dict(similar_pairs(texts, threshold=0.5)) == pytest.approx(oracle.similar_pairs(texts, 0.5, 3))
    assert len(np.unique(similar_pairs(corpus.test.texts)[1])) == found.near.test
