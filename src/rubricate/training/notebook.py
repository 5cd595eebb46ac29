"""A fitted categorizer as notebooks show it: what was chosen, its figures, what speaks for its categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate._tables import html_of
from rubricate.types import FittedModel

__all__ = ["fitted_html"]

SHOWN, TERMS = 10, 6
"""Categories, the largest first, and terms of each."""


def fitted_html(model: FittedModel) -> str:
    """Return two tables: the choices and figures of a fitted categorizer, and its largest categories."""
    return html_of(("Categorizer", ""), _facts(model)) + html_of(
        ("category", "documents", "top terms"), _largest(model)
    )


def _facts(model: FittedModel) -> list[tuple[str, Any]]:
    facts: list[tuple[str, Any]] = [
        ("classifier", model.signature().classifier),
        ("representation", _chosen(model)),
        ("cut", " ".join(repr(model.cut_).split())),
        ("documents", f"{len(model.ids_):,}"),
        ("categories", f"{len(model.categories_):,}"),
    ]
    figures = model.cross_validated
    if figures is None:
        return [*facts, ("cross-validated", "no: fitted with folds=0")]
    return [
        *facts,
        (f"cross-validated {'accuracy' if model.single_label_ else 'micro-F1'}", float(figures["micro_f1"])),
        ("cross-validated macro-F1", float(figures["macro_f1"])),
        ("exactly right", f"{figures['exactly_right']:.1%} of {figures['documents']:,} documents"),
    ]


def _chosen(model: FittedModel) -> str:
    screening = getattr(model, "screening_", None)
    return str(screening["chosen"]) if screening else str(model.representation or "terms")


def _largest(model: FittedModel) -> list[tuple[str, str, str]]:
    counts = np.asarray(model.train_counts_)
    order = np.argsort(-counts, kind="stable")
    rows = [
        (model.categories_[c], f"{counts[c]:,}", ", ".join(model.top_terms(model.categories_[c], TERMS)))
        for c in order[:SHOWN]
    ]
    left = len(order) - len(rows)
    return rows if not left else [*rows, (f"{left:,} more", "", "")]
