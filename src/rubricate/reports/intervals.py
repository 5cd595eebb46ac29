"""Intervals of the systems' table: the document bootstrap, centred on the value that was measured."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from rubricate.measures import Evaluation, Interval, bootstrap, macro, micro, percentile, resolve
from rubricate.measures._intervals import Resampler
from rubricate.types import Floats, Ints, Sparse, Undefined

__all__ = ["centred", "with_centred_intervals"]


def centred(value: float, draws: Floats, *, level: float = 0.95) -> Interval:
    """The percentile interval of the draws, moved so that their mean lies on the value, within 0 and 1.

    A resample can leave a rare category without a document; its F1 is then 0/0, counts as zero, and pulls macro-F1
    down by more than half of its spread: the plain percentile interval need not hold the value at all. Centring keeps
    the spread and drops that shift. NaN draws are left out; without any the interval is that of `percentile`, NaN.

    >>> centred(0.5, np.array([0.2, 0.3, 0.4]), level=0.5)
    Interval(low=0.45, high=0.55, level=0.5, method='bootstrap, centred')
    """
    kept = draws[~np.isnan(draws)]
    shift = value - float(kept.mean()) if len(kept) else 0.0
    plain = percentile(draws, level=level)
    low, high = (float(np.clip(round(end + shift, 12), 0.0, 1.0)) for end in (plain.low, plain.high))
    return Interval(low, high, level, "bootstrap, centred")


def with_centred_intervals(
    result: Evaluation, truth: Sparse, decided: Sparse, *, columns: Sequence[tuple[str, str]], draws: int, seed: int = 0
) -> Evaluation:
    """The evaluation with centred intervals of these (average, measure) in place of its own.

    The draws depend on the seed and the number of documents alone, so that they are the same for every system.
    """
    if draws < 1 or not result.documents:
        return result
    parts, averages = Resampler.of(truth, decided), {"micro": micro, "macro": macro}
    wanted = [(f"{way}.{name}", averages[way], resolve(name)) for way, name in columns]
    undefined: Undefined = result.convention

    def statistics(weights: Ints) -> dict[str, float]:
        table = parts.counts(weights)
        return {key: average(measure, table, undefined=undefined) for key, average, measure in wanted}

    level = next((one.level for found in result.intervals.values() for one in found), 0.95)
    drawn = bootstrap(statistics, result.documents, draws=draws, seed=seed)
    found = {key: (centred(_value(result, key), values, level=level),) for key, values in drawn.items()}
    return dataclasses.replace(result, intervals={**result.intervals, **found})


def _value(result: Evaluation, key: str) -> float:
    way, _, name = key.partition(".")
    return float((result.micro if way == "micro" else result.macro)[name])
