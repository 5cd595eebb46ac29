"""Options that belong together, written once: a command takes a dataclass, its user sees the fields as options."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import wraps
from typing import Any, get_type_hints

__all__ = ["grouped"]


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer is to see it: each parameter that is a dataclass is replaced by the dataclass's fields.

    The fields carry the annotations and defaults of the options, in the order of the help. Two fields of one name
    cannot be told apart on a command line: ValueError.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if inspect.isclass(hint) and is_dataclass(hint)}
    options, fields = [], {}
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in groups:
            fields[parameter.name] = _options(groups[parameter.name])
            options += fields[parameter.name]
        else:
            options.append(parameter.replace(annotation=hints[parameter.name]))

    @wraps(command)
    def flat(**given: Any) -> None:
        taken = {name: kind(**{one.name: given.pop(one.name) for one in fields[name]}) for name, kind in groups.items()}
        command(**given, **taken)

    by_keyword = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options]
    flat.__signature__ = inspect.Signature(by_keyword)  # type: ignore[attr-defined]
    flat.__annotations__ = {option.name: option.annotation for option in options}
    return flat


def _options(group: type) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [one.replace(annotation=hints[one.name]) for one in inspect.signature(group).parameters.values()]
