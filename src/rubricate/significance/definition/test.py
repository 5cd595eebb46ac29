"""What a test is: a function of two systems that declares its symbol, its measures and what it needs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeAlias, cast

from rubricate.significance.systems.system import System, as_system, with_outside_columns
from rubricate.types import Run, Significance

__all__ = ["Needs", "Subject", "Test", "significance_test"]

Subject: TypeAlias = Run | System
Needs: TypeAlias = Literal["proportions", "counts", "decisions", "scores"]
Family: TypeAlias = Callable[..., list[Significance]]
P = ParamSpec("P")


class Test(Protocol[P]):
    """A function of two systems that declares what it is.

    Attributes
    ----------
    symbol : its name in results (`s`, `S`, `T`, `T'`, `p`, or the name of the file).
    measures : what `compare` runs it on when no measure is named; empty when it has only one.
    needs : what a system must offer: `proportions` (which may come from different collections), `counts` of each
        category, `decisions`, or `scores` to rank by.
    several : takes all systems at once; its p-values are those of the whole family.
    needs_hierarchy : is called with `hierarchy=`; `compare` adds it to the default tests when it has one.
    needs_baseline : compares across collections, through `baseline_a=` and `baseline_b=`.
    seeded : its p-value comes from random draws, unless all outcomes can be counted.
    family : tests all pairs of a collection at once, with the draws that a correction over them needs, or None.
    """

    symbol: str
    measures: tuple[str, ...]
    needs: Needs
    several: bool
    needs_hierarchy: bool
    needs_baseline: bool
    seeded: bool
    family: Family | None

    def __call__(self, a: Subject, b: Subject, *args: P.args, **kwargs: P.kwargs) -> Significance:
        """Return the outcome of a against b."""
        ...


def significance_test(
    symbol: str,
    *,
    needs: Needs,
    measures: tuple[str, ...] = (),
    several: bool = False,
    needs_hierarchy: bool = False,
    needs_baseline: bool = False,
    seeded: bool = False,
    family: Family | None = None,
) -> Callable[[Callable[Concatenate[System, System, P], Significance]], Test[P]]:
    """Mark a function as a test; it is then called with runs or systems and its outcome bears their names."""

    def mark(function: Callable[Concatenate[System, System, P], Significance]) -> Test[P]:
        @functools.wraps(function)
        def named(a: Subject, b: Subject, *args: P.args, **kwargs: P.kwargs) -> Significance:
            first, second = with_outside_columns([as_system(a), as_system(b)])
            return replace(function(first, second, *args, **kwargs), a=first.name, b=second.name)

        marked = cast(Any, named)
        marked.symbol, marked.measures, marked.needs, marked.several = symbol, measures, needs, several
        marked.needs_hierarchy, marked.needs_baseline, marked.seeded = needs_hierarchy, needs_baseline, seeded
        marked.family = family
        return cast(Test[P], named)

    return mark
