"""The jackknife: the training error less a bias estimated by leaving out."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.engines import Engine, run_tasks
from rubricate.errors import InvalidInput
from rubricate.estimation.definition.estimate import Estimate, names_for
from rubricate.estimation.definition.estimator import estimator
from rubricate.estimation.resampling.deciding import corrected, described, learn, losses
from rubricate.folds import splits, take_rows
from rubricate.labels import indicator
from rubricate.types import AnyClassifier, Floats, Ints, Signature, Sparse

__all__ = ["jackknife"]

BIAS = "as the bootstrap, of which it is an approximation (section 3.3)"
SPREAD = "as the bootstrap; higher where the decisions depend on few documents"


@estimator(seeded=True)
def jackknife(
    classifier: AnyClassifier,
    X: Any,
    labels: Sparse,
    *,
    categories: Any = None,
    groups: int | None = None,
    single: bool = False,
    seed: int = 0,
    engine: Engine | str = "threads",
    signature: Signature | None = None,
) -> Estimate:
    """Estimate Err_emp + (G − 1) · mean over g of (error of h_g on all n − its error on the documents it learned from).

    h_g is trained without group g; G = n groups of one document by default, else `groups` random ones. For G = n this
    is the jackknife approximation of the bootstrap's bias correction (joachims2000, section 3.3, after Efron 1982):
    Err_emp + (n−1)/n · (Err_loo − mean loss of the h_g on other documents). False negatives and positives are
    corrected each, as in `bootstrap`.

    Bias and spread: about those of the bootstrap. Cost: G + 1 trainings.
    """
    labels = indicator(labels)
    n, m = labels.shape
    count = n if groups is None else groups
    if not 2 <= count <= n:
        raise InvalidInput(f"{count} groups of {n} documents; give from 2 to the number of documents")
    dealt = np.random.default_rng(seed).permutation(np.arange(n) % count)
    emp = np.array([part.sum(axis=0) for part in losses(labels, learn(classifier, X, labels, single=single)(X))])

    def excess(split: tuple[Ints, Ints]) -> Floats:
        kept, _ = split
        lost = losses(labels, learn(classifier, take_rows(X, kept), labels[kept], single=single)(X))
        return np.array([part.sum(axis=0) - n * part[kept].sum(axis=0) / len(kept) for part in lost])

    mean = np.mean(run_tasks(excess, splits(dealt), engine=engine), axis=0)
    return Estimate(
        method="jackknife",
        documents=n,
        categories=names_for(categories, m),
        table=corrected(labels, *(emp + (count - 1) * mean)),
        bias=BIAS,
        spread=SPREAD,
        single_label=single,
        facts={"groups": count, "trainings": count + 1},
        signature=described(classifier, signature, seed),
    )
