"""Systems from whatever the caller has: runs, or decisions in any form beside one truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.hierarchy import Hierarchy
from rubricate.labels import label_matrices
from rubricate.measures import (
    Extended,
    Measure,
    Similarity,
    by_distance,
    by_similarity,
    counts,
    extended_counts,
    meeting_counts,
    placed,
    resolve,
    with_ancestors,
)
from rubricate.measures.true_ranks import ranks
from rubricate.native.measures import as_lists, cell_codes, tally_codes
from rubricate.significance.definition import Subject
from rubricate.significance.system import System, as_system, with_outside_columns
from rubricate.types import Counts, Floats, Ints, Sparse, Undefined

__all__ = [
    "MEASURES",
    "codes",
    "disagreements",
    "gather",
    "hierarchical_differences",
    "hierarchical_measure",
    "paired_f1",
    "ranking_differences",
    "ranking_measure",
    "same_categories",
    "same_documents",
]


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


def _first_difference(a: Sequence[str], b: Sequence[str]) -> str:
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    shown = [repr(names[at]) if at < len(names) else "nothing" for names in (a, b)]
    return f"{len(a)} and {len(b)}, first different at {at}: {shown[0]} and {shown[1]}"


def _same_names(noun: str, systems: Sequence[System], names: Sequence[Sequence[str]]) -> None:
    first = names[0]
    for system, other in zip(systems[1:], names[1:], strict=True):
        if first is not other and list(first) != list(other):
            raise InvalidInput(
                f"systems {systems[0].name!r} and {system.name!r} have different {noun} "
                f"({_first_difference(first, other)}); bring both to the same ones in the same order, "
                "or use test 'p', which compares across collections"
            )


def same_categories(*systems: System) -> None:
    """Raise unless the systems were measured on the same categories in the same order."""
    _same_names("categories", systems, [system.categories for system in systems])
    sizes = {len(system.counts) for system in systems}
    if len(sizes) > 1:
        raise InvalidInput(f"tables of different numbers of categories: {sorted(sizes)}; give the same categories")


def same_documents(a: System, b: System) -> None:
    """Raise unless both decided on the same documents and categories, with the same truth beside them."""
    _same_names("documents", (a, b), [a.documents, b.documents])
    _same_names("categories", (a, b), [a.categories, b.categories])
    truth, other = a.truth, b.truth
    if truth is None or other is None or truth is other:
        return
    if truth.shape != other.shape or truth.nnz != other.nnz or (truth != other).nnz:
        raise InvalidInput(f"systems {a.name!r} and {b.name!r} have different truths; compare both against one")


def disagreements(a: System, b: System) -> Ints:
    """Count 3 × categories: decisions on which only a is right, only b is right, both are wrong.

    Cost: the stored labels and decisions, by merging sorted rows; never documents × categories.
    """
    (truth, of_a), (_, of_b) = a.labels, b.labels
    same_documents(a, b)
    tally = tally_codes(as_lists(truth), as_lists(of_a), as_lists(of_b), truth.shape[1])
    # Codes are t + 2a + 4b: only a is right with 3 (t, a) and 4 (b), only b with 2 (a) and 5 (t, b).
    return np.stack([tally[:, 3] + tally[:, 4], tally[:, 2] + tally[:, 5], tally[:, 1] + tally[:, 6]])


def codes(a: System, b: System) -> Sparse:
    """Return every cell that is true or decided by one of them, as t + 2a + 4b; columns in order of category name.

    The order by name makes draws by seed the same whatever the order of the categories.
    """
    (truth, of_a), (_, of_b) = a.labels, b.labels
    same_documents(a, b)
    starts, columns, values = cell_codes(as_lists(truth), as_lists(of_a), as_lists(of_b))
    if a.categories:
        place = np.empty(truth.shape[1], np.int32)
        place[sorted(range(len(place)), key=a.categories.__getitem__)] = np.arange(len(place), dtype=np.int32)
        columns = place[columns]
    cells = sparse.csr_array((values, columns, starts), shape=truth.shape)
    cells.sort_indices()
    return cells


def paired_f1(a: System, b: System, undefined: Undefined) -> tuple[Floats, Floats]:
    """Return F1 of each category under both; categories left out by `undefined="omit"` in one are left out in both."""
    same_categories(a, b)
    of_a, of_b = a.f1(undefined), b.f1(undefined)
    kept = ~(np.isnan(of_a) | np.isnan(of_b))
    return of_a[kept], of_b[kept]


MEASURES = ("hierarchical_f1", "extended_f1")
"""What the tests are made on when no measure is named."""

_BY_SIMILARITY = "similarity."
_known: WeakKeyDictionary[System, dict[Hashable, Floats]] = WeakKeyDictionary()


def hierarchical_measure(name: str) -> Measure[...]:
    """Return a hierarchical measure by its name."""
    measure = resolve(name.removeprefix(_BY_SIMILARITY))
    if measure.kind not in ("extended", "ancestors", "lca"):
        raise InvalidInput(
            f"{name!r} is not a hierarchical measure; use one such as hierarchical_f1, extended_f1 or lca_f1"
        )
    return measure


def hierarchical_differences(
    a: System,
    b: System,
    measure: str,
    *,
    hierarchy: Hierarchy | None,
    acceptable: float,
    similarity: Similarity | None,
    undefined: Undefined,
) -> Floats:
    """Return the value of a − that of b for each item; items left out by `undefined="omit"` in one are left out.

    Differences are rounded to 10⁻¹², so that the order of summing decides no tie. The values of a system are kept
    as long as the system is, so that many pairs cost no more than many systems.
    """
    if hierarchy is None:
        raise InvalidInput("hierarchical tests need hierarchy=, which category is above which (--hierarchy FILE)")
    same_documents(a, b)
    values = []
    for system in (a, b):
        kept = _known.setdefault(system, {})
        key = (measure, hierarchy, acceptable, similarity, undefined)
        if key not in kept:
            table = _table(system, measure, hierarchy=hierarchy, acceptable=acceptable, similarity=similarity)
            kept[key] = hierarchical_measure(measure)(table, undefined=undefined)
        values.append(kept[key])
    difference = np.round(values[0] - values[1], 12)
    differences: Floats = difference[~np.isnan(difference)]
    return differences


def _table(
    system: System, measure: str, *, hierarchy: Hierarchy, acceptable: float, similarity: Similarity | None
) -> Counts | Extended:
    """Return the table that the measure is a function of; a band of frequency may have no category of the hierarchy."""
    (truth, decided), kind = system.labels, hierarchical_measure(measure).kind
    names = system.categories
    if kind == "lca":
        return meeting_counts(truth, decided, placed(hierarchy, names, required=False))
    if kind == "ancestors":
        where = placed(hierarchy, names, required=False)
        return counts(with_ancestors(truth, where), with_ancestors(decided, where), by="document")
    if not measure.startswith(_BY_SIMILARITY):
        return extended_counts(truth, decided, by_distance(hierarchy, names, acceptable=acceptable, required=False))
    if similarity is None:
        raise InvalidInput(f"{measure!r} needs similarity=, the similarities of the categories (--similarity FILE)")
    return extended_counts(truth, decided, by_similarity(similarity, names, hierarchy=hierarchy, required=False))


def ranking_measure(name: str) -> Measure[...]:
    """Return a measure of kind `ranking` by its name."""
    measure = resolve(name)
    if measure.kind != "ranking":
        raise InvalidInput(f"{name!r} is not a ranking measure; use one such as eleven_point or average_precision")
    return measure


def ranking_differences(a: System, b: System, measure: str) -> Floats:
    """Return the value of a − that of b for each document that has a true label, categories ranked by score."""
    function = ranking_measure(measure)
    same_documents(a, b)
    values = [_values(system, function) for system in (a, b)]
    difference = values[0] - values[1]
    kept: Floats = difference[~np.isnan(difference)]
    return kept


def _values(system: System, measure: Measure[...]) -> Floats:
    if system.scores is None or system.truth is None:
        raise InvalidInput(f"system {system.name!r} has no scores to rank by; ranking tests need scores and truth")
    return measure(ranks(system.scores, system.truth))
