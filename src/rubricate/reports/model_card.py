"""Describe a model: how it was trained, its figures, what speaks for each category."""

from __future__ import annotations

from typing import Any

from rubricate._version import __version__
from rubricate.reports.html import Html, escape, tag
from rubricate.reports.tables import markdown
from rubricate.training.categorizer import Categorizer

__all__ = ["card_html", "card_markdown", "describe_model"]


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


FILL_IN = "(to be filled in by the owner)"
_SMALL = 10
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left;border-bottom:1px solid #8884}"
    "td.number{text-align:right}"
)


def _sections(name: str, described: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """Return headings and sentences; both forms of the card show the same."""
    categories = described["categories"]
    small = [each["name"] for each in categories if each["documents"] < _SMALL]
    kind = "exactly one category" if described["single_label"] else "any number of categories"
    figures = described["cross_validation"]
    if figures is None:
        results = ["The model was not cross-validated: what to expect of new documents is not known."]
    else:
        first = "Accuracy" if described["single_label"] else "Micro-F1"
        results = [
            f"{first} {figures['micro_f1']:.4f}, macro-F1 {figures['macro_f1']:.4f}, by cross-validation over "
            f"{figures['documents']:,} training documents; {figures['exactly_right']:.1%} were exactly right.",
            "These figures hold for documents like the training documents, labelled by the same people.",
        ]
    limits = [
        f"Categories with fewer than {_SMALL} documents are hardly learned: {', '.join(small[:30])}"
        + (f" and {len(small) - 30} more." if len(small) > 30 else ".")
        if small
        else f"Every category has at least {_SMALL} training documents.",
        "The model sees words, not meaning or intent; documents in another language or style get unreliable labels.",
        f"Decisions that affect people: {FILL_IN}",
    ]
    return [
        (
            "Model",
            [f"{name}: assigns {kind} of {len(categories):,}.", described["signature"], f"Rubricate {__version__}."],
        ),
        ("Made with", [f"Rubricate {__version__}"]),
        ("Intended use", [FILL_IN]),
        ("Training documents", [f"{described['documents']:,} documents. Origin and licence: {FILL_IN}"]),
        ("How well it does", results),
        ("Limits", limits),
    ]


def card_markdown(name: str, described: dict[str, Any]) -> str:
    """Return the card of a described model as Markdown."""
    parts = [f"# Model card: {markdown(name)}"]
    for heading, sentences in _sections(name, described):
        parts.append(f"## {heading}\n\n" + "\n\n".join(map(markdown, sentences)))
    rows = ["| category | documents | speaks for it |", "|---|--:|---|"]
    for each in described["categories"]:
        terms = markdown(", ".join(each["top_terms"]))
        rows.append(f"| {markdown(each['name'])} | {each['documents']:,} | {terms} |")
    return "\n\n".join([*parts, "## Categories", "\n".join(rows)]) + "\n"


def card_html(name: str, described: dict[str, Any]) -> str:
    """Return the card of a described model as a page of its own that asks for nothing outside."""
    parts: list[Html] = [tag("h1", f"Model card: {name}")]
    for heading, sentences in _sections(name, described):
        parts += [tag("h2", heading), *(tag("p", sentence) for sentence in sentences)]
    head = tag("tr", *(tag("th", title) for title in ("category", "documents", "speaks for it")))
    rows = [
        tag(
            "tr",
            tag("td", each["name"]),
            tag("td", f"{each['documents']:,}", class_="number"),
            tag("td", ", ".join(each["top_terms"])),
        )
        for each in described["categories"]
    ]
    parts += [tag("h2", "Categories"), tag("table", head, *rows)]
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(f'Model card: {name}')}</title><style>{_STYLE}</style></head>\n"
        f"<body>{''.join(parts)}</body></html>\n"
    )
