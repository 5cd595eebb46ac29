"""`rubricate show`: what a model was trained with, its figures, and the top terms of each category."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from rubricate.cli.options import Json
from rubricate.cli.summaries import choice_lines, language_lines
from rubricate.registry import command

__all__ = ["show"]

_Model = Annotated[Path, typer.Argument(help="A file that 'rubricate train' wrote.")]
_Terms = Annotated[int, typer.Option("--terms", help="How many terms to show for each category; 0 for none.", min=0)]


@command("show")
def show(model: _Model, *, terms: _Terms = 8, as_json: Json = False) -> None:
    """Print what a model was trained with, how well it did, and what speaks for each category.

    Top terms are those with the largest weights of a linear classifier; other classifiers have none. Parts of words
    are character n-grams: 'car…' begins a word, '…ard' ends one.
    """
    from rubricate.reports.model_card import describe_model
    from rubricate.training.categorizer import Categorizer

    described = describe_model(Categorizer.open(model), terms)
    described = {"model": str(model)} | described
    typer.echo(json.dumps(described, ensure_ascii=False, indent=2) if as_json else _text(described))


def _text(described: dict[str, Any]) -> str:
    lines = [
        f"{described['model']}: {len(described['categories']):,} categories from {described['documents']:,} documents",
        f"{described['classifier']}, {described['cut']}",
        *language_lines(described["language"]),
        *choice_lines(described["representation"]),
    ]
    figures = described["cross_validation"]
    if figures is None:
        lines.append("no cross-validation: what to expect of new documents is not known")
    else:
        name = "accuracy" if described["single_label"] else "micro-F1"
        lines.append(
            f"cross-validated: {name} {figures['micro_f1']:.4f}, macro-F1 {figures['macro_f1']:.4f}, "
            f"{figures['exactly_right']:.1%} of {figures['documents']:,} documents exactly right"
        )
        if later := described["documents"] - figures["documents"]:
            lines.append(f"{later:,} documents were learned on after that: the figures, confidences and cuts stayed")
    lines += [described["signature"], ""]
    width = max(len(each["name"]) for each in described["categories"])
    for each in described["categories"]:
        lines.append(f"{each['name']:{width}} {each['documents']:6,}  {', '.join(each['top_terms'])}".rstrip())
    return "\n".join(lines)
