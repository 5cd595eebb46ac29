"""Tests by name: by symbol (`s`, `T'`) or by file (`micro_sign`), with a measure behind a colon (`p:accuracy`)."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rubricate import registry
from rubricate.errors import InvalidInput, UnknownName
from rubricate.significance.definition.test import Test

__all__ = ["HIERARCHICAL", "YL99", "Asked", "asked", "options_for"]

YL99 = ("s", "S", "T", "T'", "p")
"""The five tests of the paper, by their symbols."""

HIERARCHICAL = ("hierarchical_t", "hierarchical_permutation")
"""The tests that need a hierarchy."""


class Asked(NamedTuple):
    """A test and the measure it is asked for (empty: the test has but one)."""

    test: Test[...]
    measure: str


def _all() -> dict[str, Test[...]]:
    by_name = {name: registry.load("significance", name) for name in registry.names("significance")}
    return {**by_name, **{test.symbol: test for test in by_name.values()}}


def asked(names: str | Iterable[str]) -> list[Asked]:
    """Each test once for each of its measures, in the order given; one text may hold several, commas between.

    >>> [(one.test.symbol, one.measure) for one in asked(["s", "p", "permutation:macro_f1"])]
    [('s', ''), ('p', 'recall'), ('p', 'precision'), ('p', 'error'), ('permutation', 'macro_f1')]
    """
    known, found = _all(), []
    for text in [part for part in names.split(",") if part.strip()] if isinstance(names, str) else names:
        name, measure = registry.parse(text)
        if name not in known:
            raise UnknownName("test", name, known)
        test = known[name]
        if measure is not None and "measure" not in inspect.signature(test).parameters:
            raise InvalidInput(f"test {name!r} takes no measure, got {measure!r}; write {name!r}")
        found += [Asked(test, m) for m in ((measure,) if measure else test.measures or ("",))]
    if not found:
        raise InvalidInput(f"no test asked for; name at least one of {', '.join(sorted(known))}")
    return list(dict.fromkeys(found))


def options_for(one: Asked, given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the given options that the test has, and its measure."""
    takes = inspect.signature(one.test).parameters
    options = {name: value for name, value in given.items() if name in takes}
    return {**options, "measure": one.measure} if one.measure else options
