"""Parameters that may name a file: a model keeps what the file says, never its path.

A model from somebody else could otherwise make its reader open any file: as a stop list, as rules, as names.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

from rubricate.errors import InvalidFile

__all__ = ["check_paths", "contents"]


class _FileParameter(NamedTuple):
    """Whether a value names a file, and what to keep in its place."""

    names_file: Callable[[Any], bool]
    content: Callable[[Any], Any]


def _is_stop_file(value: Any) -> bool:
    from rubricate.text.stop_lists import stop_lists  # here, so that a reader of plain values can do without

    return isinstance(value, (str, PurePath)) and value not in {*stop_lists(), "english", "none"}


def _is_rule_file(value: Any) -> bool:
    return isinstance(value, PurePath) or (isinstance(value, str) and ";" not in value)


def _stop_words(value: Any) -> Any:
    from rubricate.text.stop_lists import stop_words

    return sorted(stop_words(value))


def _rules(value: Any) -> Any:
    from rubricate.rules.parser import read_rules

    return read_rules(value)


def _names(value: Any) -> Any:
    from rubricate.classifiers.words.names import read_names

    return read_names(value)


_PARAMETERS = {
    ("Analyzer", "stop"): _FileParameter(_is_stop_file, _stop_words),
    ("construe", "rules"): _FileParameter(_is_rule_file, _rules),
    ("word", "names"): _FileParameter(lambda value: isinstance(value, (str, PurePath)), _names),
}


def contents(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an estimator with the content of files in place of their paths.

    A file that is gone is left out, with a warning: what was learned from it is kept elsewhere, and saving must not
    fail for it.
    """
    kept = dict(params)
    for (owner, parameter), known in _PARAMETERS.items():
        if owner == name and parameter in kept and known.names_file(kept[parameter]):
            kept[parameter] = _content(known, kept[parameter])
    return kept


def _content(known: _FileParameter, value: Any) -> Any:
    try:
        return known.content(value)
    except InvalidFile as error:
        warnings.warn(f"{error} The model is saved without it.", stacklevel=2)
        return None


def check_paths(name: str, params: Mapping[str, Any]) -> None:
    """Raise ValueError if a parameter from a model file names a file."""
    for (owner, parameter), known in _PARAMETERS.items():
        if owner == name and parameter in params and known.names_file(params[parameter]):
            raise ValueError(f"the parameter {parameter} names a file; a model holds what it needs")
