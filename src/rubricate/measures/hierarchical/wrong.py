"""Wrong decisions beside what they should have been: the pairs that nearness is measured on.

The cost of everything here follows the wrong decisions: their number × the labels of their documents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.measures.counting.tables import canonical
from rubricate.types import Ints, Sparse

__all__ = ["Wrong", "wrong_decisions"]


class Wrong(NamedTuple):
    """Wrong decisions of one kind: `rows[i]` is the document and `columns[i]` the category of the i-th.

    `others[k]` is a category that decision `items[k]` is compared with.
    """

    rows: Ints
    columns: Ints
    items: Ints
    others: Ints


def wrong_decisions(truth: Sparse, decided: Sparse) -> tuple[Wrong, Wrong]:
    """Return false positives beside the labels of their documents, false negatives beside what was assigned."""
    true, yes = canonical(truth), canonical(decided)
    both = true.multiply(yes)
    return _beside(yes > both, true), _beside(true > both, yes)


def _beside(wrong: Sparse, others: Sparse) -> Wrong:
    rows, columns = (part.astype(np.int64) for part in wrong.nonzero())
    starts = others.indptr.astype(np.int64)
    sizes = starts[rows + 1] - starts[rows]
    first = np.cumsum(sizes) - sizes
    places = np.arange(int(sizes.sum())) - np.repeat(first, sizes) + np.repeat(starts[rows], sizes)
    return Wrong(rows, columns, np.repeat(np.arange(len(rows)), sizes), others.indices[places].astype(np.int64))
