"""What a test is: a function of two systems that carries its symbol and what it can be asked to measure."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeAlias, cast

from rubricate.significance.systems.system import System, as_system
from rubricate.types import Run, Significance

__all__ = ["Needs", "Subject", "Test", "significance_test"]

Subject: TypeAlias = Run | System
Needs: TypeAlias = Literal["proportions", "counts", "decisions", "scores"]
P = ParamSpec("P")


class Test(Protocol[P]):
    """A function with four attributes.

    `symbol`: its name in results (`s`, `S`, `T`, `T'`, `p`, or the name of the file). `measures`: what `compare`
    asks it for when no measure is named; empty when it has but one. `needs`: what a system must offer (`proportions`,
    which may come from different collections, `counts` of each category, `decisions`, `scores`). `several`: it takes
    all systems at once and its p-values are those of the whole family.
    """

    symbol: str
    measures: tuple[str, ...]
    needs: Needs
    several: bool

    def __call__(self, a: Subject, b: Subject, *args: P.args, **kwargs: P.kwargs) -> Significance:
        """The outcome of a against b."""
        ...


def significance_test(
    symbol: str, *, needs: Needs, measures: tuple[str, ...] = (), several: bool = False
) -> Callable[[Callable[Concatenate[System, System, P], Significance]], Test[P]]:
    """Mark a function as a test; it is then called with runs or systems and its outcome bears their names."""

    def mark(function: Callable[Concatenate[System, System, P], Significance]) -> Test[P]:
        @functools.wraps(function)
        def named(a: Subject, b: Subject, *args: P.args, **kwargs: P.kwargs) -> Significance:
            one, two = as_system(a), as_system(b)
            return replace(function(one, two, *args, **kwargs), a=one.name, b=two.name)

        marked = cast(Any, named)
        marked.symbol, marked.measures, marked.needs, marked.several = symbol, measures, needs, several
        return cast(Test[P], named)

    return mark
