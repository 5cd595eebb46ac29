"""Describe a model: how it was trained, its figures, what speaks for each category."""

from __future__ import annotations

from typing import Any

from rubricate.categorizer import Categorizer

__all__ = ["describe_model"]


def describe_model(model: Categorizer, terms: int = 8) -> dict[str, Any]:
    """Return what there is to say of a model, as JSON has it."""
    counts = dict(zip(model.categories_, model.train_counts_.tolist(), strict=True))
    return {
        "signature": str(model.signature()),
        "classifier": model.signature().classifier,
        "cut": " ".join(repr(model.cut_).split()),
        "single_label": model.single_label_,
        "documents": len(model.ids_),
        "representation": getattr(model, "screening_", None),
        "language": getattr(model, "language_", None),
        "cross_validation": model.cross_validated,
        "categories": [
            {"name": name, "documents": counts[name], "top_terms": model.top_terms(name, terms) if terms else []}
            for name in model.categories_
        ],
    }
