"""What people can do next, in the report: whether systems agree, and which decisions to check first."""

from __future__ import annotations

import numpy as np

from rubricate.reports.cells import CellValue
from rubricate.reports.judging.judgement import Judgement
from rubricate.reports.tables import Table

__all__ = ["agreement_tables", "review_table"]

CATEGORIES = 20
"""Categories listed, those that are agreed on least first."""


def agreement_tables(judgement: Judgement) -> tuple[Table, Table] | None:
    """Tabulate how far the best systems agree, on label sets and by category; None for one system."""
    found = judgement.agreed
    if found is None:
        return None
    overall: list[tuple[CellValue, ...]] = [
        (name, each.estimate, each.low, each.high) for name, each in found.overall.items()
    ]
    sets = Table(
        ("on label sets", "estimate", "low", "high"),
        overall,
        f"Agreement of the {len(found.annotators)} best systems",
        (f"low and high: {found.level:.0%} intervals over resamples of the documents",),
        digits=4,
    )
    least = sorted(found.categories, key=lambda each: (np.isnan(each.alpha), each.alpha))[:CATEGORIES]
    rows: list[tuple[CellValue, ...]] = [
        (each.category, each.percent, each.kappa, each.alpha, each.ac1, each.low, each.high) for each in least
    ]
    heads = ("category", "percent", "kappa", "alpha", "ac1", "low", "high")
    return sets, Table(heads, rows, "Categories that systems agree on least", ("low and high: of alpha",), digits=4)


def review_table(judgement: Judgement) -> Table | None:
    """Tabulate the decisions of the best system with probabilities that a person should check first."""
    if judgement.review is None:
        return None
    name, found = judgement.review
    rows: list[tuple[CellValue, ...]] = [
        (each.document, each.category, "assigned" if each.decision else "not assigned", each.wrong, each.gain)
        for each in found.decisions
    ]
    heads = ("document", "category", "decision", "probably wrong", "expected gain in micro-F1")
    return Table(heads, rows, f"Decisions of {name} to check first", digits=6)
