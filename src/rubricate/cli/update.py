"""`rubricate update`: a model and more documents → a model that has learned them too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli import document_options as inputs
from rubricate.cli.options import Json
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.training.categorizer import Categorizer

__all__ = ["update"]

_Model = Annotated[Path, typer.Argument(help="A file that 'rubricate train' wrote.")]
_Output = Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")]
SHOWN = 10
"""Cuts of new categories that are printed; --json has all."""


@command("update")
def update(
    model: _Model,
    data: inputs.Data,
    output: _Output,
    *,
    reading: inputs.Reading,
    vectors: inputs.Vectors = None,
    as_json: Json = False,
) -> None:
    """Learn from more labelled documents and write another model file; the output says how.

    A model that was trained with --keep holds its documents and is trained again on old and new ones. Without them,
    naive Bayes, kNN, Rocchio and sleeping experts learn on: terms and the cuts of known categories stay as they are.
    Both learn new categories. Every other model has to be trained again with 'rubricate train --keep'.
    """
    from rubricate.training.categorizer import Categorizer

    opened = Categorizer.open(model)
    # Rows of a file without ids are numbered; the prefix keeps them apart from those learned before.
    new = inputs.corpus_of(data, reading, vectors=vectors, prefix=f"{len(opened.ids_)}+").train
    before = _held(opened)
    retrained = opened.kept_documents() is not None
    changed = opened.retrained(new) if retrained else opened.update(new)
    changed.save(output)
    added = sorted(_held(changed) - before)
    result: dict[str, Any] = {
        "model": str(output),
        "way": "retrained" if retrained else "learned on",
        "documents": len(changed.ids_),
        "new_documents": len(new),
        "new_categories": added,
        "new_cuts": None if retrained else _cuts(changed, added),
        "without_terms": None if retrained else _without_terms(changed.features(new)),
        "single_label": changed.single_label_,
        "cross_validation": changed.cross_validated if retrained else None,
    }
    typer.echo(json.dumps(result, ensure_ascii=False, indent=2) if as_json else _text(result))


def _held(model: Categorizer) -> set[str]:
    """Return the categories that have documents."""
    return {name for name, held in zip(model.categories_, model.train_counts_, strict=True) if held}


def _cuts(model: Categorizer, names: list[str]) -> dict[str, float] | None:
    """Return the cuts of some categories; None where the decision does not go by a cut for each."""
    cuts = getattr(getattr(model.cut_, "cut_", model.cut_), "cuts_", None)
    if cuts is None:
        return None
    return {name: float(cuts[model.categories_.index(name)]) for name in names}


def _without_terms(vectors: Any) -> int:
    """Return how many documents have no term that the model knows."""
    return int((abs(vectors).sum(axis=1) == 0).sum())


def _text(result: dict[str, Any]) -> str:
    ways = {
        "retrained": "trained anew on the documents kept with the model and the new ones",
        "learned on": "the classifier learned on; terms and cuts stay",
    }
    documents = "1 new document" if result["new_documents"] == 1 else f"{result['new_documents']:,} new documents"
    lines = [f"{result['model']}: {documents}, {ways[result['way']]}"]
    if result["new_categories"]:
        lines.append(f"new categories: {', '.join(result['new_categories'])}")
        lines += [] if result["way"] == "retrained" else [_cut_line(result["new_cuts"])]
    if result["without_terms"]:
        strange = f"{result['without_terms']:,} of the new documents have no term that the model knows"
        lines.append(f"{strange}; training anew learns theirs")
    if result["cross_validation"]:
        figures, name = result["cross_validation"], "accuracy" if result["single_label"] else "micro-F1"
        lines.append(f"cross-validated: {name} {figures['micro_f1']:.4f}, macro-F1 {figures['macro_f1']:.4f}")
    return "\n".join(lines)


def _cut_line(cuts: dict[str, float] | None) -> str:
    """Return how documents get new categories that were learned on."""
    if cuts is None:
        return "they have no cut of their own: they compete with the others"
    if float("inf") in cuts.values():
        return "they have no cut and are never assigned, since the others have none; train anew to learn one"
    shown = ", ".join(f"{name} {cut:.4g}" for name, cut in [*cuts.items()][:SHOWN])
    left = f" and {len(cuts) - SHOWN} more" if len(cuts) > SHOWN else ""
    return f"their cuts, as expected of categories with as many documents: {shown}{left}"
