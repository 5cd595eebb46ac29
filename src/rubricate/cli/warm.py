"""`rubricate warm`: deprecated; the compiled code comes with the package."""

from __future__ import annotations

import json

import typer

from rubricate.cli.options import Json
from rubricate.registry import command

__all__ = ["warm"]

MESSAGE = "there is nothing to compile: the compiled code comes with the package. Fix: remove this call of `warm`"


@command("warm")
def warm(as_json: Json = False) -> None:
    """Do nothing (deprecated).

    Earlier versions compiled their loops here, for container images and continuous integration. The command will be
    removed in version 0.4.
    """
    if as_json:
        typer.echo(json.dumps({"compiled": 0, "seconds": 0.0, "left_out": []}))
        return
    typer.echo(f"rubricate: {MESSAGE}", err=True)
