"""Values of a ranking measure, document by document, under two systems: what the ranking tests share."""

from __future__ import annotations

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.measures import Measure, resolve
from rubricate.measures.rankings.ranks import ranks
from rubricate.significance.systems.pair import same_documents
from rubricate.significance.systems.system import System
from rubricate.types import Floats

__all__ = ["ranking_differences", "ranking_measure"]


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
