"""Counts: against Counter, with a given vocabulary, by document frequency, and whatever the order of chunks."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.text.counts import chunk, counts, frequent, gather
from rubricate.types import Terms

DOCUMENTS = st.lists(st.lists(st.sampled_from(["corn", "wheat", "a b", "zinc", "Ähre"]), max_size=8), max_size=8)


def terms(documents: list[list[str]]) -> Terms:
    words = list(dict.fromkeys(word for document in documents for word in document))
    ids = np.array([words.index(word) for document in documents for word in document], np.int32)
    return Terms(words, ids, np.cumsum([0, *map(len, documents)]))


@given(documents=DOCUMENTS, min_df=st.integers(1, 3))
def test_counts_are_those_of_counter(documents: list[list[str]], min_df: int) -> None:
    matrix, vocabulary = counts(terms(documents), min_df=min_df)
    frequency = Counter(word for document in documents for word in set(document))
    assert vocabulary == tuple(sorted(word for word, n in frequency.items() if n >= min_df))
    assert matrix.toarray().tolist() == [[Counter(d)[word] for word in vocabulary] for d in documents]
    assert matrix.dtype == matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), matrix.shape).has_canonical_format


@given(documents=DOCUMENTS)
def test_a_given_vocabulary_is_the_order_of_the_columns(documents: list[list[str]]) -> None:
    matrix, vocabulary = counts(terms(documents), ["zinc", "gold", "corn"])
    assert vocabulary == ("zinc", "gold", "corn")
    assert matrix.toarray().tolist() == [[Counter(d)[word] for word in vocabulary] for d in documents]


@given(documents=DOCUMENTS, cut=st.integers(0, 8))
def test_chunks_join_to_the_whole(documents: list[list[str]], cut: int) -> None:
    whole = terms(documents)
    cut = min(cut, len(documents))
    middle = whole.starts[cut]
    parts = [
        Terms(whole.words, whole.ids[:middle], whole.starts[: cut + 1]),
        Terms(whole.words, whole.ids[middle:], whole.starts[cut:] - middle),
    ]
    chunks = [chunk(part) for part in parts]
    vocabulary, columns = frequent(chunks, whole.words, 1)
    joined = gather(chunks, columns, len(vocabulary))
    expected, names = counts(whole)
    assert vocabulary == names
    assert chunks == []
    assert joined.toarray().tolist() == expected.toarray().tolist()


def test_wrong_arguments() -> None:
    with pytest.raises(InvalidInput, match="'corn' twice"):
        counts(terms([["corn"]]), ["corn", "corn"])
    with pytest.raises(InvalidInput, match="min_df must be a whole number of documents, 1 or more, got 0"):
        counts(terms([["corn"]]), min_df=0)
