"""Statistics of corpora: worked by hand, by property, and the figures that Yang and Liu print."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rubricate as rb
from rubricate.corpora import describe, source, summary
from rubricate.corpora.duplicates import DuplicateCount, Duplicates
from rubricate.corpora.statistics import Bin, Half, gini, histogram
from rubricate.labels import label_matrix
from rubricate.types import Corpus, Documents

FREQUENCIES = st.lists(st.integers(0, 3000), max_size=30).map(lambda x: np.array(x, dtype=np.int64))


def documents(labels: list[list[str]], categories: str) -> Documents:
    matrix, names = label_matrix(labels, list(categories))
    return Documents([str(n) for n in range(len(labels))], ["text"] * len(labels), matrix, names)


def test_by_hand():
    corpus = Corpus("toy", "s", documents([["a", "b"], ["a"], []], "abc"), documents([["c"], ["a"]], "abc"))
    found = describe(corpus)
    assert found.train == Half(3, 1, 1.0, 2)
    assert found.test == Half(2, 0, 1.0, 1)
    assert (found.categories, found.labels_per_document) == (3, 1.0)
    assert found.frequencies == (("a", 2, 1), ("b", 1, 0), ("c", 0, 1))
    assert (found.only_in_test, found.only_in_train) == (1, 1)
    assert (found.under_10, found.under_100) == (1.0, 1.0)
    assert found.gini == pytest.approx((-2 * 0 + 0 * 1 + 2 * 2) / (3 * 3))
    assert found.histogram == (Bin(0, 0, 1), Bin(1, 1, 1), Bin(2, 4, 1))


@pytest.mark.parametrize(("number", "shares"), [(9, (1, 1)), (10, (0, 1)), (99, (0, 1)), (100, (0, 0))])
def test_under_means_fewer_than(number, shares):
    found = describe(Corpus("toy", "s", documents([["a"]] * number, "a"), documents([], "a")))
    assert (found.under_10, found.under_100) == shares


def test_no_documents_and_no_categories():
    found = describe(Corpus("toy", "s", documents([], ""), documents([], "")))
    assert found.labels_per_document == found.gini == found.under_10 == 0.0
    assert found.histogram == found.frequencies == ()


@given(FREQUENCIES)
def test_every_category_is_in_one_step_of_the_histogram(frequencies):
    bins = histogram(frequencies)
    assert sum(each.categories for each in bins) == len(frequencies)
    for each in bins:
        assert each.categories == int(((frequencies >= each.low) & (frequencies <= each.high)).sum())
    if bins:
        assert bins[0].categories
        assert bins[-1].categories


@given(FREQUENCIES, st.integers(1, 5))
def test_gini_is_the_mean_difference_and_does_not_feel_scale(frequencies, scale):
    value = gini(frequencies)
    if frequencies.sum():
        apart = np.abs(frequencies[:, None] - frequencies[None, :]).mean() / (2 * frequencies.mean())
        assert value == pytest.approx(apart)
        assert value == pytest.approx(gini(frequencies * scale))
    else:
        assert value == 0.0


@pytest.mark.slow
def test_what_yang_and_liu_print(reuters_folder):
    """yangliu1999, section 2: largest 2877, 82% under 100, 33% under 10, 1.3 categories a document (ours 1.24)."""
    found = describe(rb.load("reuters21578", split="aptemod", folder=reuters_folder))
    assert found.frequencies[:2] == (("earn", 2877, 1087), ("acq", 1650, 719))
    assert (round(found.under_100, 2), round(found.under_10, 2)) == (0.82, 0.33)
    assert found.labels_per_document == pytest.approx(13329 / 10789)
    assert [each.categories for each in found.histogram] == [7, 13, 10, 16, 18, 10, 8, 5, 1, 1, 1]


@pytest.mark.slow
def test_the_summary_is_json_with_the_promised_keys(reuters_folder):
    corpus = rb.load("reuters21578", split="v3", folder=reuters_folder)
    twins = Duplicates(
        DuplicateCount(1, 0, 0), DuplicateCount(2, 0, 0), DuplicateCount(3, 0, 0), threshold=0.8, width=3
    )
    found = json.loads(json.dumps(summary(corpus, source=source("reuters21578"), duplicates=twins)))
    assert (found["name"], found["split"]) == ("reuters21578", "v3")
    assert found["documents"] == {"train": 7775, "test": 3019}
    assert found["categories"] == 95
    assert found["published"]["train"] == 7789
    assert found["duplicates"]["exact"] == {"train": 1, "test": 0, "across": 0}
    assert "Reuters" in found["licence"]
