"""Phrases with gaps, against every choice of places written out."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.kernels.phrases import Numbering, empty_phrases, phrases
from rubricate.kernels.rows import Lists
from rubricate.kernels.sparse_phrases import sparse_phrases


def chosen(terms, low, high, window):
    """The phrases that begin at each place, by their places: a phrase before those that extend it."""
    places = [
        (i, *rest)
        for i in range(len(terms))
        for n in range(high)
        for rest in combinations(range(i + 1, min(i + window, len(terms))), n)
    ]
    return [tuple(terms[p] for p in some) for some in sorted(places) if len(some) >= low]


@given(
    texts=st.lists(st.lists(st.integers(0, 5), max_size=12), min_size=1, max_size=5),
    lengths=st.sampled_from([(1, 1), (1, 2), (2, 3), (1, 4), (4, 4)]),
    wider=st.integers(0, 3),
)
def test_every_choice_of_places_is_found(texts, lengths, wider):
    low, high = lengths
    ids = np.array([t for text in texts for t in text], np.int32)
    starts = np.cumsum([0, *map(len, texts)])
    (bounds, numbers), _, pairs = sparse_phrases(
        Lists(starts, ids), empty_phrases(), Numbering(low, high, 6), window=high + wider
    )
    names = {t: (t,) for t in range(6)}
    for number, (start, last) in enumerate(pairs.tolist(), start=6):
        names[number] = (*names[start], last)
    assert len(set(names.values())) == len(names)
    for text, (a, b) in zip(texts, pairwise(bounds.tolist()), strict=True):
        assert [names[n] for n in numbers[a:b].tolist()] == chosen(text, low, high, high + wider)


def test_numbers_stay_the_same_while_the_table_grows():
    ids = np.random.default_rng(1).integers(0, 200, 3000).astype(np.int32)
    starts = np.array([0, 1000, 3000])
    texts, table, pairs = sparse_phrases(Lists(starts, ids), empty_phrases(), Numbering(1, 3, 200), window=5)
    again, _, new = sparse_phrases(Lists(starts, ids), table, Numbering(1, 3, 200 + len(pairs)), window=5)
    assert (again.items == texts.items).all()
    assert len(new) == 0
    assert len(pairs) > 512


def test_two_terms_among_two_are_consecutive():
    ids, starts = np.random.default_rng(2).integers(0, 9, 50).astype(np.int32), np.array([0, 20, 20, 50])
    gaps, plain = (
        sparse_phrases(Lists(starts, ids), empty_phrases(), Numbering(1, 2, 9), window=2),
        phrases(Lists(starts, ids), empty_phrases(), Numbering(1, 2, 9)),
    )
    assert gaps.texts.items.tolist() == plain.texts.items.tolist()
    assert gaps.texts.starts.tolist() == plain.texts.starts.tolist()


def test_an_analyzer_gives_phrases_with_gaps():
    analyzer = rb.text.Analyzer(stop=["the"], stem=None, ngrams=(1, 3), window=3)
    terms = analyzer.terms(["the wheat crop the fell", "corn"])
    assert [terms.words[i] for i in terms.ids] == [
        "wheat", "wheat … crop", "wheat … crop … fell", "wheat … fell", "crop", "crop … fell", "fell", "corn",
    ]  # fmt: skip
    assert terms.starts.tolist() == [0, 7, 8]
    assert analyzer.signature() == "letters2+stop 1 words+stem None+ngrams 1-3 within 3"
    assert rb.text.Analyzer(window=4).signature() == rb.text.Analyzer().signature()
    assert analyzer.terms([]).starts.tolist() == [0]


@pytest.mark.parametrize("window", [2, 11, 3.5, "4"])
def test_a_window_that_no_phrase_fits_is_named(window):
    with pytest.raises(InvalidInput, match="from the longest phrase \\(3\\) to 10"):
        rb.text.Analyzer(ngrams=3, window=window).terms(["a"])
