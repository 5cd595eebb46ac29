"""Which test is made on which pair: what the systems offer, and whether they share a collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from rubricate.errors import InvalidInput, UnknownName
from rubricate.significance.definition.catalogue import HIERARCHICAL, YL99, Asked, asked, options_for
from rubricate.significance.systems.system import System

__all__ = ["Task", "plan", "tasks"]


class Task(NamedTuple):
    """One test on one pair; `others` are the remaining systems, for tests of several."""

    one: Asked
    a: System
    b: System
    others: tuple[System, ...]
    options: Mapping[str, Any]


def plan(
    systems: Sequence[System],
    tests: str | Sequence[str] | None,
    baseline: str | None,
    *,
    hierarchical: bool = False,
    similar: bool = False,
) -> tuple[list[Asked], list[str]]:
    """The tests to make, and notes on what was left out.

    Without `tests` the five of YL99, as far as every system offers what they need; and the indirect comparison when
    there is a baseline, and the tests on hierarchical measures when there is a hierarchy; by similarity too where
    `similar` says that there are similarities.
    """
    more = (("indirect",) if baseline else ()) + (HIERARCHICAL if hierarchical else ())
    more += tuple(f"{name}:similarity.extended_f1" for name in HIERARCHICAL) if similar else ()
    wanted = asked(tests if tests is not None else (*YL99, *more))
    if tests is not None:
        return wanted, []
    offered = frozenset.intersection(*(system.offers for system in systems))
    kept = [one for one in wanted if one.test.needs in offered]
    if not kept:
        poor = next((s for s in systems if not s.offers - {"scores"}), systems[0])
        raise InvalidInput(
            f"system {poor.name!r} has no decisions to test; cut its scores (thresholds.decide, or --cut), "
            "or ask for ranking tests such as ranking_t"
        )
    left = list(dict.fromkeys(f"{one.test.symbol} (needs {one.test.needs})" for one in wanted if one not in kept))
    return kept, [f"Left out, for not every system offers what they need: {', '.join(left)}."] if left else []


def tasks(systems: Sequence[System], one: Asked, given: Mapping[str, Any], baseline: str | None) -> list[Task]:
    """One test on every pair that allows it: in one collection all but `indirect`, across them proportions alone."""
    through = one.test.symbol == "indirect"
    found = []
    for a, b in combinations(systems, 2):
        same = a.collection == b.collection
        if (same and through) or not (same or one.test.needs == "proportions"):
            continue
        options = options_for(one, given)
        if through:
            shared = [_baseline(systems, s.collection, baseline) for s in (a, b)]
            if a is shared[0] or b is shared[1]:
                continue
            options |= {"baseline_a": shared[0], "baseline_b": shared[1]}
        rest = tuple(s for s in systems if s is not a and s is not b and s.collection == a.collection)
        found.append(Task(one, a, b, rest if one.test.several else (), options))
    return found


def _baseline(systems: Sequence[System], collection: str, name: str | None) -> System:
    if name is None:
        raise InvalidInput("the indirect comparison needs baseline=, a system that every collection has (--baseline)")
    here = [system for system in systems if system.collection == collection]
    for system in here:
        if system.name in (name, f"{name} [{collection}]"):
            return system
    raise UnknownName(f"baseline in collection {collection!r}", name, [system.name for system in here])
