"""The bootstrap: the training error less its estimated bias, or the .632 estimate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from rubricate.engines import Engine, run_tasks
from rubricate.errors import InvalidInput, UnknownName
from rubricate.estimation.definition.estimate import Estimate, names_for
from rubricate.estimation.definition.estimator import estimator
from rubricate.estimation.resampling.deciding import corrected, described, learn, losses
from rubricate.estimation.resampling.splits import deviations, micro_deviations
from rubricate.folds import take_rows
from rubricate.labels import indicator
from rubricate.types import AnyClassifier, Floats, Signature, Sparse

__all__ = ["bootstrap"]

BIAS = "comparatively large, as a rule optimistic (section 3.3)"
SPREAD = "small, smaller than that of cross-validation (section 3.3)"
KINDS = ("bias-corrected", ".632")
FRACTION = 0.632


class _Resample(NamedTuple):
    """What one sample says of false negatives and false positives, in this order, per category."""

    change: Floats
    """Σ_i (1 − c_bi) L_bi."""
    unseen: Floats
    """Losses on the documents outside the sample."""
    outside: int
    """Documents outside the sample."""


@estimator(seeded=True)
def bootstrap(
    classifier: AnyClassifier,
    X: Any,
    labels: Sparse,
    *,
    categories: Any = None,
    samples: int = 50,
    kind: Literal["bias-corrected", ".632"] = "bias-corrected",
    single: bool = False,
    seed: int = 0,
    engine: Engine | str = "threads",
    signature: Signature | None = None,
) -> Estimate:
    """Train on B samples of n documents drawn with replacement (joachims2000, section 3.3; efron1993, chapter 17).

    With c_bi the times document i is in sample b and L_bi the loss of its classifier on i:

        "bias-corrected"   Err_emp + (1/B) Σ_b Σ_i (1/n − c_bi/n) L_bi
        ".632"             .368 Err_emp + .632 · (Σ over c_bi = 0 of L_bi) / (Σ over c_bi = 0 of 1)

    False negatives and false positives are corrected in this way each, which gives the error above, recall, precision
    and F1; counts are kept within [0, n₊] and [0, n₋]. Deviation: the paper's equations 16 to 18 print the opposite
    sign of the correction and no 1/B.

    Bias: comparatively large. Spread: small; `deviation` is over the samples. Cost: B + 1 trainings, typically 10–100.
    """
    if kind not in KINDS:
        raise UnknownName("kind of bootstrap", str(kind), KINDS)
    if samples < 1:
        raise InvalidInput(f"samples must be at least 1, got {samples}")
    labels = indicator(labels)
    n, m = labels.shape
    emp = np.array([part.sum(axis=0) for part in losses(labels, learn(classifier, X, labels, single=single)(X))])

    def sample(b: int) -> _Resample:
        drawn = np.sort(np.random.default_rng([seed, b]).integers(0, n, n))
        times = np.bincount(drawn, minlength=n)
        lost = losses(labels, learn(classifier, take_rows(X, drawn), labels[drawn], single=single)(X))
        out = times == 0
        change = np.array([((1 - times)[:, None] * part).sum(axis=0) for part in lost])
        return _Resample(change, np.array([part[out].sum(axis=0) for part in lost]), int(out.sum()))

    drawn = run_tasks(sample, range(samples), engine=engine)
    cells, each = _six_three_two(emp, drawn, n) if kind == ".632" else _bias_corrected(emp, drawn)
    tables = [corrected(labels, *part) for part in each]
    return Estimate(
        method="bootstrap",
        documents=n,
        categories=names_for(categories, m),
        table=corrected(labels, *cells),
        bias=BIAS,
        spread=SPREAD,
        single_label=single,
        deviation=deviations(tables),
        facts={"kind": kind, "samples": samples, "trainings": samples + 1, **micro_deviations(tables)},
        signature=described(classifier, signature, seed),
    )


def _bias_corrected(emp: Floats, samples: Sequence[_Resample]) -> tuple[Floats, list[Floats]]:
    """Return the counts of errors corrected by the mean of all samples, and by each sample alone."""
    return emp + np.mean([sample.change for sample in samples], axis=0), [emp + sample.change for sample in samples]


def _six_three_two(emp: Floats, samples: Sequence[_Resample], n: int) -> tuple[Floats, list[Floats]]:
    """Return the .632 counts of errors over all samples, and of each sample alone.

    A sample that contains every document has no loss outside it: 0/0 counts as 0.
    """
    seen = (1 - FRACTION) * emp
    outside = max(sum(sample.outside for sample in samples), 1)
    unseen = n * np.sum([sample.unseen for sample in samples], axis=0) / outside
    each = [seen + FRACTION * n * sample.unseen / max(sample.outside, 1) for sample in samples]
    return seen + FRACTION * unseen, each
