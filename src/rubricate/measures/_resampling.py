"""Confidence intervals of an evaluation: Wilson for its proportions, the document bootstrap for the rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from rubricate.measures._catalogue import of_kind, resolve
from rubricate.measures._evaluating import averages, true_labels
from rubricate.measures._evaluation import Evaluation
from rubricate.measures._intervals import Interval, Resampler, bootstrap, percentile, wilson
from rubricate.measures._rank_summary import document_values
from rubricate.measures._ranks import ranks
from rubricate.measures._tables import canonical, counts, total
from rubricate.types import Floats, Ints, Run

__all__ = ["with_intervals"]

PROPORTIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "recall": (("tp",), ("tp", "fn")),
    "precision": (("tp",), ("tp", "fp")),
    "accuracy": (("tp", "tn"), ("tp", "fp", "fn", "tn")),
    "error": (("fp", "fn"), ("tp", "fp", "fn", "tn")),
    "fallout": (("fp",), ("fp", "tn")),
}
"""The measures that are a share of counted decisions: the cells of numerator and denominator."""


def with_intervals(
    result: Evaluation, run: Run, *, resamples: int = 0, level: float = 0.95, seed: int = 0, limit: int | None = None
) -> Evaluation:
    """The evaluation with its intervals; without `resamples` those of Wilson alone."""
    found = {name: (interval,) for name, interval in _wilson_all(result, level).items()}
    if resamples:
        drawn = bootstrap(_statistics(result, run, limit), result.documents, draws=resamples, seed=seed)
        for name, values in drawn.items():
            found[name] = (*found.get(name, ()), percentile(values, level=level))
    return dataclasses.replace(result, intervals=found)


def _wilson_all(result: Evaluation, level: float) -> dict[str, Interval]:
    if result.counts is None:
        return {}
    table = total(result.counts)
    found = {}
    for name, (above, below) in PROPORTIONS.items():
        hits, trials = (sum(int(getattr(table, cell)[0]) for cell in cells) for cells in (above, below))
        found[f"micro.{name}"] = wilson(hits, trials, level=level)
    exact = round(result.examples["subset_accuracy"] * result.documents) if result.documents else 0
    return {**found, "examples.subset_accuracy": wilson(exact, result.documents, level=level)}


def _statistics(result: Evaluation, run: Run, limit: int | None) -> Callable[[Ints], dict[str, float]]:
    """Every number that is resampled, as a function of how often each document was drawn."""
    truth = true_labels(run)
    each: dict[str, Floats] = {}
    if run.scores is not None:
        places = document_values(ranks(run.scores, truth), limit)
        each |= {f"ranking.{name}": values for name, values in places.items()}
    if run.decisions is None:
        return lambda weights: _weighted(each, weights)
    decided = canonical(run.decisions.values)
    table = counts(truth, decided, by="document")
    examples = of_kind("documents")
    each |= {f"examples.{name}": one(table, undefined=result.convention) for name, one in examples.items()}
    chosen = {name: resolve(name) for name in result.micro}
    parts = Resampler.of(truth, decided)

    def statistics(weights: Ints) -> dict[str, float]:
        both = averages(parts.counts(weights), chosen, result.convention)
        return {f"{way}.{name}": value for way, found in both.items() for name, value in found.items()} | _weighted(
            each, weights
        )

    return statistics


def _weighted(each: dict[str, Floats], weights: Ints) -> dict[str, float]:
    """The weighted mean of per-document values, NaN left out."""
    found = {}
    for name, values in each.items():
        kept = ~np.isnan(values)
        n = weights[kept].sum()
        found[name] = float(weights[kept] @ values[kept] / n) if n else float("nan")
    return found
