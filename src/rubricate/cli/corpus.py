"""`rubricate corpus`: list, fetch and describe corpora."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from rubricate.cli.options import Json
from rubricate.registry import command

__all__ = ["corpus"]

corpus = command("corpus")(
    typer.Typer(no_args_is_help=True, help="List, fetch and describe corpora; also the user's own files.")
)

_MANY = 100_000

_Folder = Annotated[Path | None, typer.Option("--folder", help="Look here instead of RUBRICATE_DATA and the cache.")]


@corpus.command("list")
def list_corpora(as_json: Json = False, folder: _Folder = None) -> None:
    """List every corpus, its splits, and whether it is on this machine."""
    from rubricate import registry
    from rubricate.cli.summaries import listing
    from rubricate.corpora import missing, source

    rows = [
        {
            "name": each.name,
            "title": each.title,
            "splits": list(each.splits),
            "options": list(each.options()),
            "synthetic": each.synthetic,
            "here": not missing(each, each.splits[0], folder),
            "licence": each.licence,
        }
        for each in map(source, registry.names("corpora"))
    ]
    typer.echo(json.dumps(rows, indent=2) if as_json else listing(rows))


@corpus.command("fetch")
def fetch_corpus(
    name: Annotated[str, typer.Argument(help="A corpus of 'rubricate corpus list'.")],
    *,
    split: Annotated[str | None, typer.Option(help="Get the files of this split; by default of the first.")] = None,
    origin: Annotated[
        Path | None, typer.Option("--from", help="A file or folder that you have, instead of a download.")
    ] = None,
    folder: Annotated[Path | None, typer.Option("--folder", help="Put it here instead of the user's cache.")] = None,
    as_json: Json = False,
) -> None:
    """Download a corpus, or take it from PATH; its digests are checked, its licence is shown.

    The same command resumes an interrupted download. Only files whose digests match are kept.
    """
    from rubricate.cli.output import progress
    from rubricate.corpora import fetch, missing, source

    chosen = source(name)
    split = chosen.choose(split)
    typer.echo(f"{chosen.title}. Licence: {chosen.licence}", err=True)
    if not chosen.files:
        typer.echo(f"{name} is generated; there is nothing to fetch.", err=True)
    with progress(in_bytes=True) as download:
        paths = [str(path) for path in fetch(chosen, split=split, origin=origin, folder=folder, progress=download)]
    if absent := missing(chosen, split, folder):
        typer.echo(f"still missing: {', '.join(absent)}", err=True)
    typer.echo(json.dumps({"name": name, "files": paths}, indent=2) if as_json else "\n".join(paths))


@corpus.command()
def show(
    name: Annotated[str, typer.Argument(help="A corpus, or the path of your own file or folder.")],
    *,
    split: Annotated[
        str | None, typer.Option(help="One of the corpus's splits; for a path, the split column ('' for none).")
    ] = None,
    as_json: Json = False,
    duplicates: Annotated[
        bool | None,
        typer.Option(help=f"Look for duplicates; by default up to {_MANY:,} documents."),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the reader.")
    ] = None,
    folder: _Folder = None,
) -> None:
    """Describe a corpus: documents, categories, labels, skew, histogram, duplicates, licence."""
    from rubricate import registry
    from rubricate.cli.summaries import description
    from rubricate.corpora import find_duplicates, load, source, summary

    loaded = load(name, split=split, folder=folder, **_options(option or []))
    wanted = len(loaded.train) + len(loaded.test) <= _MANY if duplicates is None else duplicates
    if duplicates is None and not wanted:
        typer.echo(f"more than {_MANY:,} documents: give --duplicates to look for duplicates anyway", err=True)
    described = summary(
        loaded,
        source=source(name) if name in registry.names("corpora") else None,
        duplicates=find_duplicates(loaded) if wanted else None,
    )
    typer.echo(json.dumps(described, indent=2) if as_json else description(described, terminal=sys.stdout.isatty()))


def _options(pairs: list[str]) -> dict[str, Any]:
    """Parse NAME=VALUE into keyword arguments; a value that is JSON (a number, true, null) is read as JSON."""
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise typer.BadParameter(f"expected NAME=VALUE, got {pair!r}", param_hint="--option")
        if name in ("name", "split", "folder"):
            raise typer.BadParameter(
                f"{name} is not an option of a reader; give NAME, --split S, --folder F", param_hint="-o"
            )
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options
