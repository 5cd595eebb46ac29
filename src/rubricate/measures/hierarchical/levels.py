"""The numbers by depth in the hierarchy, and how far off wrong decisions are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rubricate.hierarchy import distances
from rubricate.measures.counting.averages import macro, micro
from rubricate.measures.counting.tables import counts
from rubricate.measures.hierarchical.augmented import with_ancestors
from rubricate.measures.hierarchical.placed import Placed
from rubricate.measures.hierarchical.wrong import Wrong, wrong_decisions
from rubricate.types import Bools, Counts, Ints, Sparse, Undefined

__all__ = ["Far", "Level", "by_depth", "how_far"]


@dataclass(frozen=True)
class Level:
    """The categories at one depth: micro-averages, macro-F1, and hP, hR, hF of the nodes there.

    `path_*` count every node at that depth that is a label or above one (see `augmented`): whether the descent is
    right so far. The depth of a category is the fewest links from the root, None for those outside the hierarchy.
    """

    depth: int | None
    categories: int
    tp: int
    fp: int
    fn: int
    precision: float
    recall: float
    f1: float
    macro_f1: float
    path_precision: float
    path_recall: float
    path_f1: float


def by_depth(truth: Sparse, decided: Sparse, where: Placed, *, undefined: Undefined = "zero") -> tuple[Level, ...]:
    """Return one row per depth that has categories, from the top. Cost: labels × ancestors."""
    table = counts(truth, decided)
    paths = counts(*(with_ancestors(labels, where) for labels in (truth, decided)))
    depths = np.where(where.inside, where.hierarchy.depths[where.nodes], -1)
    nodes = np.concatenate([where.hierarchy.depths, np.full(len(where.outside), -1)])
    listed = [*sorted(set(depths[depths >= 0].tolist())), *([-1] if len(where.outside) else [])]
    return tuple(_level(d, _some(table, depths == d), _some(paths, nodes == d), undefined=undefined) for d in listed)


def _some(table: Counts, kept: Bools) -> Counts:
    return Counts(table.tp[kept], table.fp[kept], table.fn[kept], table.tn[kept])


def _level(depth: int, own: Counts, paths: Counts, *, undefined: Undefined) -> Level:
    return Level(
        depth=None if depth < 0 else depth,
        categories=len(own),
        tp=int(own.tp.sum()),
        fp=int(own.fp.sum()),
        fn=int(own.fn.sum()),
        precision=micro("precision", own, undefined=undefined),
        recall=micro("recall", own, undefined=undefined),
        f1=micro("f1", own, undefined=undefined),
        macro_f1=macro("f1", own, undefined=undefined),
        path_precision=micro("precision", paths, undefined=undefined),
        path_recall=micro("recall", paths, undefined=undefined),
        path_f1=micro("f1", paths, undefined=undefined),
    )


@dataclass(frozen=True)
class Far:
    """Histogram of wrong decisions by the number of links to the nearest right one.

    `assigned[k]` false positives are k links from the nearest label of their document, `missed[k]` false negatives
    from the nearest category assigned to it; `assigned_alone` and `missed_alone` have nothing to be near to: no label,
    nothing assigned, or nothing of it in the hierarchy.
    """

    assigned: tuple[int, ...]
    missed: tuple[int, ...]
    assigned_alone: int
    missed_alone: int


def how_far(truth: Sparse, decided: Sparse, where: Placed) -> Far:
    """Return the histogram of distances. Cost: wrong decisions × labels of their documents, and their distances."""
    (assigned, assigned_alone), (missed, missed_alone) = (
        _histogram(wrong, where) for wrong in wrong_decisions(truth, decided)
    )
    return Far(assigned, missed, assigned_alone, missed_alone)


def _histogram(wrong: Wrong, where: Placed) -> tuple[tuple[int, ...], int]:
    a, b = where.nodes[wrong.columns[wrong.items]], where.nodes[wrong.others]
    known = (a >= 0) & (b >= 0)
    nearest = np.full(len(wrong.columns), np.iinfo(np.int64).max)
    np.minimum.at(nearest, wrong.items[known], distances(where.hierarchy, a[known], b[known]))
    met: Ints = nearest[nearest < np.iinfo(np.int64).max]
    return tuple(np.bincount(met).tolist()), len(nearest) - len(met)
