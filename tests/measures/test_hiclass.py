"""hP, hR, hF against HiClass 5.0.8, which measures paths from the top, one label a document."""

from __future__ import annotations

import numpy as np
import pytest

from rubricate.hierarchy import Hierarchy
from rubricate.labels import label_matrix
from rubricate.measures import counts, macro, micro, placed, with_ancestors

peer = pytest.importorskip("hiclass.metrics")
LEAVES = [f"{a}.{b}.{c}" for a in "xyz" for b in "uvw" for c in "12"]


def paths(names):
    """A row a document: the nodes from the top to the label, and empty cells."""
    rows = [[name[: 2 * k + 1] if len(name) > 2 * k else "" for k in range(3)] for name in names]
    return np.array(rows, dtype=object)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_numbers(seed):
    rng = np.random.default_rng(seed)
    tree = Hierarchy.from_edges(sorted({(leaf[: 2 * k - 1], leaf[: 2 * k + 1]) for leaf in LEAVES for k in (1, 2)}))
    names = tuple(name for name in tree.names if name != tree.root)
    truth, decided = (rng.choice(names, 300) for _ in range(2))
    where = placed(tree, names)
    labels = [label_matrix([{name} for name in part], names)[0] for part in (truth, decided)]
    table = counts(*(with_ancestors(part, where) for part in labels), by="document")
    for name, theirs in (("precision", peer.precision), ("recall", peer.recall)):
        for average, ours in (("micro", micro), ("macro", macro)):
            assert ours(f"hierarchical_{name}", table) == pytest.approx(
                theirs(paths(truth), paths(decided), average=average)
            )
    f1 = peer.f1(paths(truth), paths(decided), average="micro", zero_division=0.0)  # its macro-F1 raises a TypeError
    assert micro("hierarchical_f1", table) == pytest.approx(f1)
