"""`rubricate rules`: check a file of rules, print those of a model, run them on documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli import document_options as inputs
from rubricate.cli.answers import Answering
from rubricate.cli.options import Json, grouped
from rubricate.errors import InvalidInput, UnknownName
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.rules.form import RuleBase
    from rubricate.types import Documents

__all__ = ["rules"]

rules = command("rules")(typer.Typer(no_args_is_help=True, help="Check, show and run rules, hand-written or learned."))

ARCHIVE = b"PK"
"""The first bytes of a model file."""
TOGETHER = 16_384
"""Documents that rules are run on together: every rule has a cost per batch, however small the batch is."""

_File = Annotated[str, typer.Argument(help="A file of rules, or the name of a base that comes with Rubricate.")]
_Source = Annotated[str, typer.Argument(help="A file of rules, or a model with rules or trees.")]
_Data = Annotated[str, typer.Argument(help="A corpus, a file or folder, or - for standard input.")]
_Categories = Annotated[
    Path | None, typer.Option(help="The categories that rules may be for, one per line; others are an error.")
]
_Category = Annotated[list[str] | None, typer.Option(help="Only the rules for this category; may be repeated.")]
_Split = Annotated[str | None, typer.Option(help="For a corpus: the test documents of this split.")]


@rules.command()
def check(file: _File, categories: _Categories = None, as_json: Json = False) -> None:
    """Read a file of rules and say what is in it; errors are reported by line and column.

    Also shown: macros that no rule uses, and rules that occur twice.
    """
    from rubricate.rules.parser import read_rules
    from rubricate.rules.sources import analysed
    from rubricate.training.rule_models import rule_analyzer

    if _is_model(Path(file)):
        raise InvalidInput(f"{file} is a model; 'rubricate rules show {file}' prints its rules, for a file to check")
    base = read_rules(file, categories=_listed(categories))
    analyzer = rule_analyzer(base)
    analysed(base, analyzer)
    description = _description(base) | {"analyzer": analyzer.signature()}
    typer.echo(json.dumps(description, indent=2, ensure_ascii=False) if as_json else _text(description))


@rules.command()
def show(source: _Source, category: _Category = None) -> None:
    """Print the rules of a trained model, or of another file, in the form of a rule file.

    What is printed can be edited and run again; see docs/guides/rules.md.
    """
    from rubricate.rules.form import RuleBase
    from rubricate.rules.printer import format_rules

    base = _rules_in(source)
    for name in category or ():
        if name not in base.categories:
            raise UnknownName("category with rules", name, base.categories)
    chosen = tuple(rule for rule in base.rules if not category or rule.category in category)
    typer.echo(format_rules(RuleBase(chosen, base.macros, base.analyzer)), nl=False)


@rules.command()
@grouped
def run(
    file: _Source,
    data: _Data,
    *,
    split: _Split = None,
    reading: inputs.UnlabelledReading,
    answering: Answering,
) -> None:
    """Put documents under the categories whose rules hold; any number of them, in constant memory.

    The output is that of 'rubricate classify', which 'evaluate' and 'compare' read: CSV id,labels; with --top one row
    per category, id,category,score,decision; --explain adds the column evidence; --json gives one object per line.
    """
    from rubricate.cli.output import progress
    from rubricate.text.evidence import EvidenceLocator
    from rubricate.training.answers import AnswerColumns
    from rubricate.training.rule_models import rule_answers, rule_model

    answering.check_output()
    model = rule_model(_rules_in(file))
    answering.check(model.categories_)
    answering.write(
        _batches(data, reading, split),
        lambda batch: AnswerColumns.of(rule_answers(model, batch, top=answering.top, explain=answering.reasons)),
        progress("running rules", None),
        locate=EvidenceLocator().locate,
    )


def _rules_in(source: str) -> RuleBase:
    """Read the rules of a model file or of a rule file."""
    from rubricate.rules.parser import read_rules

    path = Path(source)
    if not _is_model(path):
        return read_rules(source)
    from rubricate.training import model_file
    from rubricate.training.rule_models import rules_of

    return rules_of(model_file.open(path))


def _is_model(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(ARCHIVE)) == ARCHIVE


def _listed(path: Path | None) -> list[str] | None:
    if path is None:
        return None
    try:
        return [line.strip() for line in path.read_text("utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"--categories {path}: cannot read it ({error}); give a text file, one category per line"
        ) from None


def _batches(data: str, reading: inputs.Reading, split: str | None) -> Iterator[Documents]:
    from rubricate import registry
    from rubricate.io.batches import grouped

    if split is None:
        return inputs.batches(data, reading, batch=TOGETHER)
    if data not in registry.names("corpora"):
        raise InvalidInput(f"--split {split}: {data} is not a corpus, only corpora have splits; leave out --split")
    return grouped(inputs.corpus_records(data, split), TOGETHER)


def _description(base: RuleBase) -> dict[str, Any]:
    from rubricate.rules.parser import uses
    from rubricate.rules.printer import format_rule

    counted = Counter(rule.category for rule in base.rules)
    used = {name for rule in base.rules for name in uses(rule.condition)}
    macros = dict(base.macros)
    pending = list(used)
    while pending:
        more = uses(macros[pending.pop()]) - used
        used |= more
        pending.extend(more)
    twice = [format_rule(rule) for rule, times in Counter(base.rules).items() if times > 1]
    return {
        "rules": len(base.rules),
        "learned": sum(rule.positives is not None for rule in base.rules),
        "macros": len(macros),
        "categories": dict(counted),
        "unused_macros": [name for name in macros if name not in used],
        "repeated_rules": twice,
    }


def _text(description: dict[str, Any]) -> str:
    lines = [
        f"{description['rules']} rules ({description['learned']} learned), {description['macros']} macros, "
        f"{len(description['categories'])} categories; texts are read as {description['analyzer']}"
    ]
    width = max((len(name) for name in description["categories"]), default=0)
    lines += [f"  {name:<{width}}  {count}" for name, count in description["categories"].items()]
    lines += [f"unused: @{name}" for name in description["unused_macros"]]
    lines += [f"twice: {rule}" for rule in description["repeated_rules"]]
    return "\n".join(lines)
