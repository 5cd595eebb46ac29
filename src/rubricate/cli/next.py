"""`rubricate next`: which documents to label next, and when to stop looking for those of one category."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli import document_options as inputs
from rubricate.cli.options import Json
from rubricate.errors import InvalidInput
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.training.categorizer import Categorizer
    from rubricate.types import Documents

__all__ = ["next_command"]

_Model = Annotated[Path, typer.Argument(help="A file that 'rubricate train' wrote.")]
_Data = Annotated[str, typer.Argument(help="Unlabelled documents: a file or folder, or - for standard input.")]
_Number = Annotated[int, typer.Option("-n", help="How many documents.", min=1)]
_Strategy = Annotated[
    str, typer.Option(help="ties, uncertainty, margin (by category), reduction (of SVM loss) or random.")
]
_Diverse = Annotated[bool, typer.Option("--diverse/--no-diverse", help="Choose documents that differ from each other.")]
_Labelled = Annotated[Path | None, typer.Option(help="Documents that are labelled already; they are left out.")]
_Category = Annotated[str | None, typer.Option(help="With --until: the category whose documents are to be found.")]
_Until = Annotated[str | None, typer.Option(help="recall=0.9: find the documents of --category, and say when to stop.")]
_Control = Annotated[
    Path | None, typer.Option(help="With --until: the file that lists the control sample; it grows as needed.")
]
_Confidence = Annotated[float, typer.Option(help="With --until: the confidence that recall is reached.")]
_Seed = Annotated[int, typer.Option(help="The seed of random choices.", min=0)]


@command("next")
def next_command(
    model: _Model,
    data: _Data,
    *,
    n: _Number = 50,
    strategy: _Strategy = "ties",
    diverse: _Diverse = False,
    labelled: _Labelled = None,
    category: _Category = None,
    until: _Until = None,
    control: _Control = None,
    confidence: _Confidence = 0.95,
    reading: inputs.UnlabelledReading,
    seed: _Seed = 0,
    as_json: Json = False,
) -> None:
    """Choose the unlabelled documents that a model learns most from: CSV document,score,why.

    With --until recall=0.9 --category NAME: find the documents of one category. A random control sample is read first
    (its documents are listed in the file of --control), then the rest in the order of the scores. Put the labels of
    what was read into the file of --labelled (document,labels) and call again, until the answer is to stop; recall is
    then reached in 95 of 100 such searches. Keep the same model during a search.
    """
    from rubricate.labelling.active_learning import next_documents
    from rubricate.training.categorizer import Categorizer

    opened = Categorizer.open(model)
    documents = inputs.joined(inputs.batches(data, reading))
    if until is not None:
        recall = _recall(until)
        if category is None or control is None:
            raise InvalidInput("--until needs --category NAME and --control FILE (which is written)")
        _search(
            opened,
            documents,
            category,
            (labelled, control),
            recall,
            n=n,
            confidence=confidence,
            seed=seed,
            as_json=as_json,
        )
        return
    known = [] if labelled is None else _labels(labelled)
    rows = next_documents(opened, documents, n, strategy=strategy, diverse=diverse, labelled=list(known), seed=seed)
    if as_json:
        typer.echo(json.dumps({"next": [asdict(row) for row in rows]}, ensure_ascii=False, indent=2))
        return
    typer.echo(_csv([asdict(row) for row in rows]))


def _recall(until: str) -> float:
    name, _, value = until.partition("=")
    try:
        recall = float(value)
    except ValueError:
        recall = math.nan
    if name.strip() != "recall" or not 0 < recall < 1:
        raise InvalidInput(f"--until {until!r}; give recall=0.9, a share between 0 and 1")
    return recall


def _labels(path: Path) -> dict[str, set[str]]:
    """Return the labels of documents by id."""
    from rubricate.io.predictions import read_truth

    truth = read_truth(path)
    rows = truth.values
    return {
        str(name): {truth.categories[c] for c in rows.indices[rows.indptr[row] : rows.indptr[row + 1]]}
        for row, name in enumerate(truth.documents)
    }


def _search(
    model: Categorizer,
    documents: Documents,
    category: str,
    files: tuple[Path | None, Path],
    recall: float,
    *,
    n: int,
    confidence: float,
    seed: int,
    as_json: bool,
) -> None:
    from rubricate.labelling.active_learning import category_scores, next_to_read
    from rubricate.storage import atomic_text

    labelled, control = files
    known = {} if labelled is None else _labels(labelled)
    listed = control.read_text(encoding="utf-8").split("\n") if control.exists() else []
    drawn = [line for line in listed if line]
    state = next_to_read(
        [str(name) for name in documents.ids],
        category_scores(model, documents, category),
        {name: category in labels for name, labels in known.items()},
        control=drawn,
        recall=recall,
        n=n,
        confidence=confidence,
        seed=seed,
    )
    fresh = [row.document for row in state.documents if row.why == "control" and row.document not in set(drawn)]
    with atomic_text(control) as text:
        text.writelines(f"{name}\n" for name in [*drawn, *fresh])
    typer.echo(f"rubricate: {state.message}", err=True)
    rows = [asdict(row) | {"score": None if math.isnan(row.score) else row.score} for row in state.documents]
    if as_json:
        whole = {key: value for key, value in asdict(state).items() if key != "documents"}
        typer.echo(json.dumps({**whole, "next": rows}, ensure_ascii=False, indent=2))
        return
    typer.echo(_csv(rows))


def _csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["document", "score", "why"])
    writer.writerows(["" if cell is None else cell for cell in row.values()] for row in rows)
    return text.getvalue().removesuffix("\n")
