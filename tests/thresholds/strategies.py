"""Small score tables full of ties, infinities and empty or full categories, with their labels."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from rubricate.types import Scores

TIED = st.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.0])
WILD = st.one_of(
    TIED, st.sampled_from([-np.inf, np.inf, 5e-324, -1.7e308, 1.7e308]), st.floats(-3, 3, allow_subnormal=True)
)


@st.composite
def tables(draw, elements=WILD, least=0):
    """Scores and labels, documents × categories."""
    shape = (draw(st.integers(least, 9)), draw(st.integers(1, 4)))
    scores = draw(hnp.arrays(np.float64, shape, elements=elements))
    return scores, draw(hnp.arrays(np.bool_, shape))


def as_sparse(scores: np.ndarray) -> Scores:
    """The same scores with the lowest left out: they are the floor."""
    floor = float(scores.min(initial=np.inf))
    rows, columns = np.nonzero(scores > floor)
    stored = sparse.csr_array((scores[rows, columns], (rows, columns)), shape=scores.shape)
    categories = tuple(str(c) for c in range(scores.shape[1]))
    return Scores(stored, categories, range(len(scores)), floor if len(scores) else -np.inf)
