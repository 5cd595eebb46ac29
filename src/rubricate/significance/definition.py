"""What a test is: a function of two systems that declares its symbol, its measures and what it needs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Concatenate, Literal, NamedTuple, ParamSpec, Protocol, TypeAlias, cast

from rubricate import registry
from rubricate.errors import InvalidInput, UnknownName
from rubricate.significance.system import System, as_system, with_outside_columns
from rubricate.types import Run, Significance

__all__ = [
    "YL99",
    "ChosenTest",
    "Needs",
    "Subject",
    "Test",
    "all_tests",
    "baseline_tests",
    "hierarchical_tests",
    "options_for",
    "parse_tests",
    "significance_test",
]

Subject: TypeAlias = Run | System
Needs: TypeAlias = Literal["proportions", "counts", "decisions", "scores"]
Family: TypeAlias = Callable[..., list[Significance]]
P = ParamSpec("P")


class Test(Protocol[P]):
    """A function of two systems that declares what it is.

    Attributes
    ----------
    symbol : its name in results (`s`, `S`, `T`, `T'`, `p`, or the registered name).
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
    name: str,
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
    """Register a function as a test under a name; it takes runs or systems, and its outcome bears their names."""

    def mark(function: Callable[Concatenate[System, System, P], Significance]) -> Test[P]:
        @functools.wraps(function)
        def named(a: Subject, b: Subject, *args: P.args, **kwargs: P.kwargs) -> Significance:
            first, second = with_outside_columns([as_system(a), as_system(b)])
            return replace(function(first, second, *args, **kwargs), a=first.name, b=second.name)

        marked = cast(Any, named)
        marked.symbol, marked.measures, marked.needs, marked.several = symbol, measures, needs, several
        marked.needs_hierarchy, marked.needs_baseline, marked.seeded = needs_hierarchy, needs_baseline, seeded
        marked.family = family
        return cast(Test[P], registry.register("significance", name, named))

    return mark


YL99 = ("s", "S", "T", "T'", "p")
"""The five tests of the paper, by their symbols."""


class ChosenTest(NamedTuple):
    """A test and the measure it is run on; empty where the test has only one."""

    test: Test[...]
    measure: str


def all_tests() -> dict[str, Test[...]]:
    """Return every test by its registered name."""
    return {name: registry.load("significance", name) for name in registry.names("significance")}


def baseline_tests() -> tuple[str, ...]:
    """Return the names of the tests that compare across collections through a baseline."""
    return tuple(name for name, test in all_tests().items() if test.needs_baseline)


def hierarchical_tests(*, by_similarity: bool = False) -> tuple[str, ...]:
    """Return the names of the tests that need a hierarchy, those without draws first.

    With `by_similarity` those that can go by the similarity of categories, each with the measure it is then run on.
    """
    tests = {name: test for name, test in all_tests().items() if test.needs_hierarchy}
    ordered = sorted(tests, key=lambda name: (tests[name].seeded, name))
    if not by_similarity:
        return tuple(ordered)
    takes = [name for name in ordered if "similarity" in inspect.signature(tests[name]).parameters]
    return tuple(f"{name}:similarity.extended_f1" for name in takes)


def parse_tests(names: str | Iterable[str]) -> list[ChosenTest]:
    """Return each named test once for each of its measures, in the order given; commas separate names in one text.

    >>> [(choice.test.symbol, choice.measure) for choice in parse_tests(["s", "p", "permutation:macro_f1"])]
    [('s', ''), ('p', 'recall'), ('p', 'precision'), ('p', 'error'), ('permutation', 'macro_f1')]
    """
    by_name = all_tests()
    known = {**by_name, **{test.symbol: test for test in by_name.values()}}
    choices = []
    for text in [part for part in names.split(",") if part.strip()] if isinstance(names, str) else names:
        name, measure = registry.parse(text)
        if name not in known:
            raise UnknownName("test", name, known)
        test = known[name]
        if measure is not None and "measure" not in inspect.signature(test).parameters:
            raise InvalidInput(f"test {name!r} takes no measure, got {measure!r}; write {name!r}")
        choices += [ChosenTest(test, m) for m in ((measure,) if measure else test.measures or ("",))]
    if not choices:
        raise InvalidInput(f"no test asked for; name at least one of {', '.join(sorted(known))}")
    return list(dict.fromkeys(choices))


def options_for(choice: ChosenTest, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the options that the test takes, and its measure."""
    takes = inspect.signature(choice.test).parameters
    kept = {name: value for name, value in options.items() if name in takes}
    return {**kept, "measure": choice.measure} if choice.measure else kept
