"""Division with a stated answer for 0/0."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Literal, ParamSpec, Protocol, TypeAlias, cast

import numpy as np

from rubricate import registry
from rubricate.errors import InvalidInput, UnknownName
from rubricate.types import Floats, Undefined

__all__ = ["ZERO_OVER_ZERO", "Kind", "Measure", "bind", "measure", "of_kind", "ratio", "resolve", "undefined_value"]

ZERO_OVER_ZERO: dict[str, float] = {"zero": 0.0, "one": 1.0, "omit": math.nan}
"""What 0/0 counts as under each convention; NaN is left out of means."""


def undefined_value(undefined: Undefined) -> float:
    """Return the value of 0/0 under a convention.

    >>> undefined_value("one")
    1.0
    """
    if undefined not in ZERO_OVER_ZERO:
        raise UnknownName("convention for 0/0", str(undefined), ZERO_OVER_ZERO)
    return ZERO_OVER_ZERO[undefined]


def ratio(numerator: Any, denominator: Any, undefined: Undefined) -> Floats:
    """Divide entry by entry; a denominator of 0 gives the value of the convention.

    >>> ratio([1, 0], [2, 0], "one").tolist()
    [0.5, 1.0]
    """
    above, below = np.asarray(numerator, np.float64), np.asarray(denominator, np.float64)
    quotient = np.full(np.broadcast_shapes(above.shape, below.shape), undefined_value(undefined))
    return np.divide(above, below, out=quotient, where=below != 0)


Kind: TypeAlias = Literal[
    "counts", "documents", "cuts", "ranking", "probability", "scores", "extended", "ancestors", "lca"
]
P = ParamSpec("P")


class Measure(Protocol[P]):
    """A function with four attributes; `parameter` names the option that stands behind a colon, as in `f_beta:2`."""

    kind: Kind
    symbol: str
    greater_is_better: bool
    parameter: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Floats:
        """Return the values, one per item."""
        ...


def measure(
    name: str, kind: Kind, symbol: str, *, greater_is_better: bool = True, parameter: str = ""
) -> Callable[[Callable[P, Floats]], Measure[P]]:
    """Register a function as a measure under a name.

    >>> @measure("hits", "counts", "TP")
    ... def hits(counts, *, undefined="zero"):
    ...     return counts.tp.astype(float)
    >>> hits.kind, hits.symbol, hits.greater_is_better
    ('counts', 'TP', True)
    """

    def mark(function: Callable[P, Floats]) -> Measure[P]:
        marked = cast(Any, function)
        marked.kind, marked.symbol, marked.greater_is_better = kind, symbol, greater_is_better
        marked.parameter = parameter
        return cast(Measure[P], registry.register("measures", name, function))

    return mark


def bind(function: Measure[...], symbol: str, **options: Any) -> Measure[...]:
    """Fix some options of a measure; the result is a measure again."""
    fixed = functools.wraps(cast(Any, function))(functools.partial(cast(Any, function), **options))
    marked = cast(Any, fixed)
    marked.kind, marked.symbol = function.kind, symbol
    marked.greater_is_better, marked.parameter = function.greater_is_better, ""
    return cast(Measure[...], marked)


def of_kind(kind: Kind, *, parametric: bool = False) -> dict[str, Measure[...]]:
    """Return every measure of a kind by its name; `parametric` gives those that take a parameter, as `f_beta:2`."""
    measures = {name: registry.load("measures", name) for name in registry.names("measures")}
    return {
        name: measure
        for name, measure in measures.items()
        if getattr(measure, "kind", None) == kind and bool(getattr(measure, "parameter", "")) == parametric
    }


def resolve(name: str | Measure[...]) -> Measure[...]:
    """Return the measure of a name, with its parameter behind a colon; a measure is returned as it is.

    >>> resolve("f_beta:2").symbol, resolve("error").greater_is_better
    ('F2', False)
    """
    if not isinstance(name, str):
        return name
    stem, argument = registry.parse(name)
    measure: Measure[...] = registry.load("measures", stem)
    if argument is None:
        return measure
    if not measure.parameter:
        raise InvalidInput(f"measure {stem!r} takes no argument, got {argument!r}; write {stem!r}")
    try:
        value = float(argument)
    except ValueError:
        letter = "β" if measure.parameter == "beta" else measure.parameter
        raise InvalidInput(f"{name!r}: {letter} must be a number, as in '{stem}:0.5'") from None
    return bind(measure, f"{measure.symbol.removesuffix('β')}{argument}", **{measure.parameter: value})
