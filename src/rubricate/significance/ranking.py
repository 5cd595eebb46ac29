"""Systems from best to worst by one measure, with intervals of values and ranks, and groups that differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy.special import ndtr

from rubricate._tables import frame_of, html_of
from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.measures.evaluation_intervals import joint_draws, run_patterns
from rubricate.measures.intervals import MIN_TRUE, SUMMARIES, count_rare, summary
from rubricate.measures.resampling import CountSums, Patterns
from rubricate.significance import Significance, compare
from rubricate.significance.corrections import adjusted, letters
from rubricate.significance.verdict import mark, sign, verdict
from rubricate.types import Bools, Floats, Run, Undefined

__all__ = ["RankedSystem", "Ranking", "rank_systems"]

TESTED = ("micro_f1", "macro_f1", "accuracy")
"""Measures that the permutation test has; others are compared by the spread of their differences in the resamples."""

LEVEL = 0.05


@dataclass(frozen=True)
class RankedSystem:
    """One line of a ranking: `low` to `high` enclose the value, `rank_low` to `rank_high` the rank.

    Systems that share a letter are not distinguishable.
    """

    rank: int
    system: str
    value: float
    low: float
    high: float
    rank_low: int
    rank_high: int
    letters: str


@dataclass(frozen=True, eq=False)
class Ranking:
    """Systems from best to worst. `results` are the tests of all pairs, `draws` the values in the resamples."""

    by: str
    systems: tuple[RankedSystem, ...]
    results: tuple[Significance, ...]
    level: float
    adjust: str
    notes: tuple[str, ...] = ()
    signature: str = ""
    draws: Floats = field(default_factory=lambda: np.zeros((0, 0)), repr=False)

    def __repr__(self) -> str:
        """Return the measure and the first three."""
        first = ", ".join(f"{s.rank} {s.system} {s.value:.4f}" for s in self.systems[:3])
        return f"<ranking of {len(self.systems)} systems by {self.by}: {first}>"

    def to_frame(self) -> Any:
        """Return one row per system, best first, as a data frame."""
        return frame_of(tuple(RankedSystem.__dataclass_fields__), [tuple(asdict(s).values()) for s in self.systems])

    def _repr_html_(self) -> str:
        """Return the ranking for notebooks."""
        columns = tuple(RankedSystem.__dataclass_fields__)
        return html_of(columns, [tuple(asdict(s).values()) for s in self.systems], repr(self)[1:-1])

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as JSON has it."""
        return {
            "by": self.by,
            "level": self.level,
            "adjust": self.adjust,
            "systems": [asdict(system) for system in self.systems],
            "notes": list(self.notes),
            "signature": self.signature,
        }


def rank_systems(
    runs: Sequence[Run],
    *,
    by: str = "macro_f1",
    draws: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    adjust: Literal["holm", "bh", "none"] = "holm",
    undefined: Undefined = "zero",
    results: Sequence[Significance] = (),
    advance: Callable[[int], None] = lambda steps: None,
    engine: Engine | str = "threads",
) -> Ranking:
    """Rank runs over the same documents.

    Parameters
    ----------
    runs : sequence of Run
        The systems, with decisions and truth.
    by : str
        The measure: micro_f1, macro_f1, accuracy, weighted_f1, balanced_accuracy, mcc, kappa, …
    draws, seed : int
        Resamples of the documents, the same for all systems.
    level : float
        Confidence of the intervals.
    adjust : "holm", "bh" or "none"
        Correction over the pairs, for the letters.
    undefined : "zero", "one" or "omit"
        What 0/0 counts as.
    results : sequence of Significance
        Corrected tests of all pairs on this measure, where they are known already.
    advance : callable
        Is told of each system or pair that is done.
    engine : str or Engine
        Where systems are resampled; numbers do not depend on it.
    """
    measure = summary(by)
    _check(runs)
    patterns = [run_patterns(run) for run in runs]
    options: dict[str, Any] = {"draws": draws, "seed": seed, "level": level, "undefined": undefined}
    intervals, drawn = joint_draws(patterns, by, **options, advance=advance, engine=engine)
    values = [float(measure(each.observed(), undefined)[0]) for each in patterns]
    order = sorted(range(len(runs)), key=lambda k: (-np.nan_to_num(values[k], nan=-np.inf), runs[k].name))
    results = list(results) or _tests(
        runs, values, drawn, by=by, seed=seed, adjust=adjust, undefined=undefined, advance=advance
    )
    groups = letters(_different([runs[k].name for k in order], results))
    ranks = _rank_intervals(drawn, level)
    systems = []
    for place, k in enumerate(order):
        interval = intervals[k]
        rank = 1 + sum(values[other] > values[k] + 1e-12 for other in order)
        ends = min(int(ranks[0, k]), rank), max(int(ranks[1, k]), rank)
        systems.append(RankedSystem(rank, runs[k].name, values[k], interval.low, interval.high, *ends, groups[place]))
    stated = replace(runs[0].signature, undefined=undefined, seed=seed)
    signature = f"by:{by}|draws:{draws}|level:{level:g}|adjust:{adjust}|{stated}"
    return Ranking(by, tuple(systems), tuple(results), level, adjust, _notes(patterns[0], by), signature, drawn[order])


def _check(runs: Sequence[Run]) -> None:
    if not runs:
        raise InvalidInput("no run to rank; give at least one")
    first = runs[0]
    if len({run.name for run in runs}) < len(runs):
        raise InvalidInput("runs must have different names to be ranked")
    for run in runs:
        if run.categories != first.categories or list(run.documents) != list(first.documents):
            raise InvalidInput(
                f"runs {first.name!r} and {run.name!r} are over different documents or categories; "
                "give runs over the same ones, in the same order"
            )


def _notes(patterns: Patterns[CountSums], by: str) -> tuple[str, ...]:
    few = count_rare(patterns)
    if not few or by.startswith("micro") or by == "accuracy":
        return ()
    rare = f"{few} categories have fewer than {MIN_TRUE} true documents"
    return (f"{rare}: intervals of means over categories are too narrow.",)


def _tests(
    runs: Sequence[Run],
    values: Sequence[float],
    drawn: Floats,
    *,
    by: str,
    seed: int,
    adjust: Literal["holm", "bh", "none"],
    undefined: Undefined,
    advance: Callable[[int], None],
) -> list[Significance]:
    """Return the corrected tests of all pairs: permutation where it has the measure, else by the resamples."""
    if len(runs) < 2:
        return []
    if by in TESTED:
        options: Mapping[str, Any] = {"adjust": adjust, "undefined": undefined, "seed": seed, "advance": advance}
        return list(compare(list(runs), tests=f"permutation:{by}", **options))
    pairs = list(combinations(range(len(runs)), 2))
    outcomes = [_spread_test(runs, values, drawn, by=by, pair=pair) for pair in pairs]
    p_values = adjusted([outcome.p_value for outcome in outcomes], adjust)
    return [
        replace(
            outcome,
            adjusted_p=float(p),
            symbol=mark(outcome.direction, float(p)),
            better=outcome.better if p <= LEVEL else None,
        )
        for outcome, p in zip(outcomes, p_values, strict=True)
    ]


def _spread_test(
    runs: Sequence[Run], values: Sequence[float], drawn: Floats, *, by: str, pair: tuple[int, int]
) -> Significance:
    a, b = pair
    difference = values[a] - values[b]
    spread = float(np.nanstd(drawn[a] - drawn[b]))
    p = float(2 * ndtr(-abs(difference) / spread)) if spread > 0 else float(difference == 0)
    outcome = verdict(
        "bootstrap",
        statistic=difference,
        p_value=min(p, 1.0),
        n=len(runs[a].documents),
        direction=sign(difference),
        method=f"normal tail, spread of {drawn.shape[1]:,} joint draws",
        measure=by,
        sides=2,
        effect=difference,
        effect_name=f"{by}(a) − {by}(b)",
    )
    return replace(outcome, a=runs[a].name, b=runs[b].name)


def _different(names: Sequence[str], results: Sequence[Significance]) -> Bools:
    """Return which pairs are different after correction, in the order of the names."""
    place = {name: k for k, name in enumerate(names)}
    different = np.zeros((len(names), len(names)), bool)
    for result in results:
        if result.adjusted_p is not None and result.adjusted_p <= LEVEL:
            a, b = place[result.a], place[result.b]
            different[a, b] = different[b, a] = True
    return different


def _rank_intervals(drawn: Floats, level: float) -> Floats:
    """Return the lowest and highest rank of each system at this level; equal values share the better rank."""
    ranks = 1 + (drawn[None, :, :] > drawn[:, None, :] + 1e-12).sum(axis=1)
    tail = (1 - level) / 2
    return np.quantile(ranks, [tail, 1 - tail], axis=1, method="inverted_cdf")


MEASURES = tuple(SUMMARIES)
"""Measures that systems can be ranked by."""
