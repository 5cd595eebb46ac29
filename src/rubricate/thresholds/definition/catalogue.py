"""A threshold from its object, its shorthand or a number; the one place where shorthand is read."""

from __future__ import annotations

from numbers import Real
from typing import Any

from sklearn.base import clone

from rubricate import registry
from rubricate.errors import InvalidInput
from rubricate.thresholds.definition.threshold import Threshold
from rubricate.types import Sparse

__all__ = ["decide", "resolve"]


def resolve(cut: str | float | Threshold) -> Threshold:
    """Return an unfitted threshold from a name with one argument, a number (a fixed cut), or a copy of an object.

    The argument is t of `"rcut:2"`, x of `"pcut:1.2"`, fbr of `"scut:0.3"`, the cut of `"fixed:0.5"`, the weight of
    `"micro_macro:0.5"`, the rank of `"rank_limit:10"`; without one the default stands. A number as text, as a command
    line has it, is the number.

    >>> resolve("rcut:2"), resolve(0.5), resolve("0.5")
    (Rcut(t=2), FixedCut(cut=0.5), FixedCut(cut=0.5))
    """
    if isinstance(cut, str):
        return _named(f"fixed:{cut}" if _is_number(cut) else cut)
    if isinstance(cut, Real) and not isinstance(cut, bool):
        return registry.load("thresholds", "fixed")(cut=float(cut))
    if callable(getattr(cut, "decide", None)) and not isinstance(cut, type):
        return clone(cut)
    raise InvalidInput(f"expected a threshold such as 'scut' or rb.thresholds.Rcut(t=2), or a number; got {cut!r}")


def decide(scores: Any, cut: str | float | Threshold, *, held_out: tuple[Any, Any] | None = None) -> Sparse:
    """Decide on scores by a threshold, which learns first where held-out (scores, labels) are given.

    Decisions are a boolean `csr_array`, documents × categories.

    >>> decide([[0.1, 0.7, 0.4], [0.6, 0.2, 0.5]], "rcut:1").toarray().astype(int).tolist()
    [[0, 1, 0], [1, 0, 0]]
    """
    chosen = resolve(cut)
    if held_out is not None:
        chosen.fit(*held_out)
    return chosen.decide(scores)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _named(text: str) -> Threshold:
    name, argument = registry.parse(text)
    plugin: Any = registry.load("thresholds", name)
    if argument is None:
        return plugin()
    parameter, read = plugin.shorthand
    try:
        return plugin(**{parameter: read(argument)})
    except ValueError:
        wanted = "a whole number" if read is int else "a number"
        example = f"{name}:{getattr(plugin(), parameter)}"
        raise InvalidInput(f"{text!r}: {parameter} must be {wanted}, as in '{example}'") from None
