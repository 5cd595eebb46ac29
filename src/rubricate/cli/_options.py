"""Options that several commands share: what to read, how to cut, which form to print."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rubricate.errors import InvalidInput

__all__ = [
    "Categories",
    "Csv",
    "Cut",
    "Form",
    "HeldOut",
    "HeldOutRun",
    "Intersection",
    "Json",
    "Latex",
    "Markdown",
    "NewCategories",
    "Runs",
    "Topic",
    "Train",
    "TrainCounts",
    "Truth",
    "Undefined",
    "chosen_form",
]

Truth = Annotated[Path, typer.Argument(help="The true labels.")]
Runs = Annotated[list[Path], typer.Argument(help="What each system said; named by the stem of its file.")]
Cut = Annotated[str | None, typer.Option(help="Turn scores into decisions: 0.5, rcut:1, pcut:1.2, scut, micro_macro.")]
Train = Annotated[Path | None, typer.Option(help="Training labels, for pcut and results by frequency.")]
TrainCounts = Annotated[
    Path | None, typer.Option(help="Training documents by category (CSV category,count), for results by frequency.")
]
HeldOut = Annotated[Path | None, typer.Option(help="Truth of held-out documents, for cuts that learn from scores.")]
HeldOutRun = Annotated[
    list[Path] | None, typer.Option(help="The same system's scores of those documents; once for each run, in turn.")
]
Categories = Annotated[Path | None, typer.Option(help="All categories, one a line, if the truth lacks some.")]
NewCategories = Annotated[
    bool, typer.Option("--new-categories", help="Count categories that only a run knows, as never true.")
]
Intersection = Annotated[bool, typer.Option("--intersection", help="Take the documents that all files share.")]
Topic = Annotated[str, typer.Option(help="What the topics of TREC files are: document or category.")]
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
        _ = self.chosen  # two at once are refused before any file is read

    @property
    def chosen(self) -> str:
        """The one form that was asked for; text when none was."""
        return chosen_form(json=self.as_json, csv=self.as_csv, markdown=self.as_markdown, latex=self.as_latex)


def chosen_form(**asked: bool) -> str:
    """The one form that was asked for; text when none was.

    >>> chosen_form(json=False, csv=True)
    'csv'
    """
    forms = [name for name, yes in asked.items() if yes]
    if len(forms) > 1:
        raise InvalidInput(f"--{' and --'.join(forms)} at once; give one of them")
    return forms[0] if forms else "text"
