"""`rubricate card`: a model card in Markdown or HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rubricate.cli.output import check_ending
from rubricate.registry import command

__all__ = ["card"]

_Model = Annotated[Path, typer.Argument(help="A file that 'rubricate train' wrote.")]
_Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="The file to write, .md or .html; Markdown is printed without it.")
]
_Terms = Annotated[int, typer.Option("--terms", help="How many terms to show for each category; 0 for none.", min=0)]


@command("card")
def card(model: _Model, *, output: _Output = None, terms: _Terms = 8) -> None:
    """Write a model card: what the model is, what it learned from, how well it does, its limits, its categories.

    What the file does not know (origin of the documents, intended use) is left to fill in.
    """
    from rubricate.reports.model_card import card_html, card_markdown, describe_model
    from rubricate.storage import write_file
    from rubricate.training.categorizer import Categorizer

    check_ending("-o", output, (".md", ".html", ".htm"), optional=True)
    described = describe_model(Categorizer.open(model), terms)
    if output is None:
        typer.echo(card_markdown(model.stem, described), nl=False)
        return
    page = output.suffix.lower() in (".html", ".htm")
    write_file(output, (card_html if page else card_markdown)(model.stem, described).encode())
    typer.echo(str(output))
