"""`rubricate examples`: worked examples to paste into a terminal."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from rubricate.cli.options import Json
from rubricate.registry import command

__all__ = ["examples"]

EXAMPLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "labelled-text": (
        "You have a table of labelled texts: learn, look inside, label new ones.",
        (
            "rubricate corpus show news.csv",
            "rubricate train news.csv -o news.rubric",
            "rubricate show news.rubric",
            'rubricate classify news.rubric --say "Wheat exports rose in March"',
            "rubricate classify news.rubric new.csv -o decisions.jsonl --json --explain",
        ),
    ),
    "predictions": (
        "You have predictions of any system and the truth: measure and compare.",
        (
            "rubricate evaluate truth.csv theirs.csv",
            "rubricate compare truth.csv ours.csv theirs.csv",
        ),
    ),
    "no-test-set": (
        "You have no test set: estimate, and see what more labels would bring.",
        ("rubricate estimate news.csv", "rubricate estimate news.csv --curve"),
    ),
    "rules": (
        "You want a model that people can read and edit.",
        (
            "rubricate train news.csv --classifier ripper -o rules.rubric",
            "rubricate rules show rules.rubric > edited.rules",
            "rubricate rules run edited.rules new.csv --explain",
        ),
    ),
    "hierarchy": (
        "Your categories form a tree.",
        (
            "rubricate train tagged.csv --classifier top_down --hierarchy tree.tsv -o tags.rubric",
            "rubricate show tags.rubric",
        ),
    ),
    "choose": (
        "You want to try several systems and settings.",
        (
            "rubricate tune news.csv --grid C=0.1,1,10",
            "rubricate study --report report",
            "rubricate reproduce yang-liu-1999",
        ),
    ),
    "formats": (
        "Your documents come from another tool.",
        (
            "rubricate convert export.json --format labelstudio -o documents.csv",
            "rubricate train train.txt --format fasttext -o model.rubric",
            "rubricate convert documents.csv --to argilla -o records.json",
        ),
    ),
}
"""Name, purpose and commands of each example; tests run every command."""


@command("examples")
def examples(
    name: Annotated[str | None, typer.Argument(help="One example; all of them by default.")] = None,
    *,
    as_json: Json = False,
) -> None:
    """Print worked examples to paste, arranged by what you have and what you want."""
    from rubricate.errors import UnknownName

    if name is not None and name not in EXAMPLES:
        raise UnknownName("example", name, EXAMPLES)
    chosen = EXAMPLES if name is None else {name: EXAMPLES[name]}
    if as_json:
        rows = [{"name": key, "purpose": purpose, "commands": lines} for key, (purpose, lines) in chosen.items()]
        typer.echo(json.dumps(rows, indent=2))
        return
    parts = [f"# {key}: {purpose}\n" + "\n".join(lines) for key, (purpose, lines) in chosen.items()]
    typer.echo("\n\n".join(parts))
