"""Tables by name on standard output: all of them for readers, one of them for programs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from rubricate.errors import UnknownName

if TYPE_CHECKING:
    from rubricate.reports.tables import Table

__all__ = ["print_tables"]


def print_tables(tables: Mapping[str, Table], form: str, *, only: str | None = None) -> None:
    """Print the tables, or the one named `only`. CSV has one table per stream: the first, and a word on the others."""
    from rubricate.reports.tables import render

    if only is not None:
        if only not in tables:
            raise UnknownName("table here", only, tables)
        tables = {only: tables[only]}
    elif form == "csv" and len(tables) > 1:
        first, *others = tables
        print(f"rubricate: this is the table {first}; --table gives {', '.join(others)}", file=sys.stderr)
        tables = {first: tables[first]}
    typer.echo("\n\n".join(render(table, form) for table in tables.values()))
