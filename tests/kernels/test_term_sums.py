"""Linear scores in parts against the product of the whole weights."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rubricate.kernels.rows import Rows
from rubricate.kernels.term_sums import Pattern, linear_scores


@given(st.integers(0, 6), st.integers(1, 7), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_the_parts_add_up_to_one_product(documents, terms, categories, seed):
    rng = np.random.default_rng(seed)
    X = sparse.csr_array(rng.integers(0, 3, (documents, terms)).astype(float))
    w = sparse.csr_array(rng.integers(-2, 3, (terms, categories)).astype(float))
    a, s, b = (rng.integers(-5, 6, size).astype(float) for size in (categories, categories, terms))
    found = linear_scores(
        Rows(X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data),
        Pattern(a, s, b),
        Rows(w.indptr.astype(np.int64), w.indices.astype(np.uint32), w.data),
    )
    assert (found == a + X.toarray() @ (w.toarray() + b[:, None] + s)).all()
