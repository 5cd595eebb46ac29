"""Evaluation with the hierarchy: near misses credited, numbers by depth, the distance of errors, and the tree."""

from __future__ import annotations

import numpy as np

from rubricate.evaluation import Evaluation
from rubricate.evaluation.measuring import with_hierarchy
from rubricate.hierarchy import Hierarchy
from rubricate.hierarchy.drawing import tree_drawing
from rubricate.reports.hierarchies import depth_table, distance_table, hierarchy_table
from rubricate.reports.page.grid import plain_table
from rubricate.reports.page.html import Html, isolated, join, tag
from rubricate.reports.page.section import section
from rubricate.reports.results import ReportResults

__all__ = ["hierarchy"]

MOST = 150
"""The most lines of the drawing; beyond that, deeper levels are left out and counted."""


@section("Near misses and far ones", order=55)
def hierarchy(results: ReportResults) -> Html | None:
    """Show the hierarchical measures of every system.

    `extras["hierarchy"]` is the hierarchy or its parent–child pairs. None where it is missing, or holds none of the
    categories.
    """
    tree_data = results.data.extras.get("hierarchy")
    if not tree_data:
        return None
    tree = tree_data if isinstance(tree_data, Hierarchy) else Hierarchy.from_edges(tree_data)
    if not any(name in tree for name in results.categories):
        return None
    measured = [
        with_hierarchy(evaluation, run, tree) for evaluation, run in zip(results.evaluations, results.runs, strict=True)
    ]
    shown = [measured[k] for k in results.order]
    return join(
        [
            tag("p", "A wrong category may be the sister of the right one or have nothing to do with it."),
            _sentence(results, measured[results.order[0]]),
            *(plain_table(table(shown)) for table in (hierarchy_table, distance_table, depth_table)),
            _drawing(results, tree, measured[results.order[0]]),
        ]
    )


def _sentence(results: ReportResults, best: Evaluation) -> Html | None:
    """Say how many of the labels that the best system wrongly gave are within two links of a right one."""
    if best.hierarchy is None:
        return None
    far = best.hierarchy.far
    wrong = sum(far.assigned) + far.assigned_alone
    if not wrong:
        return None
    near = sum(far.assigned[:3])
    return tag(
        "p",
        isolated(best.name, 40),
        f" wrongly gave {wrong:,} labels; {near:,} of them ({near / wrong:.0%}) are within two links of a right one.",
    )


def _drawing(results: ReportResults, tree: Hierarchy, best: Evaluation) -> Html:
    f1 = dict(zip(results.categories, np.asarray(best.per_category["f1"], np.float64).tolist(), strict=True))
    known = {name: value for name, value in f1.items() if name in tree and not np.isnan(value)}
    notes = {name: f"{value:.3f}" for name, value in known.items()}
    svg = Html(tree_drawing(tree, notes=notes, shades=known, depth=_deepest(tree)).inline())
    box = tag("div", svg, class_="scroll tall", tabindex="0", role="region", aria_label="The hierarchy with F1")
    caption = tag("p", "F1 of ", isolated(best.name, 40), "; red is 0, blue is 1.", class_="note")
    return tag("details", tag("summary", f"The hierarchy, {len(tree) - tree.virtual_root:,} nodes"), caption, box)


def _deepest(tree: Hierarchy) -> int | None:
    """Return the deepest level that keeps the drawing short; None where the whole tree does."""
    links = np.bincount(tree.depths[tree.child_ids], minlength=int(tree.depths.max()) + 1)
    fits = np.flatnonzero(1 + np.cumsum(links) <= MOST)
    return None if len(fits) == len(links) else max(1, int(fits[-1]) if len(fits) else 1)
