"""`rubricate export`: a model for MLflow, ONNX or skops."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rubricate.registry import command

__all__ = ["export"]


class ExportTarget(StrEnum):
    """What a model can be exported to."""

    MLFLOW = "mlflow"
    ONNX = "onnx"
    SKOPS = "skops"


_Model = Annotated[Path, typer.Argument(help="A file that 'rubricate train' wrote.")]
_Output = Annotated[Path, typer.Option("--output", "-o", help="The folder (MLflow) or file (ONNX, skops) to write.")]


@command("export")
def export(
    model: _Model, output: _Output, *, to: Annotated[ExportTarget, typer.Option("--to", help="For which program.")]
) -> None:
    """Write a model for another program, without pickle.

    MLflow gets a folder that mlflow.pyfunc opens. ONNX gets the linear classifier of a model of vectors; texts are
    refused, because ONNX cannot count our words. skops gets the same classifier as a scikit-learn estimator.
    """
    from rubricate.training.categorizer import Categorizer
    from rubricate.training.exports import export_mlflow, export_onnx, export_skops

    writers = {ExportTarget.MLFLOW: export_mlflow, ExportTarget.ONNX: export_onnx, ExportTarget.SKOPS: export_skops}
    typer.echo(str(writers[to](Categorizer.open(model), output)))
