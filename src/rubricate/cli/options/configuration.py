"""The user's own defaults for options: a TOML file with one table per command.

    [train]
    folds = 10

    [evaluate]
    undefined = "omit"

The file is the one that `RUBRICATE_CONFIG` names, or else `config.toml` in the user's configuration folder. Options
given on the command line override it.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import typer

from rubricate.errors import InvalidFile, UnknownName
from rubricate.user_folders import CONFIG_VARIABLE, config_file

__all__ = ["defaults"]


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
