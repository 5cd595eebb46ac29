"""Occurrences renumbered, unfolded, arranged and counted, against lists and Counter."""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.counting import arrange, count, settle, translate, unfold
from rubricate.kernels.rows import Lists, Rows

TERMS = 5


def documents(rng):
    """Up to five documents of up to seven words: their word numbers end to end, and where each starts."""
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 8, rng.integers(0, 6)))]).astype(np.int64)
    return rng.integers(0, TERMS, starts[-1]).astype(np.int32), starts


def split(ids, starts):
    return [ids[a:b].tolist() for a, b in pairwise(starts.tolist())]


@given(SEEDS)
def test_counts_are_those_of_counter(seed):
    rng = np.random.default_rng(seed)
    ids, starts = documents(rng)
    row_starts, columns, counts = count(ids, starts, TERMS)
    wanted = [Counter(document) for document in split(ids, starts)]
    assert split(columns, row_starts) == [list(each) for each in wanted]
    assert split(counts, row_starts) == [list(each.values()) for each in wanted]
    new = (rng.permutation(TERMS) - 1).astype(np.int32)
    filled = np.empty(len(columns), np.int32), np.empty(len(columns), np.int32)
    lengths = settle(Rows(row_starts, columns, counts), new, filled)
    pairs = [sorted((int(new[t]), n) for t, n in each.items() if new[t] >= 0) for each in wanted]
    assert lengths.tolist() == [len(each) for each in pairs]
    total = int(lengths.sum())
    assert list(zip(filled[0][:total].tolist(), filled[1][:total].tolist(), strict=True)) == list(
        chain.from_iterable(pairs)
    )


@given(SEEDS)
def test_renumbered_unfolded_and_arranged_words_are_those_of_lists(seed):
    rng = np.random.default_rng(seed)
    ids, starts = documents(rng)
    texts, new = split(ids, starts), (rng.permutation(TERMS) - 1).astype(np.int32)
    kept = [[int(new[word]) for word in text if new[word] >= 0] for text in texts]
    assert split(*translate(ids, starts, new)) == kept
    run_starts = np.concatenate([[0], np.cumsum(rng.integers(0, 3, TERMS))]).astype(np.int64)
    terms = rng.integers(-1, 4, run_starts[-1]).astype(np.int32)
    runs = [[term for term in run if term >= 0] for run in split(terms, run_starts)]
    unfolded = unfold(Lists(starts, ids), Lists(run_starts, terms))
    assert split(unfolded.items, unfolded.starts) == [
        list(chain.from_iterable(runs[word] for word in text)) for text in texts
    ]
    if texts:
        order = rng.integers(0, len(texts), (3, 2))
        wanted = [list(chain.from_iterable(texts[segment] for segment in row)) for row in order.tolist()]
        assert split(*arrange(ids, starts, order)) == wanted
