"""Random hierarchies with labelled documents, and a small fixed one."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

TREE = [("crude", "nat-gas"), ("crude", "ship"), ("grain", "corn"), ("grain", "wheat")]
NAMES = ("crude", "nat-gas", "ship", "grain", "corn", "wheat")


@st.composite
def labelled_graphs(draw, max_nodes=8, graph=True):
    """(edges from a root "n0" to "n1", …, label sets of 12 documents)."""
    nodes = draw(st.integers(3, max_nodes))
    edges = []
    for child in range(1, nodes):
        parents = draw(st.sets(st.integers(0, child - 1), min_size=1, max_size=2 if graph else 1))
        edges += [(f"n{parent}", f"n{child}") for parent in sorted(parents)]
    names = [f"n{k}" for k in range(1, nodes)]
    labels = draw(st.lists(st.sets(st.sampled_from(names), max_size=3), min_size=12, max_size=12))
    return edges, names, labels


def matrix(labels, names):
    return sparse.csr_array(np.array([[name in own for name in names] for own in labels], bool))


def newswire(documents=240, seed=0, noise=0.35):
    """Word counts: three words for each category of the small tree and two for each top; some documents at tops."""
    rng = np.random.default_rng(seed)
    labels = np.zeros((documents, len(NAMES)), bool)
    labels[np.arange(documents), rng.integers(len(NAMES), size=documents)] = True
    extra = rng.random(documents) < 0.2
    labels[extra, rng.integers(len(NAMES), size=extra.sum())] = True
    words = np.kron(np.eye(len(NAMES)), np.ones((1, 3)))
    tops = np.zeros((len(NAMES), 4))
    tops[:3, :2], tops[3:, 2:] = 1, 1
    rates = noise + labels @ np.hstack([1.5 * words, 0.7 * tops])
    return sparse.csr_array(rng.poisson(rates).astype(float)), sparse.csr_array(labels)
