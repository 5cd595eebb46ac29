"""Tables of several splits: their sum, and how the measures vary from split to split."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rubricate.estimation.definition.estimate import MEASURES
from rubricate.measures import resolve
from rubricate.types import Counts, Floats

__all__ = ["deviations", "micro_deviations", "summed"]

CELLS = ("tp", "fp", "fn", "tn")


def summed(tables: Sequence[Counts]) -> Counts:
    """Sum the tables of each category: its measures are micro-expectations (joachims2000, equation 84)."""
    return Counts(*(np.sum([getattr(table, cell) for table in tables], axis=0) for cell in CELLS))


def deviations(tables: Sequence[Counts]) -> dict[str, Floats]:
    """Return the standard deviation of each measure and category over the tables, 0/0 left out; {} for a single one.

    NaN where fewer than two tables have a value.
    """
    if len(tables) < 2:
        return {}
    spread = {}
    for name in MEASURES:
        values = np.array([resolve(name)(table, undefined="omit") for table in tables])
        some = (~np.isnan(values)).sum(axis=0)
        mean = np.nansum(values, axis=0) / np.maximum(some, 1)
        square = np.nansum((values - mean) ** 2, axis=0)
        spread[name] = np.where(some > 1, np.sqrt(square / np.maximum(some - 1, 1)), np.nan)
    return spread


def micro_deviations(tables: Sequence[Counts]) -> dict[str, float]:
    """Return the standard deviations of the micro-averages, as facts: `error_sd`, …"""
    whole = [Counts(*(np.array([getattr(table, cell).sum()]) for cell in CELLS)) for table in tables]
    return {f"{name}_sd": float(values[0]) for name, values in deviations(whole).items()}
