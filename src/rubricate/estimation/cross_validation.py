"""k-fold cross-validation, stratified over all categories at once or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.estimation.definition.estimate import Estimate, names_for
from rubricate.estimation.definition.estimator import estimator
from rubricate.estimation.resampling.deciding import described, learn
from rubricate.estimation.resampling.splits import deviations, micro_deviations, summed
from rubricate.folds import deal, out_of_fold, splits, take_rows
from rubricate.labels import indicator
from rubricate.measures import counts
from rubricate.types import AnyClassifier, Counts, Ints, Signature, Sparse

__all__ = ["cross_validation"]

BIAS = "pessimistic: the expected estimate is the expected error after training on n − n/k documents (equation 28)"
SPREAD = "low for k = 10, lower than that of leave-one-out, higher than that of the bootstrap (section 3.4)"


@estimator(seeded=True)
def cross_validation(
    classifier: AnyClassifier,
    X: Any,
    labels: Sparse,
    *,
    categories: Any = None,
    folds: int = 10,
    stratified: bool = True,
    repeats: int = 1,
    single: bool = False,
    seed: int = 0,
    engine: Engine | str = "threads",
    signature: Signature | None = None,
) -> Estimate:
    """Decide each fold by a classifier trained on the others, and add the tables (joachims2000, section 3.4).

    `stratified` deals every category evenly (`rubricate.folds`); without it the folds are random and of equal size.
    `repeats` deals anew with the next seeds. `single`: the classifier gives each document its one best class.

    Bias: that of training on n − n/k documents (equation 28), more than leave-one-out's. Spread: low for k = 10,
    `deviation` over the folds. Cost: k trainings on (k − 1)/k of the documents, times `repeats`.
    """
    labels = indicator(labels)
    if repeats < 1:
        raise InvalidInput(f"repeats must be at least 1, got {repeats}")

    def work(kept: Ints, held: Ints) -> Sparse:
        return learn(classifier, take_rows(X, kept), labels[kept], single=single)(take_rows(X, held))

    parts: list[Counts] = []
    tables: list[Counts] = []
    for shift in range(repeats):
        dealt = _deal(labels, folds, stratified=stratified, seed=seed + shift)
        decided = out_of_fold(work, dealt, engine=engine)
        own = [counts(labels[held], decided[held]) for _, held in splits(dealt)]
        parts, tables = parts + own, [*tables, summed(own)]
    spread = tables if repeats > 1 else parts
    return Estimate(
        method="cross_validation",
        documents=labels.shape[0],
        categories=names_for(categories, labels.shape[1]),
        table=summed(tables),
        bias=BIAS,
        spread=SPREAD,
        single_label=single,
        deviation=deviations(spread),
        facts={"folds": folds, "repeats": repeats, "trainings": folds * repeats, **micro_deviations(spread)},
        signature=described(classifier, signature, seed),
    )


def _deal(labels: Sparse, folds: int, *, stratified: bool, seed: int) -> Ints:
    n = labels.shape[0]
    if stratified:
        return deal(labels, folds, seed=seed)
    if not 2 <= folds <= n:
        raise InvalidInput(f"{folds} folds of {n} documents; give from 2 to the number of documents")
    return np.asarray(np.random.default_rng(seed).permutation(np.arange(n) % folds))
