"""Two systems side by side: are they comparable, and where do they disagree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.native.measures import as_lists, cell_codes, tally_codes
from rubricate.significance.systems.system import System
from rubricate.types import Floats, Ints, Sparse, Undefined

__all__ = ["codes", "disagreements", "paired_f1", "same_categories", "same_documents"]


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
