"""Options about what a command prints."""

from __future__ import annotations

import inspect
import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.storage import CONFIG_VARIABLE, config_file

__all__ = ["Csv", "Fixed", "Form", "Json", "Latex", "Markdown", "Undefined", "chosen_form", "defaults", "grouped"]

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


def defaults(app: typer.Typer) -> dict[str, Any]:
    """Return the defaults of the commands of a program as Click takes them: parameters of each command by name."""
    path = config_file()
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        if os.environ.get(CONFIG_VARIABLE):
            problem = f"no such file, though {CONFIG_VARIABLE} names it"
            raise InvalidFile(problem, path=path, remedy=f"make it, or unset {CONFIG_VARIABLE}") from None
        return {}
    except (OSError, ValueError, RecursionError) as error:
        remedy = "write TOML: [train], then folds = 10"
        raise InvalidFile(f"defaults cannot be read ({error})", path=path, remedy=remedy) from error
    group: Any = typer.main.get_command(app)
    known = group.commands
    chosen = {name: table for name, table in tables.items() if name in known}
    return {name: _parameters(known[name], table, path) for name, table in chosen.items()}


def _parameters(command: Any, table: Any, path: Path) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise InvalidFile(f"{command.name} must be a table", path=path, remedy=f"write [{command.name}]")
    if nested := getattr(command, "commands", None):  # a group such as `corpus`: one table per command inside
        return {name: _parameters(nested[name], inner, path) for name, inner in table.items() if name in nested}
    options = {option.lstrip("-"): each for each in command.params for option in (*each.opts, *each.secondary_opts)}
    values = {}
    for name, value in table.items():
        if name not in options:
            raise UnknownName(f"option of {command.name} in {path}", name, options)
        values[options[name].name] = value
    return values


class Fixed:
    """Marks a group of options some fields of which a command does not offer, and gives the values of those fields.

    `Annotated[Reading, Fixed(labels=None)]` is a `Reading` without the option `--labels`.
    """

    def __init__(self, **values: Any) -> None:
        self.values = values


@dataclass(frozen=True)
class _Group:
    """A parameter whose dataclass is shown as options."""

    kind: Callable[..., Any]
    options: list[inspect.Parameter]
    fixed: dict[str, Any] = field(default_factory=dict)

    def take(self, values: dict[str, Any]) -> Any:
        """Make the dataclass from values, which lose the fields that it takes."""
        return self.kind(**{option.name: values.pop(option.name) for option in self.options}, **self.fixed)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for Typer: each parameter that is a dataclass is replaced by the dataclass's fields.

    A field is annotated as Typer wants it, `Annotated[T, typer.Option(…)]`, or with its help alone,
    `Annotated[T, "…"]`. Options come in the order of the parameters and fields. Two fields of the same name cannot be
    told apart on a command line: ValueError.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: group for name, hint in hints.items() if (group := _group(hint)) is not None}
    options: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in groups:
            options += groups[parameter.name].options
        else:
            options.append(parameter.replace(annotation=hints[parameter.name]))

    @wraps(command)
    def flat(**values: Any) -> None:
        taken = {name: group.take(values) for name, group in groups.items()}
        command(**values, **taken)

    by_keyword = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options]
    flat.__signature__ = inspect.Signature(by_keyword)  # type: ignore[attr-defined]
    flat.__annotations__ = {option.name: option.annotation for option in options}
    return flat


def _group(hint: Any) -> _Group | None:
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if not (inspect.isclass(kind) and is_dataclass(kind)):
        return None
    fixed = {name: value for note in notes if isinstance(note, Fixed) for name, value in note.values.items()}
    hints = get_type_hints(kind, include_extras=True)
    parameters = [each for each in inspect.signature(kind).parameters.values() if each.name not in fixed]
    return _Group(kind, [each.replace(annotation=_option(each.name, hints[each.name])) for each in parameters], fixed)


def _option(name: str, hint: Any) -> Any:
    """Make a Typer option of a hint that has only its help."""
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if notes and isinstance(notes[0], str):
        return Annotated[kind, typer.Option(f"--{name.replace('_', '-')}", help=notes[0])]
    return hint
