"""`rubricate label`: from a file of documents to labelling in a browser, in one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rubricate.cli.options import Fixed
from rubricate.errors import InvalidInput, MissingExtra
from rubricate.io.reading import Reading
from rubricate.registry import command

__all__ = ["label"]

_Documents = Annotated[
    str, typer.Argument(metavar="DOCS", help="A file or folder of documents, with or without labels.")
]
_Model = Annotated[Path | None, typer.Option(help="A model whose suggestions and categories are used.")]
_Workspace = Annotated[
    Path | None, typer.Option(help="Where to keep the labels; by default NAME-labels in the current folder.")
]
_Port = Annotated[int, typer.Option(help="The port to listen on; 0 for a free one.", min=0, max=65535)]
_Categories = Annotated[
    list[str] | None,
    typer.Option("--category", help="A category; may be repeated. By default those of the file or model."),
]
_Single = Annotated[bool, typer.Option("--single", help="Every document gets exactly one label.")]
_Open = Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")]


@command("label")
def label(
    docs: _Documents,
    *,
    model: _Model = None,
    workspace: _Workspace = None,
    port: _Port = 0,
    category: _Categories = None,
    single: _Single = False,
    browser: _Open = True,
    reading: Annotated[Reading, Fixed(split=None)],
) -> None:
    """Label documents in a browser: start the service on a workspace with them and open the page.

    Categories come from --category, the labels in the file, or the model. Labels are kept in the workspace as events;
    the same command continues from there later, and so does 'rubricate serve --workspace DIR'.
    """
    try:
        from rubricate.service.labelling import start_labelling
    except ImportError as error:
        raise MissingExtra("serve", "The commands of the service") from error
    if model is not None and not model.is_file():
        raise InvalidInput(f"--model {model}: no such file")
    folder = workspace or Path(f"{Path(docs).resolve().stem}-labels")
    start_labelling(
        docs,
        folder.resolve(),
        reading=reading,
        model=None if model is None else model.resolve(),
        categories=category or [],
        single=single,
        port=port,
        browser=browser,
    )
