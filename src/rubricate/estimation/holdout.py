"""Hold-out testing: train on one part, measure on the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.engines import Engine, run_tasks
from rubricate.errors import InvalidInput
from rubricate.estimation.definition.estimate import Estimate, names_for
from rubricate.estimation.definition.estimator import estimator
from rubricate.estimation.resampling.deciding import described, learn
from rubricate.estimation.resampling.splits import deviations, micro_deviations, summed
from rubricate.estimation.theory.bounds import hoeffding, holdout_deviation
from rubricate.folds import take_rows
from rubricate.labels import indicator
from rubricate.measures import counts
from rubricate.types import AnyClassifier, Counts, Signature, Sparse

__all__ = ["holdout"]

BIAS = "pessimistic: the expected estimate is the error after training on the l documents not held out (equation 13)"
SPREAD = "variance <= 1/4k for k documents held out (equation 14); Pr(deviation > ε) <= 2 exp(−2kε²) (equation 15)"


@estimator(seeded=True)
def holdout(
    classifier: AnyClassifier,
    X: Any,
    labels: Sparse,
    *,
    categories: Any = None,
    share: float = 1 / 3,
    repeats: int = 1,
    delta: float = 0.05,
    single: bool = False,
    seed: int = 0,
    engine: Engine | str = "threads",
    signature: Signature | None = None,
) -> Estimate:
    """Measure Err_ho = (1/k) Σ L(h_l(x_i), y_i) over k documents drawn at random (joachims2000, section 3.2).

    `share` of the documents is held out. Over `repeats` draws the tables are added (micro-expectation, equation 84);
    the bounds in `facts` are those of one draw, for one category's error.

    Bias: that of training on l < n documents. Spread: variance at most 1/4k; with probability 1 − `delta` the error
    of the hypothesis lies within √(ln(2/δ)/2k). Cost: one training on l documents for each repeat.
    """
    labels = indicator(labels)
    n, k = labels.shape[0], round(share * labels.shape[0])
    if not 0 < share < 1 or not 0 < k < n:
        raise InvalidInput(f"a share of {share} of {n} documents; at least one must be held out and one kept")
    if repeats < 1:
        raise InvalidInput(f"repeats must be at least 1, got {repeats}")

    def table(draw: int) -> Counts:
        order = np.random.default_rng([seed, draw]).permutation(n)
        held, kept = np.sort(order[:k]), np.sort(order[k:])
        decide = learn(classifier, take_rows(X, kept), labels[kept], single=single)
        return counts(labels[held], decide(take_rows(X, held)))

    tables = run_tasks(table, range(repeats), engine=engine)
    return Estimate(
        method="holdout",
        documents=n,
        categories=names_for(categories, labels.shape[1]),
        table=summed(tables),
        bias=BIAS,
        spread=SPREAD,
        single_label=single,
        deviation=deviations(tables),
        facts={
            "held_out": k,
            "trainings": repeats,
            "deviation_bound": holdout_deviation(k),
            "hoeffding": hoeffding(k, delta),
            "delta": delta,
            **micro_deviations(tables),
        },
        signature=described(classifier, signature, seed),
    )
