"""A classifier by its name, with the parameters that it cannot do without."""

from __future__ import annotations

import inspect
from collections.abc import MutableMapping
from typing import Any

from rubricate import registry
from rubricate.errors import InvalidInput

__all__ = ["make_classifier"]


def make_classifier(name: str, parameters: MutableMapping[str, Any] | None = None) -> Any:
    """The classifier of this name; parameters without a default are taken out of `parameters`.

    >>> make_classifier("knn"), make_classifier("construe", {"rules": "reuters10"})
    (KNN(), Construe(rules='reuters10'))
    >>> make_classifier("construe")
    Traceback (most recent call last):
    rubricate.errors.InvalidInput: the classifier 'construe' needs a value for rules; give rules=VALUE (in a shell,
    --set rules=VALUE)
    """
    kind, given = registry.load("classifiers", name), {} if parameters is None else parameters
    known = inspect.signature(kind).parameters.values()
    needed = [one.name for one in known if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
    missing = [one for one in needed if one not in given]
    if missing:
        how = f"{missing[0]}=VALUE (in a shell, --set {missing[0]}=VALUE)"
        raise InvalidInput(f"the classifier {name!r} needs a value for {missing[0]}; give {how}")
    return kind(**{one: given.pop(one) for one in needed})
