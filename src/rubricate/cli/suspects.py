"""`rubricate suspects`: documents whose labels look wrong."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli import document_options as inputs
from rubricate.cli.options import Form
from rubricate.cli.output import progress
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.labelling.label_suspects import Suspect

__all__ = ["suspects"]

WIDTH = 80

_Data = Annotated[str, typer.Argument(help="Labelled documents: a corpus, a file or folder, or - for standard input.")]
_Run = Annotated[Path | None, typer.Option(help="Scores of a system that did not learn from these labels.")]
_Number = Annotated[int, typer.Option("-n", help="How many documents to list.", min=1)]
_Length = Annotated[int, typer.Option(help="Characters of the text to show.", min=0)]
_Seed = Annotated[int, typer.Option(help="The seed of the folds.", min=0)]


@command("suspects")
def suspects(
    data: _Data,
    *,
    run: _Run = None,
    n: _Number = 20,
    length: _Length = 80,
    reading: inputs.Reading,
    seed: _Seed = 0,
    form: Form,
) -> None:
    """List documents whose labels look wrong, with what the scores suggest instead and why.

    Without --run the documents are scored by SVMs that learned from the others (five folds). A person should look:
    some are mislabelled, others are merely unusual.
    """
    from rubricate.labelling.label_suspects import suspects as listed
    from rubricate.labelling.label_suspects import with_labels
    from rubricate.labelling.runs import read_predictions

    documents = inputs.corpus_of(data, reading, seed=seed).train
    if run is None:
        with progress("scoring out of fold"):
            found = listed(documents, limit=n, seed=seed)
    else:
        ids = [str(name) for name in documents.ids]
        found = listed(with_labels(read_predictions(run), ids, documents.labels, documents.categories), limit=n)
    texts = dict(zip(map(str, documents.ids), documents.texts, strict=True))
    if form.chosen == "json":
        rows = [{**asdict(item), "text": texts[item.document]} for item in found]
        typer.echo(json.dumps({"suspects": rows}, ensure_ascii=False, indent=2))
        return
    title = f"Labels worth checking among {len(documents):,} documents"
    if form.chosen == "text":
        typer.echo("\n".join([title, *(line for item in found for line in _block(item, texts[item.document], length))]))
        return
    from rubricate.reports.tables import Table, render

    cells: list[tuple[Any, ...]] = [
        (
            item.document,
            item.score,
            "; ".join(item.given) or "(none)",
            "; ".join(item.suggested) or "(none)",
            item.reason,
            " ".join(texts[item.document].split())[:length],
        )
        for item in found
    ]
    columns = ("document", "surprise", "given", "suggested", "reason", "text")
    typer.echo(render(Table(columns, cells, title), form.chosen))


def _block(item: Suspect, text: str, length: int) -> list[str]:
    """Return a document and its labels in lines for a person; a table of long names and texts would be too wide."""
    given, suggested = ("; ".join(names) or "(none)" for names in (item.given, item.suggested))
    lines = [f"given {given}, suggested {suggested}", item.reason, " ".join(text.split())[:length]]
    wrapped = [part for line in lines for part in wrap(line, WIDTH, initial_indent="  ", subsequent_indent="  ")]
    return ["", f"{item.document} (surprise {item.score:.2f})", *wrapped]
