"""Values of a hierarchical measure, item by item, under two systems: what the hierarchical tests share.

Items are documents for hP, hR, hF and the LCA measures, categories for the extended ones. An extended measure is by
distance, or by similarity with `similarity.` before its name.
"""

from __future__ import annotations

from collections.abc import Hashable
from weakref import WeakKeyDictionary

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.hierarchy import Hierarchy
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
from rubricate.significance.systems.pair import same_documents
from rubricate.significance.systems.system import System
from rubricate.types import Counts, Floats, Undefined

__all__ = ["MEASURES", "hierarchical_differences", "hierarchical_measure"]

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
