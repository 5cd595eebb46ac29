"""Which test runs on which pair, by what the systems offer and whether they share a collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from rubricate.errors import InvalidInput, UnknownName
from rubricate.significance.definition.catalogue import (
    YL99,
    ChosenTest,
    baseline_tests,
    hierarchical_tests,
    options_for,
    parse_tests,
)
from rubricate.significance.systems.system import System
from rubricate.types import Significance

__all__ = ["Task", "plan", "tasks"]


class Task(NamedTuple):
    """One test on one pair; `others` are the remaining systems, for tests of several."""

    choice: ChosenTest
    a: System
    b: System
    others: tuple[System, ...]
    options: Mapping[str, Any]

    def run(self) -> Significance:
        """Run the test."""
        return self.choice.test(self.a, self.b, *self.others, **self.options)


def plan(
    systems: Sequence[System],
    tests: str | Sequence[str] | None,
    *,
    baseline: str | None = None,
    hierarchical: bool = False,
    similar: bool = False,
) -> tuple[list[ChosenTest], list[str]]:
    """Choose the tests to run; the second value are notes on what was left out.

    Without `tests` these are the five of YL99, as far as every system offers what they need; also the indirect
    comparison when there is a baseline, and the tests on hierarchical measures when there is a hierarchy, by similarity
    too where there are similarities (`similar`).
    """
    if tests is not None:
        return parse_tests(tests), []
    more = (baseline_tests() if baseline else ()) + (hierarchical_tests() if hierarchical else ())
    more += hierarchical_tests(by_similarity=True) if similar else ()
    wanted = parse_tests((*YL99, *more))
    offered = frozenset.intersection(*(system.offers for system in systems))
    kept = [choice for choice in wanted if choice.test.needs in offered]
    if not kept:
        poor = next((s for s in systems if not s.offers - {"scores"}), systems[0])
        raise InvalidInput(
            f"system {poor.name!r} has no decisions to test; cut its scores (thresholds.decide, or --cut), "
            "or ask for ranking tests such as ranking_t"
        )
    left = [f"{choice.test.symbol} (needs {choice.test.needs})" for choice in wanted if choice not in kept]
    listed = ", ".join(dict.fromkeys(left))
    return kept, [f"Left out, for not every system offers what they need: {listed}."] if left else []


def tasks(
    systems: Sequence[System], choice: ChosenTest, options: Mapping[str, Any], *, baseline: str | None = None
) -> list[Task]:
    """Return one test on every pair that allows it.

    Within a collection these are all tests but those through a baseline, across collections only tests of proportions.
    """
    scheduled = []
    for a, b in combinations(systems, 2):
        same = a.collection == b.collection
        if (same and choice.test.needs_baseline) or not (same or choice.test.needs == "proportions"):
            continue
        own = options_for(choice, options)
        if choice.test.needs_baseline:
            shared = [_baseline(systems, s.collection, baseline) for s in (a, b)]
            if a is shared[0] or b is shared[1]:
                continue
            own |= {"baseline_a": shared[0], "baseline_b": shared[1]}
        rest = tuple(s for s in systems if s is not a and s is not b and s.collection == a.collection)
        scheduled.append(Task(choice, a, b, rest if choice.test.several else (), own))
    return scheduled


def _baseline(systems: Sequence[System], collection: str, name: str | None) -> System:
    if name is None:
        raise InvalidInput("the indirect comparison needs baseline=, a system that every collection has (--baseline)")
    here = [system for system in systems if system.collection == collection]
    for system in here:
        if system.name in (name, f"{name} [{collection}]"):
            return system
    raise UnknownName(f"baseline in collection {collection!r}", name, [system.name for system in here])
