"""The best of a few candidates: those of sorting all similarities."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.knn import inner, nearest

from rubricate.kernels.best_candidates import NearCandidates, OrderedRows, rank_candidates
from rubricate.kernels.rows import Rows


@given(seed=st.integers(0, 9999), documents=st.integers(1, 40), queries=st.integers(0, 5), k=st.integers(1, 40))
def test_candidates_are_ranked_by_similarity_and_number(seed, documents, queries, k):
    rng = np.random.default_rng(seed)
    k = min(k, documents)
    # Whole numbers: sums are exact, and every tie is a tie.
    asked, known = rng.integers(-1, 3, (queries, 5)).astype(float), rng.integers(-1, 3, (documents, 5)).astype(float)
    order, slots = rng.permutation(documents), rng.permutation(5).astype(np.uint32)
    matrix, questions = sparse.csr_array(known[order]), sparse.csr_array(asked)
    rows = Rows(matrix.indptr.astype(np.int64), slots[matrix.indices], matrix.data)
    counts, spilled = rng.integers(k, documents + 1, queries), rng.random(queries) < 0.2
    positions = np.array([rng.permutation(documents) for _ in range(queries)], np.uint32).reshape(queries, documents)
    candidates = NearCandidates(positions, np.empty(positions.shape, np.int16), counts, spilled)
    near, found = np.full((queries, k), 7.5), np.full((queries, k), -7)
    starts = questions.indptr.astype(np.int64)
    rank_candidates(
        Rows(starts, questions.indices.astype(np.uint32), questions.data),
        OrderedRows(order, slots, rows), candidates, near, found,
    )  # fmt: skip
    for q in range(queries):
        own = np.sort(order[positions[q, : counts[q]]])
        (wanted,) = nearest([asked[q].tolist()], known[own].tolist(), k, similarity=inner)
        assert near[q].tolist() == ([7.5] * k if spilled[q] else [value for value, _ in wanted])
        assert found[q].tolist() == ([-7] * k if spilled[q] else [own[i] for _, i in wanted])
