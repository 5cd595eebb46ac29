"""A categorizer from plain settings, as a command line or a plan gives them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rubricate.categorizer.categorizer import Categorizer
from rubricate.errors import InvalidInput, UnknownName
from rubricate.text.analyzer import Analyzer
from rubricate.training.making import make_classifier

__all__ = ["configured", "read_setting"]

PREFIX = "classifier__"


def read_setting(pair: str) -> tuple[str, Any]:
    """NAME=VALUE; a value that reads as JSON (a number, true, null, a list) is that, else text.

    >>> read_setting("C=2"), read_setting("analyzer__stem=porter2"), read_setting("select=null")
    (('C', 2), ('analyzer__stem', 'porter2'), ('select', None))
    """
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise InvalidInput(f"expected NAME=VALUE, such as C=2, got {pair!r}")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value


def configured(settings: Mapping[str, Any]) -> Categorizer:
    """A categorizer with these settings: its own parameters, or those of a part, such as `analyzer__stem`.

    A name that is neither is a parameter of the classifier: `k` stands for `classifier__k`. Parameters of a classifier
    that is not named are those of the default one, an SVM, whose C is then not tuned.

    >>> configured({"classifier": "knn", "k": 30, "select": "chi2:2415"})
    Categorizer(classifier=KNN(k=30), select='chi2:2415')
    """
    made = Categorizer()
    own = {name: value for name, value in settings.items() if name in made.get_params(deep=False)}
    parts = {name: value for name, value in settings.items() if name not in own}
    made.set_params(**own)
    parts = {name if "__" in name else f"{PREFIX}{name}": value for name, value in parts.items()}
    if any(name.startswith(PREFIX) for name in parts):
        made.set_params(classifier=_classifier(made.classifier, parts))
    if any(name.startswith("analyzer__") for name in parts) and made.analyzer is None:
        made.set_params(analyzer=Analyzer(title=2))
    for name, value in parts.items():
        _set(made, name, value)
    return made


def _classifier(given: Any, parts: dict[str, Any]) -> Any:
    """The classifier, made with those of its parameters that it needs, which are taken out of `parts`."""
    if given is not None and not isinstance(given, str):
        return given
    own = {name.removeprefix(PREFIX): value for name, value in parts.items() if name.startswith(PREFIX)}
    found = make_classifier(given or "svm", own)
    for name in [name for name in parts if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in own]:
        del parts[name]
    return found


def _set(made: Categorizer, name: str, value: Any) -> None:
    part, _, rest = name.partition("__")
    known = made.get_params(deep=False)
    if part not in known:
        raise UnknownName("setting", part, known)
    if not hasattr(known[part], "get_params"):
        raise InvalidInput(f"{name!r}: {part}={known[part]!r} has no parameters of its own")
    if rest.partition("__")[0] not in known[part].get_params(deep=False):
        raise UnknownName(f"parameter of the {part}", rest, known[part].get_params(deep=False))
    made.set_params(**{name: value})
