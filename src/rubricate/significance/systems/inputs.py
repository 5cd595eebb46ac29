"""Systems from whatever the caller has: runs, or decisions in any form beside one truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.labels import label_matrix, label_sets, refuse_fractions
from rubricate.significance.definition.test import Subject
from rubricate.significance.systems.system import System, as_system, with_outside_columns
from rubricate.types import Sparse

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


def _is_frame(values: Any) -> bool:
    return hasattr(values, "columns") and hasattr(values, "to_numpy")


def _is_matrix(values: Any) -> bool:
    return sparse.issparse(values) or _is_frame(values) or getattr(values, "ndim", 1) == 2


def _from_decisions(runs: Mapping[str, Any], truth: Any, categories: Sequence[str] | None) -> list[System]:
    if truth is None:
        raise InvalidInput("decisions without truth; give truth=, the labels of the same documents in the same order")
    names = tuple(categories) if categories is not None else _names(truth, runs.values())
    true = _matrix("the truth", truth, names)
    systems = []
    for name, values in runs.items():
        decided = _matrix(f"system {name!r}", values, names)
        if decided.shape != true.shape:
            raise InvalidInput(
                f"system {name!r} has decisions on {decided.shape[0]} documents, the truth has {true.shape[0]}; "
                "give the same documents in the same order"
            )
        systems.append(System(name, names, truth=true, decided=decided))
    return systems


def _names(truth: Any, decisions: Iterable[Any]) -> tuple[str, ...]:
    if _is_frame(truth) and len(truth.shape) == 2:
        return tuple(str(name) for name in truth.columns)
    if _is_matrix(truth):
        return tuple(str(c) for c in range(truth.shape[1]))
    columns = [truth, *decisions]
    if any(_is_matrix(values) for values in columns):
        raise InvalidInput(
            "truth as label sets, decisions as a matrix; give both alike, or name the columns: categories="
        )
    return tuple(sorted(set().union(*(names for values in columns for names in label_sets(values)))))


def _matrix(owner: str, values: Any, names: tuple[str, ...]) -> Sparse:
    if _is_frame(values):
        have = [str(name) for name in values.columns]
        if "document" in have:
            raise InvalidInput(
                f"{owner} names its documents, which are brought together in runs; "
                "give runs: compare([as_run(truth, frame, name=…), …])"
            )
        if sorted(have) != sorted(names):
            odd = sorted(set(have) ^ set(names))
            raise InvalidInput(f"{owner} has other columns, such as {', '.join(odd[:5])}; give the same categories")
        values = np.asarray(values.to_numpy())[:, [have.index(name) for name in names]]
    if _is_matrix(values) and values.shape[1] != len(names):
        raise InvalidInput(f"{owner} has {values.shape[1]} columns for {len(names)} categories; give one for each")
    if _is_matrix(values):
        refuse_fractions(values, owner, remedy="cut the scores first (thresholds.decide)")
    return label_matrix(values, names)[0]
