"""The measures by name and by kind."""

from __future__ import annotations

from rubricate import registry
from rubricate.errors import InvalidInput
from rubricate.measures.definition.measure import Kind, Measure, bind

__all__ = ["of_kind", "resolve"]


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
