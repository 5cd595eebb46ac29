"""Estimators that train again: hold-out, cross-validation, bootstrap, jackknife. joachims2000, section 3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from rubricate.engines import Engine, run_tasks
from rubricate.errors import InvalidInput, UnknownName
from rubricate.estimation.bounds import hoeffding, holdout_deviation
from rubricate.estimation.results import MEASURES, Estimate, estimator, names_for
from rubricate.folds import assign_folds, out_of_fold, splits, take_rows
from rubricate.labels import indicator
from rubricate.measures import counts, resolve
from rubricate.training.adapters import Aligned
from rubricate.training.config import TrainingConfig
from rubricate.training.data import Target, TrainingData, count
from rubricate.training.run import TrainingRun
from rubricate.types import AnyClassifier, Bools, Counts, Edges, Floats, Ints, Signature, Sparse

__all__ = [
    "Decide",
    "Learner",
    "bootstrap",
    "corrected",
    "cross_validation",
    "described",
    "deviations",
    "holdout",
    "jackknife",
    "learn",
    "losses",
    "micro_deviations",
    "summed",
]

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


Decide: TypeAlias = Callable[[Any], Sparse]
"""Vectors or texts → boolean matrix, documents × categories."""


@dataclass(frozen=True, eq=False)
class Learner:
    """Settings of a training and what they need beside documents and labels, to be learned again and again."""

    settings: TrainingConfig
    categories: tuple[str, ...]
    taxonomy: Edges | None = None
    engine: Engine | str = "threads"

    def learn(self, X: Any, labels: Sparse) -> Decide:
        """Run the whole procedure on some documents, cuts included, and return what decides."""
        target = Target(labels, self.categories, "sparse", np.array(self.categories, dtype=str))
        target.check()
        material = TrainingData(X, target, taxonomy=self.taxonomy)
        return TrainingRun(self.settings.procedure(material), material, engine=self.engine).model().decide


def learn(classifier: AnyClassifier, X: Any, labels: Sparse, *, single: bool = False) -> Decide:
    """Fit a copy and return what decides.

    A `Categorizer` and a `Learner` learn everything anew, cuts included. Any other classifier decides by its own
    `predict`: with `single` the best class of each document, else each category by itself. A category that none or all
    of the documents have is not shown to it, and is never or always assigned.
    """
    if isinstance(classifier, Learner):
        return classifier.learn(X, labels)
    if not hasattr(classifier, "fit") or isinstance(classifier, type):
        raise InvalidInput(f"expected a classifier such as rb.SVM(C=1), got {classifier!r}")
    if hasattr(classifier, "settings"):
        names = tuple(map(str, range(labels.shape[1])))
        return Learner(classifier.settings(), names, engine=classifier.engine).learn(X, labels)
    part = Aligned(classifier, form="classes" if single else "matrix", classes=np.arange(labels.shape[1]))
    part.fit(X, labels)
    return lambda rows: _decide(part, rows, single=single)


def _decide(part: Aligned, rows: Any, *, single: bool) -> Sparse:
    n, columns = count(rows), len(part.constants_)
    decided = np.tile(part.constants_ > 0, (n, 1))
    if part.classifier_ is None:
        return sparse.csr_array(decided)
    classes = part.classifier_.predict(rows)
    if single:
        return sparse.csr_array((np.ones(n, bool), np.asarray(classes, np.int64), np.arange(n + 1)), shape=(n, columns))
    dense = classes.toarray() if sparse.issparse(classes) else np.asarray(classes)
    decided[:, part.columns_] = dense.reshape(n, -1) != 0
    return sparse.csr_array(decided)


def losses(truth: Sparse, decided: Sparse) -> tuple[Bools, Bools]:
    """Return false negatives and false positives, dense: documents × categories."""
    true, yes = truth.toarray().astype(bool), decided.toarray().astype(bool)
    return true & ~yes, ~true & yes


def described(classifier: AnyClassifier, signature: Signature | None, seed: int | None = None) -> Signature:
    """Return the signature given, or one that names the classifier."""
    return signature or Signature(classifier=" ".join(repr(classifier).split()), seed=seed)


def corrected(labels: Sparse, fn: Any, fp: Any) -> Counts:
    """Return a table from expected false negatives and positives, which are kept within what there is."""
    n, positives = labels.shape[0], np.bincount(labels.indices, minlength=labels.shape[1]).astype(np.float64)
    fn, fp = np.clip(fn, 0, positives), np.clip(fp, 0, n - positives)
    return Counts(positives - fn, fp, fn, n - positives - fp)


BIAS = "pessimistic: the expected estimate is the error after training on the l documents not held out (equation 13)"
SPREAD = "variance <= 1/4k for k documents held out (equation 14); Pr(deviation > ε) <= 2 exp(−2kε²) (equation 15)"


@estimator("holdout", seeded=True)
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


CROSS_VALIDATION_BIAS = (
    "pessimistic: the expected estimate is the expected error after training on n − n/k documents (equation 28)"
)
CROSS_VALIDATION_SPREAD = (
    "low for k = 10, lower than that of leave-one-out, higher than that of the bootstrap (section 3.4)"
)


@estimator("cross_validation", seeded=True)
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
        fold_ids = _assign(labels, folds, stratified=stratified, seed=seed + shift)
        decided = out_of_fold(work, fold_ids, engine=engine)
        own = [counts(labels[held], decided[held]) for _, held in splits(fold_ids)]
        parts, tables = parts + own, [*tables, summed(own)]
    spread = tables if repeats > 1 else parts
    return Estimate(
        method="cross_validation",
        documents=labels.shape[0],
        categories=names_for(categories, labels.shape[1]),
        table=summed(tables),
        bias=CROSS_VALIDATION_BIAS,
        spread=CROSS_VALIDATION_SPREAD,
        single_label=single,
        deviation=deviations(spread),
        facts={"folds": folds, "repeats": repeats, "trainings": folds * repeats, **micro_deviations(spread)},
        signature=described(classifier, signature, seed),
    )


def _assign(labels: Sparse, folds: int, *, stratified: bool, seed: int) -> Ints:
    n = labels.shape[0]
    if stratified:
        return assign_folds(labels, folds, seed=seed)
    if not 2 <= folds <= n:
        raise InvalidInput(f"{folds} folds of {n} documents; give from 2 to the number of documents")
    return np.asarray(np.random.default_rng(seed).permutation(np.arange(n) % folds))


BOOTSTRAP_BIAS = "comparatively large, as a rule optimistic (section 3.3)"
BOOTSTRAP_SPREAD = "small, smaller than that of cross-validation (section 3.3)"
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


@estimator("bootstrap", seeded=True)
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
        bias=BOOTSTRAP_BIAS,
        spread=BOOTSTRAP_SPREAD,
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


JACKKNIFE_BIAS = "as the bootstrap, of which it is an approximation (section 3.3)"
JACKKNIFE_SPREAD = "as the bootstrap; higher where the decisions depend on few documents"


@estimator("jackknife", seeded=True)
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
    fold_ids = np.random.default_rng(seed).permutation(np.arange(n) % count)
    emp = np.array([part.sum(axis=0) for part in losses(labels, learn(classifier, X, labels, single=single)(X))])

    def excess(split: tuple[Ints, Ints]) -> Floats:
        kept, _ = split
        lost = losses(labels, learn(classifier, take_rows(X, kept), labels[kept], single=single)(X))
        return np.array([part.sum(axis=0) - n * part[kept].sum(axis=0) / len(kept) for part in lost])

    mean = np.mean(run_tasks(excess, splits(fold_ids), engine=engine), axis=0)
    return Estimate(
        method="jackknife",
        documents=n,
        categories=names_for(categories, m),
        table=corrected(labels, *(emp + (count - 1) * mean)),
        bias=JACKKNIFE_BIAS,
        spread=JACKKNIFE_SPREAD,
        single_label=single,
        facts={"groups": count, "trainings": count + 1},
        signature=described(classifier, signature, seed),
    )
