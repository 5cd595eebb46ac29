"""The measures by name and by kind."""

from __future__ import annotations

from rubricate import registry
from rubricate.errors import InvalidInput
from rubricate.measures.definition.measure import Kind, Measure, bind

__all__ = ["of_kind", "resolve"]

PARAMETRIC = ("f_beta", "e_beta", "extended_f_beta")


def of_kind(kind: Kind) -> dict[str, Measure[...]]:
    """Every measure of a kind by its name; those with a β are left out: they are asked for, as `f_beta:2`."""
    found = {name: registry.load("measures", name) for name in registry.names("measures") if name not in PARAMETRIC}
    return {name: one for name, one in found.items() if getattr(one, "kind", None) == kind}


def resolve(name: str | Measure[...]) -> Measure[...]:
    """A measure by name, those with a β have it behind a colon; a measure is returned as it is.

    >>> resolve("f_beta:2").symbol, resolve("error").greater_is_better
    ('F2', False)
    """
    if not isinstance(name, str):
        return name
    stem, argument = registry.parse(name)
    found: Measure[...] = registry.load("measures", stem)
    if argument is None:
        return found
    if stem not in PARAMETRIC:
        raise InvalidInput(f"measure {stem!r} takes no argument, got {argument!r}; write {stem!r}")
    try:
        beta = float(argument)
    except ValueError:
        raise InvalidInput(f"{name!r}: β must be a number, as in '{stem}:0.5'") from None
    return bind(found, f"{found.symbol.removesuffix('β')}{argument}", beta=beta)
