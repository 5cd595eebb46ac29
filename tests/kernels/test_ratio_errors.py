"""Mean ratios and standard errors in resamples equal those of whole arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rubricate.kernels.ratio_errors import ratio_errors
from rubricate.kernels.rows import Rows


def rows_of(matrix):
    found = sparse.csr_array(matrix)
    return Rows(found.indptr.astype(np.int64), found.indices.astype(np.int32), found.data.astype(np.float64))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.sampled_from([1, 2, 257]), st.integers(1, 5))
def test_ratios_are_those_of_whole_arrays(seed, patterns, draws, ratios):
    rng = np.random.default_rng(seed)
    below = rng.integers(0, 3, (patterns, ratios)).astype(float)
    above = np.minimum(below, rng.integers(0, 3, below.shape))
    weights = rng.integers(0, 4, (patterns, draws)).astype(np.int32)
    means, errors = ratio_errors(rows_of(above), rows_of(below), weights, ratios)
    x, y = weights.T @ above, weights.T @ below
    inverse = np.divide(1.0, y, out=np.zeros_like(y), where=y > 0)
    influence = (inverse @ above.T - (x * inverse * inverse) @ below.T) / ratios
    assert means == pytest.approx((x * inverse).mean(axis=1), abs=1e-12)
    assert errors == pytest.approx(np.sqrt((weights.T * influence**2).sum(axis=1)), abs=1e-12)
