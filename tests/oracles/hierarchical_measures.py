"""The hierarchical measures written as their definitions, over sets of names; nothing shared with the package."""

from __future__ import annotations

from itertools import product
from math import sqrt

from tests.oracles import hierarchy

Edges = list[tuple[str, str]]
Sets = list[set[str]]


def similarity(vectors: list[set[str]], labels: Sets, a: str, b: str) -> float:
    """Cosine of the unions of the documents' terms: |A ∩ B| / √(|A||B|)."""
    of_a, of_b = (set().union(*(v for v, own in zip(vectors, labels, strict=True) if c in own)) for c in (a, b))
    return len(of_a & of_b) / sqrt(len(of_a) * len(of_b)) if of_a and of_b else 0.0


def contribution(near, categories: set[str], c: str) -> float:
    """RCon: the sum over the categories, between −1 and 1."""
    return min(1.0, max(-1.0, sum(near(other, c) for other in categories)))


def by_distance(edges: Edges, acceptable: float):
    names = {name for pair in edges for name in pair}

    def near(a: str, b: str) -> float:
        if a not in names or b not in names:
            return 0.0
        return 1 - hierarchy.distance(edges, a, b) / acceptable

    return near


def extended(truth: Sets, decided: Sets, category: str, near) -> dict[str, float]:
    """Every quantity of sunlim2001 for one category; None where a denominator is 0 or less."""
    cells = dict.fromkeys(("tp", "fp", "fn", "tn", "fp_con", "fn_con"), 0.0)
    for true, yes in zip(truth, decided, strict=True):
        cell = ("t" if (category in true) == (category in yes) else "f") + ("p" if category in yes else "n")
        cells[cell] += 1
        if cell == "fp":
            cells["fp_con"] += contribution(near, true, category)
        if cell == "fn":
            cells["fn_con"] += contribution(near, yes, category)
    tp, fp, fn, tn, fp_con, fn_con = cells.values()
    top, n = max(0.0, tp + fp_con + fn_con), len(truth)

    def over(below: float) -> float | None:
        return top / below if below > 0 else None

    return {
        **cells,
        "top": top,
        "assigned": tp + fp + fn_con,
        "true": tp + fn + fp_con,
        "extended_precision": over(tp + fp + fn_con),
        "extended_recall": over(tp + fn + fp_con),
        "extended_accuracy": (tp + tn + fp_con + fn_con) / n,
        "extended_error": (fp + fn - fp_con - fn_con) / n,
    }


def augmented(edges: Edges, labels: set[str], root: str | None) -> set[str]:
    """The labels and everything above them, without the root where it is no category."""
    known = {name for pair in edges for name in pair}
    above = set().union(*(hierarchy.ancestors(edges, label) for label in labels if label in known), labels)
    return above - {root}


def nearest(edges: Edges, category: str, others: set[str]) -> int | None:
    known = {name for pair in edges for name in pair}
    found = [hierarchy.distance(edges, category, other) for other in others & known if category in known]
    return min(found, default=None)


def _rises(edges: Edges, start: str) -> list[list[str]]:
    """Every path upwards from a node, also those that stop on the way."""
    return [[start]] + [[start, *more] for parent, child in edges if child == start for more in _rises(edges, parent)]


def connected(edges: Edges, truth: set[str], decided: set[str]) -> tuple[set[str], set[str]]:
    """The least LCA sets: each label of one side only joined with one of its nearest labels of the other side.

    All choices of a nearest partner, a meeting point and shortest paths up to it are tried.
    """
    needs = [_nearest_ways(edges, t, decided) for t in truth - decided]
    needs += [[(x, y) for y, x in _nearest_ways(edges, a, truth)] for a in decided - truth]
    every = [
        (truth.union(*(x for x, _ in choice)), decided.union(*(y for _, y in choice)))
        for choice in product(*(need for need in needs if need))
    ]
    return min(every, key=lambda both: (len(both[0]) + len(both[1]), -len(both[0] & both[1]), len(both[1])))


def _nearest_ways(edges: Edges, label: str, others: set[str]) -> list[tuple[list[str], list[str]]]:
    """The shortest joins of a label with any other, each the path up from it and that from the other."""
    both = [(x, y) for other in others for x in _rises(edges, label) for y in _rises(edges, other) if x[-1] == y[-1]]
    least = min((len(x) + len(y) for x, y in both), default=0)
    return [(x, y) for x, y in both if len(x) + len(y) == least]
