"""Random truths, decisions and scores, small and full of ties, empty rows and empty columns."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st


@st.composite
def shapes(draw, *, most=7, least=1):
    return draw(st.integers(least, most)), draw(st.integers(least, most))


@st.composite
def label_pairs(draw):
    """Two 0/1 matrices of one shape."""
    n, m = draw(shapes())
    cells = st.lists(st.integers(0, 1), min_size=n * m, max_size=n * m)
    return tuple(np.array(draw(cells)).reshape(n, m) for _ in range(2))


@st.composite
def scored(draw, *, infinite=True, least=1):
    """(scores, truth): scores from few values, so that ties abound; -inf is among them where asked."""
    n, m = draw(shapes(least=least))
    values = [0.0, 0.25, 0.5, 1.0, -2.0] + ([-math.inf, math.inf] if infinite else [])
    scores = draw(st.lists(st.sampled_from(values), min_size=n * m, max_size=n * m))
    truth = draw(st.lists(st.integers(0, 1), min_size=n * m, max_size=n * m))
    return np.array(scores).reshape(n, m), np.array(truth).reshape(n, m)


@st.composite
def probabilities(draw):
    """(probabilities, truth) with values on and off the edges of bins."""
    n, m = draw(shapes())
    cell = st.one_of(st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0]), st.floats(0, 1, width=32))
    values = draw(st.lists(cell, min_size=n * m, max_size=n * m))
    truth = draw(st.lists(st.integers(0, 1), min_size=n * m, max_size=n * m))
    return np.array(values).reshape(n, m), np.array(truth).reshape(n, m)


def sparsified(scores, floor):
    """The scores as `Scores` that store only what is above the floor; what is not above it becomes the floor."""
    from scipy import sparse

    from rubricate.types import Scores

    rows, columns = np.nonzero(scores > floor)
    values = sparse.csr_array((scores[rows, columns], (rows, columns)), shape=scores.shape)
    n, m = scores.shape
    return Scores(values, tuple(map(str, range(m))), tuple(map(str, range(n))), floor=floor)
