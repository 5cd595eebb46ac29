"""Who may have the largest score of a document, against all pairs of bounds compared."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.contenders import ALL, OTHER, OWN, contenders


def _expected(low, high, own, documents, part):
    """Return the pairs with bar and roof, and the documents that are open."""
    pairs, open = [], set()
    for c in range(len(low)):
        for d in documents:
            others = np.arange(len(low)) != c
            rivals = [r for r in np.flatnonzero(others) if (high[r, d] >= low[:, d]).all()]
            if not rivals or (high[c, d] < low[:, d]).any():
                continue
            open.add(int(d))
            if high[c, d] > low[c, d] and (part == ALL or own[c, d] == (part == OWN)):
                pairs.append((c, int(d), low[others, d].max(), high[others, d].max()))
    return pairs, sorted(open)


@given(seed=SEEDS, categories=st.integers(1, 5), documents=st.integers(1, 12), part=st.sampled_from([ALL, OWN, OTHER]))
def test_contenders_are_those_that_no_other_is_above(seed, categories, documents, part):
    """Bounds are whole numbers, so that many are equal, and some are open."""
    rng = np.random.default_rng(seed)
    low, high = np.sort(rng.integers(-3, 4, (2, categories, documents)).astype(float), axis=0)
    low[rng.random(low.shape) < 0.1], high[rng.random(low.shape) < 0.1] = -np.inf, np.inf
    own, chosen = rng.random(low.shape) < 0.4, np.flatnonzero(rng.random(documents) < 0.8)
    *found, open = contenders(low, high, own, chosen, part)
    expected, still = _expected(low, high, own, chosen, part)
    assert list(zip(*(each.tolist() for each in found), strict=True)) == expected
    assert open.tolist() == still
