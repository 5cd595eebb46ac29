"""Systems from whatever the caller has: runs, or decisions in any form beside one truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rubricate.errors import InvalidInput
from rubricate.labels import label_matrices
from rubricate.significance.definition.test import Subject
from rubricate.significance.systems.system import System, as_system, with_outside_columns

__all__ = ["gather"]


def gather(
    runs: Iterable[Subject] | Mapping[str, Any], *, truth: Any = None, categories: Sequence[str] | None = None
) -> list[System]:
    """Return the systems under distinct names; equal names get a number behind them.

    `runs` is a sequence of runs or systems, or a mapping from names to decisions beside `truth`: matrices (dense,
    sparse, pandas or polars frames documents × categories) or columns of label sets. Frames are brought to the
    column order of the truth.
    """
    if isinstance(runs, Mapping):
        systems = _from_decisions(runs, truth, categories)
    else:
        systems = with_outside_columns([as_system(run) for run in runs])
    if len(systems) < 2:
        raise InvalidInput(f"{len(systems)} system(s) to compare; give at least 2")
    return _renamed(systems)


def _renamed(systems: list[System]) -> list[System]:
    """Make names distinct: `kNN [v3]` where another collection has a kNN, `kNN (2)` for a second one."""
    homes: dict[str, set[str]] = {}
    for system in systems:
        homes.setdefault(system.name, set()).add(system.collection)
    taken: Counter[str] = Counter()
    renamed = []
    for system in systems:
        name = f"{system.name} [{system.collection}]" if len(homes[system.name]) > 1 else system.name
        taken[name] += 1
        renamed.append(replace(system, name=name if taken[name] == 1 else f"{name} ({taken[name]})"))
    return renamed


def _from_decisions(runs: Mapping[str, Any], truth: Any, categories: Sequence[str] | None) -> list[System]:
    if truth is None:
        raise InvalidInput("decisions without truth; give truth=, the labels of the same documents in the same order")
    parts = [("the truth", truth), *((f"system {name!r}", values) for name, values in runs.items())]
    for owner, values in parts:
        if "document" in map(str, getattr(values, "columns", ())):
            raise InvalidInput(
                f"{owner} names its documents, which are brought together in runs; "
                "give runs: compare([as_run(truth, frame, name=…), …])"
            )
    remedy = "cut the scores first (thresholds.decide)"
    (true, *decided), names = label_matrices(parts, categories=categories, remedy=remedy)
    for name, matrix in zip(runs, decided, strict=True):
        if matrix.shape[0] != true.shape[0]:
            raise InvalidInput(
                f"system {name!r} has decisions on {matrix.shape[0]} documents, the truth has {true.shape[0]}; "
                "give the same documents in the same order"
            )
    return [System(name, names, truth=true, decided=matrix) for name, matrix in zip(runs, decided, strict=True)]
