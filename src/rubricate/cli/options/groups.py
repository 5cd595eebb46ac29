"""Options that belong together, written once: a command takes a dataclass, its user sees the fields as options."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

__all__ = ["Fixed", "grouped"]


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
