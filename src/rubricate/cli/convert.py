"""`rubricate convert`: documents in one format → the same documents in another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from rubricate.cli import document_options as inputs
from rubricate.cli.options import Json
from rubricate.registry import command

__all__ = ["convert"]

_Output = Annotated[Path, typer.Option("--output", "-o", help="The file to write.")]
_To = Annotated[str | None, typer.Option("--to", help="Its format; by default the file name decides.")]


@command("convert")
def convert(
    data: inputs.Data, output: _Output, *, to: _To = None, reading: inputs.Reading, as_json: Json = False
) -> None:
    """Write documents in another format: CSV, TSV, JSON lines, Parquet, fastText, Label Studio, doccano or Argilla.

    Ids, texts, titles, labels and splits are preserved; what a format cannot hold is an error, not a loss.
    (fastText holds neither ids nor line breaks.)
    """
    from rubricate import registry
    from rubricate.corpora import load
    from rubricate.io.writing import write_documents

    if data in registry.names("corpora"):
        count = write_documents(load(data), output, format=to)
    else:
        count = write_documents(inputs.stream(data, reading), output, format=to)
    result = {"file": str(output), "documents": count}
    typer.echo(json.dumps(result, ensure_ascii=False) if as_json else f"{output}: {count:,} documents")
