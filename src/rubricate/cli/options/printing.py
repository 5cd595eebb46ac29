"""Options about what a command prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from rubricate.errors import InvalidInput

__all__ = ["Csv", "Form", "Json", "Latex", "Markdown", "Undefined", "chosen_form"]

Undefined = Annotated[str, typer.Option(help="What 0/0 counts as: zero, one, or omit (left out of means).")]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Csv = Annotated[bool, typer.Option("--csv", help="CSV with all digits.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Markdown tables.")]
Latex = Annotated[bool, typer.Option("--latex", help="LaTeX tables (booktabs).")]


@dataclass(frozen=True)
class Form:
    """How the tables of a command are printed."""

    as_json: Json = False
    as_csv: Csv = False
    as_markdown: Markdown = False
    as_latex: Latex = False

    def __post_init__(self) -> None:
        _ = self.chosen  # refuse two at once before any file is read

    @property
    def chosen(self) -> str:
        """Form that was asked for; text when none was."""
        return chosen_form(json=self.as_json, csv=self.as_csv, markdown=self.as_markdown, latex=self.as_latex)


def chosen_form(**asked: bool) -> str:
    """Return the form that was asked for; text when none was.

    >>> chosen_form(json=False, csv=True)
    'csv'
    """
    forms = [name for name, yes in asked.items() if yes]
    if len(forms) > 1:
        raise InvalidInput(f"--{' and --'.join(forms)} at once; give one of them")
    return forms[0] if forms else "text"
