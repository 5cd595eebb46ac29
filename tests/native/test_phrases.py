"""Phrases of consecutive terms and with gaps, against every choice of places written out."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.native.small_cases import SEEDS, count_cases

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.native.sparse import Lists
from rubricate.native.text import PhraseTable

pytestmark = pytest.mark.slow


def names(pairs, terms):
    """The terms of each phrase by its number."""
    spelled = [(term,) for term in range(terms)]
    for start, last in pairs.tolist():
        spelled.append((*spelled[start], last))
    assert len(set(spelled)) == len(spelled)
    return spelled


def chosen(terms, low, high, window):
    """The phrases that begin at each place, by their places: a phrase before those that extend it."""
    places = [
        (i, *rest)
        for i in range(len(terms))
        for n in range(high)
        for rest in combinations(range(i + 1, min(i + window, len(terms))), n)
    ]
    return [tuple(terms[p] for p in some) for some in sorted(places) if len(some) >= low]


@given(SEEDS)
def test_phrases_are_those_that_begin_at_each_place(seed):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 9, 3))]).astype(np.int64)
    ids, longest = rng.integers(0, 3, starts[-1]).astype(np.int32), int(rng.integers(1, 6))
    shortest = int(rng.integers(1, longest + 1))
    table = PhraseTable(seed, 2 << rng.integers(0, 5))
    texts, pairs = table.number(Lists(starts, ids), (shortest, longest), first_free=3)
    spelled, compared = names(pairs, 3), 0
    for (a, b), (first, stop) in zip(pairwise(starts.tolist()), pairwise(texts.starts.tolist()), strict=True):
        own = tuple(ids[a:b].tolist())
        wanted = [own[i : i + n] for i in range(len(own)) for n in range(shortest, min(longest, len(own) - i) + 1)]
        assert [spelled[number] for number in texts.items[first:stop].tolist()] == wanted
        compared += len(wanted)
    assume(compared)
    count_cases(compared)


@given(
    texts=st.lists(st.lists(st.integers(0, 5), max_size=12), min_size=1, max_size=5),
    lengths=st.sampled_from([(1, 1), (1, 2), (2, 3), (1, 4), (4, 4)]),
    wider=st.integers(0, 3),
)
def test_every_choice_of_places_is_found(texts, lengths, wider):
    ids = np.array([t for text in texts for t in text], np.int32)
    starts, window = np.cumsum([0, *map(len, texts)]), lengths[1] + wider
    (bounds, numbers), pairs = PhraseTable().number(Lists(starts, ids), lengths, first_free=6, window=window)
    spelled = names(pairs, 6)
    for text, (a, b) in zip(texts, pairwise(bounds.tolist()), strict=True):
        assert [spelled[n] for n in numbers[a:b].tolist()] == chosen(text, *lengths, window)
    assume(len(numbers))
    count_cases(len(numbers))


def test_numbers_stay_the_same_while_the_table_grows():
    ids = np.random.default_rng(1).integers(0, 300, 20_000).astype(np.int32)
    starts, table = np.array([0, 7, 7, 20_000]), PhraseTable(4)
    texts, pairs = table.number(Lists(starts, ids), (2, 2), first_free=300)
    known: dict[tuple[int, int], int] = {}
    expected = []
    for a, b in pairwise(starts):
        for pair in pairwise(ids[a:b].tolist()):
            expected.append(known.setdefault(pair, 300 + len(known)))
    assert texts.items.tolist() == expected
    assert texts.starts.tolist() == [0, 6, 6, 6 + 19_992]
    assert [tuple(pair) for pair in pairs.tolist()] == list(known)
    again, new = table.number(Lists(starts, ids), (2, 2), first_free=300 + len(known))
    assert again.items.tolist() == expected
    assert len(new) == 0


def test_numbers_with_gaps_stay_the_same_while_the_table_grows():
    ids, table = np.random.default_rng(1).integers(0, 200, 3000).astype(np.int32), PhraseTable()
    given = Lists(np.array([0, 1000, 3000]), ids)
    texts, pairs = table.number(given, (1, 3), first_free=200, window=5)
    again, new = table.number(given, (1, 3), first_free=200 + len(pairs), window=5)
    assert (again.items == texts.items).all()
    assert len(new) == 0
    assert len(pairs) > 512


def test_more_phrases_at_a_place_than_an_empty_table_holds():
    ids = np.arange(40, dtype=np.int32)
    texts, pairs = PhraseTable().number(Lists(np.array([0, 40]), ids), (9, 9), first_free=40, window=16)
    spelled = names(pairs, 40)
    assert [spelled[n] for n in texts.items.tolist()] == chosen(range(40), 9, 9, 16)


def test_many_phrases_take_several_calls():
    """More phrases than one call numbers, all of the same two terms."""
    ids = np.zeros(5_000_000, np.int32)
    texts, pairs = PhraseTable().number(Lists(np.array([0, len(ids)]), ids), (1, 9), first_free=1)
    assert pairs.tolist() == [[n, 0] for n in range(8)]
    assert len(texts.items) == 9 * len(ids) - 36
    assert (texts.items[:-36].reshape(-1, 9) == np.arange(9)).all()


def test_two_terms_among_two_are_consecutive():
    texts = Lists(np.array([0, 20, 20, 50]), np.random.default_rng(2).integers(0, 9, 50).astype(np.int32))
    gaps, plain = (PhraseTable().number(texts, (1, 2), first_free=9, window=window) for window in (2, None))
    assert gaps[0].items.tolist() == plain[0].items.tolist()
    assert gaps[0].starts.tolist() == plain[0].starts.tolist()


def test_no_texts_and_empty_texts():
    none = np.empty(0, np.int32)
    for starts in ([0], [0, 0, 0]):
        texts, pairs = PhraseTable().number(Lists(np.array(starts), none), (1, 3), first_free=0)
        assert texts.starts.tolist() == starts
        assert pairs.shape == (0, 2)


def test_more_numbers_than_32_bits_hold_are_an_error():
    texts = Lists(np.array([0, 3]), np.zeros(3, np.int32))
    with pytest.raises(InvalidInput, match=r"more than 2,147,483,647 terms and phrases\. Fix: ask for shorter"):
        PhraseTable().number(texts, (1, 2), first_free=2**31 - 3)
    _, pairs = PhraseTable().number(texts, (1, 2), first_free=2**31 - 4)
    assert pairs.tolist() == [[0, 0]]


def test_impossible_arguments_are_refused():
    texts = Lists(np.array([0, 3]), np.array([0, 1, 2], np.int32))
    for lengths, window in (((0, 2), None), ((3, 2), None), ((1, 17), None), ((1, 3), 2), ((1, 3), 17)):
        with pytest.raises(ValueError, match="are not possible"):
            PhraseTable().number(texts, lengths, first_free=3, window=window)
    for ids in ([0, 1, 3], [0, -1, 2]):
        with pytest.raises(ValueError, match="numbers must be from 0 to 2"):
            PhraseTable().number(texts._replace(items=np.array(ids, np.int32)), (1, 2), first_free=3)
    with pytest.raises(ValueError, match="must ascend"):
        PhraseTable().number(texts._replace(starts=np.array([0, 4])), (1, 2), first_free=3)


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
