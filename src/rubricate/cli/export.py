"""`rubricate export`: a model for MLflow or ONNX."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["export"]


class ExportTarget(StrEnum):
    """What a model can be exported to."""

    MLFLOW = "mlflow"
    ONNX = "onnx"


_Model = Annotated[Path, typer.Argument(help="A file that 'rubricate train' wrote.")]
_Output = Annotated[Path, typer.Option("--output", "-o", help="The folder (MLflow) or file (ONNX) to write.")]


def export(
    model: _Model, output: _Output, *, to: Annotated[ExportTarget, typer.Option("--to", help="For which program.")]
) -> None:
    """Write a model for another program, without pickle.

    MLflow gets a folder that mlflow.pyfunc opens. ONNX gets the linear classifier of a model of vectors; texts are
    refused, because ONNX cannot count our words.
    """
    from rubricate.categorizer import Categorizer
    from rubricate.files.exports import export_mlflow, export_onnx

    write = export_onnx if to is ExportTarget.ONNX else export_mlflow
    typer.echo(str(write(Categorizer.open(model), output)))
