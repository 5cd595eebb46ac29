"""Labels with the paths to where they meet: what lowest-common-ancestor measures count. kosmopoulos2015, section 4.

Ancestor sets punish a mistake deep in the hierarchy less than one near the root, and count an ancestor shared by
everything. Here the true label t and the assigned label a of a document are connected through their lowest common
ancestor, each label with the nearest ones of the other side, and the sets hold only the nodes on these paths:
the true set those from t up to the meeting point, the assigned set those from a up to it, the meeting point in both.

Up-paths have the fewest links. All nearest partners, all meeting points of the least t–a distance and all shortest
paths to them take part, so that the order of names decides nothing. (The paper goes on to drop nodes of paths that are
not needed to connect every label; we keep them.) A label with no partner (nothing on the other side, or outside the
hierarchy and not the same) stands for itself alone. The root, virtual or not, is a meeting point like any other.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np

from rubricate.kernels.meeting_paths import meeting_paths
from rubricate.measures._augmented import augmented_columns
from rubricate.measures._placed import Placed
from rubricate.measures._tables import canonical
from rubricate.types import Counts, Ints, Sparse

__all__ = ["meeting_counts"]


def meeting_counts(truth: Sparse, decided: Sparse, where: Placed) -> Counts:
    """The table of each document over the connected sets; TN are the nodes in neither.

    Cost: of each document its true × assigned labels; in a tree × the links between them, compiled; in a graph
    each distinct pair of categories is connected once, at the cost of their ancestors.
    """
    true, yes = canonical(truth), canonical(decided)
    found = (_in_tree if where.hierarchy.is_tree else _in_graph)(true, yes, where)
    nodes = len(where.hierarchy) + len(where.outside)
    return Counts(found[0], found[1], found[2], nodes - found.sum(axis=0))


def _in_tree(true: Sparse, yes: Sparse, where: Placed) -> Ints:
    tree, columns = where.hierarchy, augmented_columns(where)
    parents = np.concatenate([[-1], tree.parent_ids]).astype(np.int64)
    rows = [(part.indptr.astype(np.int64), columns[part.indices]) for part in (true, yes)]
    return meeting_paths(*rows[0], *rows[1], parents, tree.depths.astype(np.int64), len(tree) + len(where.outside))


def _in_graph(true: Sparse, yes: Sparse, where: Placed) -> Ints:
    columns, paths = augmented_columns(where), _Paths(where)
    table = np.zeros((3, true.shape[0]), np.int64)
    for d in range(true.shape[0]):
        t, a = (_row(matrix, d, columns) for matrix in (true, yes))
        on_true, on_assigned = (set(t), set(a)) if t == a else paths.connected(t, a)
        shared = len(on_true & on_assigned)
        table[:, d] = shared, len(on_assigned) - shared, len(on_true) - shared
    return table


def _row(matrix: Sparse, d: int, columns: Ints) -> list[int]:
    found: list[int] = columns[matrix.indices[matrix.indptr[d] : matrix.indptr[d + 1]]].tolist()
    return found


class _Paths:
    """Connections between labels, remembered by pair."""

    def __init__(self, where: Placed) -> None:
        hierarchy = where.hierarchy
        self.nodes = len(hierarchy)
        self.starts, self.parents = hierarchy.parent_starts.tolist(), hierarchy.parent_ids.tolist()
        self.up = cache(self._up)
        self.meet = cache(self._meet)

    def connected(self, t: Iterable[int], a: Iterable[int]) -> tuple[set[int], set[int]]:
        """The true and the assigned set of a document."""
        true, assigned = set(t), set(a)
        every = {(x, y): self.meet(x, y) for x in t for y in a}
        for x, y in self._nearest(every):
            _, of_x, of_y = every[x, y]
            true |= of_x
            assigned |= of_y
        return true, assigned

    @staticmethod
    def _nearest(every: dict[tuple[int, int], tuple[float, frozenset[int], frozenset[int]]]) -> set[tuple[int, int]]:
        """The pairs in which one is a nearest partner of the other."""
        best: dict[tuple[int, int], float] = {}
        for pair, (far, _, _) in every.items():
            for side in (0, 1):
                best[side, pair[side]] = min(far, best.get((side, pair[side]), np.inf))
        return {
            pair for pair, (far, _, _) in every.items() if far < np.inf and far in (best[0, pair[0]], best[1, pair[1]])
        }

    def _up(self, node: int) -> dict[int, int]:
        """The fewest links up to each ancestor, the node itself at 0."""
        found, frontier, steps = {node: 0}, [node], 0
        while frontier and node < self.nodes:
            steps += 1
            above = {p for v in frontier for p in self.parents[self.starts[v] : self.starts[v + 1]]}
            frontier = [p for p in above if p not in found]
            found |= dict.fromkeys(frontier, steps)
        return found

    def _meet(self, x: int, y: int) -> tuple[float, frozenset[int], frozenset[int]]:
        """The distance through common ancestors and the nodes on the two sides; none (∞) without a common ancestor."""
        of_x, of_y = self.up(x), self.up(y)
        shared = of_x.keys() & of_y.keys()
        if not shared:
            return np.inf, frozenset(), frozenset()
        far = min(of_x[z] + of_y[z] for z in shared)
        tops = [z for z in shared if of_x[z] + of_y[z] == far]
        return far, self._between(x, tops), self._between(y, tops)

    def _between(self, node: int, tops: list[int]) -> frozenset[int]:
        """The nodes on the shortest paths from a node up to some of its ancestors."""
        up = self.up(node)
        return frozenset(
            v for z in tops for v in up if v == z or (up[v] < up[z] and self.up(v).get(z, -1) == up[z] - up[v])
        )
