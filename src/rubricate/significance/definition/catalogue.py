"""Tests by name: by symbol (`s`, `T'`) or by file (`micro_sign`), with a measure behind a colon (`p:accuracy`)."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rubricate import registry
from rubricate.errors import InvalidInput, UnknownName
from rubricate.significance.definition.test import Test

__all__ = ["YL99", "ChosenTest", "all_tests", "baseline_tests", "hierarchical_tests", "options_for", "parse_tests"]

YL99 = ("s", "S", "T", "T'", "p")
"""The five tests of the paper, by their symbols."""


class ChosenTest(NamedTuple):
    """A test and the measure it is run on; empty where the test has only one."""

    test: Test[...]
    measure: str


def all_tests() -> dict[str, Test[...]]:
    """Return every test by the name of its file."""
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
