"""`rubricate update`: a model and more documents → a model that has learned them too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from rubricate.cli.options import documents as inputs
from rubricate.cli.options.printing import Json

__all__ = ["update"]

_Model = Annotated[Path, typer.Argument(help="A file that 'rubricate train' wrote.")]
_Output = Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")]


def update(
    model: _Model, data: inputs.Data, output: _Output, *, reading: inputs.Reading, as_json: Json = False
) -> None:
    """Learn from more labelled documents and write another model file; says which way it took.

    A model that was trained with --keep holds its documents: it is trained anew on old and new ones, and new
    categories are allowed. Without them, naive Bayes, kNN, Rocchio and sleeping experts learn on: terms, cuts and
    categories stay as they are. Every other model has to be trained again with 'rubricate train --keep'.
    """
    from rubricate.categorizer import Categorizer

    opened = Categorizer.open(model)
    new = inputs.corpus_of(data, reading).train
    before = set(opened.categories_)
    retrained = opened.kept_documents() is not None
    changed = opened.retrained(new) if retrained else opened.update(new)
    changed.save(output)
    result: dict[str, Any] = {
        "model": str(output),
        "way": "retrained" if retrained else "learned on",
        "documents": len(changed.ids_),
        "new_documents": len(new),
        "new_categories": sorted(set(changed.categories_) - before),
        "single_label": changed.single_label_,
        "cross_validation": changed.cross_validated if retrained else None,
    }
    typer.echo(json.dumps(result, ensure_ascii=False, indent=2) if as_json else _text(result))


def _text(result: dict[str, Any]) -> str:
    ways = {
        "retrained": "trained anew on the documents kept with the model and the new ones",
        "learned on": "the classifier learned on; terms, cuts and categories stay",
    }
    lines = [f"{result['model']}: {result['new_documents']:,} new documents, {ways[result['way']]}"]
    if result["new_categories"]:
        lines.append(f"new categories: {', '.join(result['new_categories'])}")
    if result["cross_validation"]:
        figures, name = result["cross_validation"], "accuracy" if result["single_label"] else "micro-F1"
        lines.append(f"cross-validated: {name} {figures['micro_f1']:.4f}, macro-F1 {figures['macro_f1']:.4f}")
    return "\n".join(lines)
