"""Which test runs on which pair, by what the systems offer and whether they share a collection."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

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

__all__ = ["Task", "plan", "run_all", "tasks"]


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

    Without `tests` these are those that hold their level on the data, as far as every system offers what they need;
    "paper" gives the five of YL99. Also the indirect
    comparison when there is a baseline, and the tests on hierarchical measures when there is a hierarchy, by similarity
    too where there are similarities (`similar`).
    """
    if tests is not None:
        return parse_tests(YL99 if tests in ("paper", ["paper"], ("paper",)) else tests), []
    more = (baseline_tests() if baseline else ()) + (hierarchical_tests() if hierarchical else ())
    more += hierarchical_tests(by_similarity=True) if similar else ()
    chosen, why = _that_hold(systems)
    wanted = parse_tests((*chosen, *more))
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
    return kept, [*why, *([f"Left out, for not every system offers what they need: {listed}."] if left else [])]


def _that_hold(systems: Sequence[System]) -> tuple[tuple[str, ...], list[str]]:
    """Return the tests that hold their level on the data at hand, and a sentence that says why.

    Documents are the units of the permutation tests, which reject 3.5–5.6 % of true nulls at .05 in all of our
    simulated worlds; the tests of the paper, whose units are decisions or categories, reject up to 10.7 % with one
    label per document and up to 22 % where errors of a document come together (docs/methods/significance.md). Systems
    known by counts or figures, or of several collections, have no documents in common: there the paper's are all there
    is.
    """
    whole = all("decisions" in system.offers for system in systems)
    if not whole or len({system.collection for system in systems}) > 1:
        return YL99, []
    truth = systems[0].truth
    if truth is not None and truth.shape[0] and bool((np.diff(truth.indptr) == 1).all()):
        return ("permutation:accuracy", "permutation:macro_f1"), [
            "One label per document: permutation tests of accuracy and macro-F1, whose units are documents. The tests "
            "of the paper (--tests paper) reject about twice too often here."
        ]
    return ("permutation:micro_f1", "permutation:macro_f1"), [
        "Several labels per document: permutation tests of micro-F1 and macro-F1, whose units are documents. The tests "
        "of the paper (--tests paper) reject too often where a document's errors come together."
    ]


def run_all(scheduled: Sequence[Task], *, advance: Callable[[int], None] = lambda steps: None) -> list[Significance]:
    """Run the tests; all pairs at once where the test adapts its draws to their number and no number is given."""
    first = scheduled[0] if scheduled else None
    family = None if first is None else first.choice.test.family
    if first is None or family is None or first.options.get("samples") is not None:
        outcomes = []
        for task in scheduled:
            outcomes.append(task.run())
            advance(1)
        return outcomes
    taken = inspect.signature(family).parameters
    options = {name: value for name, value in first.options.items() if name in taken}
    outcomes = family([(task.a, task.b) for task in scheduled], **options, advance=advance)
    return [replace(outcome, a=task.a.name, b=task.b.name) for task, outcome in zip(scheduled, outcomes, strict=True)]


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
