"""Beyond the tables of joachims2000: the bounds of section 3.1, ξα along a path of C, and ξα off text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from rubricate.classifiers.svm.svm import SVM
from rubricate.estimation.leave_one_out import leave_one_out
from rubricate.estimation.theory.bounds import vc_deviation, vc_excess, vc_mean_square
from rubricate.estimation.xi_alpha import xi_alpha
from rubricate.experiments.cells import Value
from rubricate.experiments.figure import Figure, Series
from rubricate.measures import counts, macro, resolve
from rubricate.types import Floats

__all__ = ["along_path", "bounds", "off_text", "path_figure"]


def bounds(documents: int, terms: int, training_error: float) -> dict[tuple[str, str], Value]:
    """Return what equations 9 to 11 say of hyperplanes over these terms, d = terms + 1: all of it far above 1."""
    d = terms + 1
    return {
        ("documents, n", "value"): documents,
        ("VC dimension of hyperplanes, d", "value"): d,
        ("training error, mean of the categories", "value"): training_error,
        ("ε of equation 9 at δ = .05", "value"): vc_deviation(documents, d),
        ("excess of equation 10 at δ = .05", "value"): vc_excess(documents, d),
        ("mean square of equation 11", "value"): vc_mean_square(documents, d),
        ("documents per term at which ε of equation 9 is .1", "value"): _needed(d) / d,
    }


def _needed(d: int) -> int:
    """Return the number of documents at which equation 9 gives ε = .1, to one in a hundred."""
    n = d
    while vc_deviation(n, d) > 0.1:
        n = int(1.01 * n) + 1
    return n


def along_path(splits: Sequence[Any], costs: Sequence[float]) -> dict[tuple[str, str], Value]:
    """Measure macro-averages by C: the ξα-estimate (ρ = 1) and the hold-out figure; then what each of them chooses.

    A split is (X, labels, Z, truth). Choosing along the path costs the trainings and nothing else.
    """
    table = np.array([[_both(split, cost) for split in splits] for cost in costs]).mean(axis=1)
    columns = ("F1 ξα", "F1", "Err ξα", "Err")
    rows: dict[tuple[str, str], Value] = {
        (f"C = {cost:g}", column): float(value)
        for cost, line in zip(costs, table, strict=True)
        for column, value in zip(columns, line, strict=True)
    }
    chosen, best = int(table[:, 0].argmax()), int(table[:, 1].argmax())
    rows["C chosen by ξα", "F1"], rows["C best on the test half", "F1"] = float(table[chosen, 1]), float(table[best, 1])
    rows["C chosen by ξα", "C"], rows["C best on the test half", "C"] = float(costs[chosen]), float(costs[best])
    return rows


def _both(split: tuple[Any, Any, Any, Any], cost: float) -> tuple[float, float, float, float]:
    X, labels, Z, truth = split
    svm = SVM(C=cost).fit(X, labels)
    estimate = xi_alpha(svm, X, labels)
    table = counts(truth, sparse.csr_array(svm.decision_function(Z) > 0))
    held = [float(macro(resolve(name), table)) for name in ("f1", "error")]
    return 100 * float(np.mean(estimate.f1)), 100 * held[0], 100 * float(np.mean(estimate.error)), 100 * held[1]


def path_figure(rows: Mapping[tuple[str, str], Value], costs: Sequence[float]) -> Figure:
    """Draw F1 by C, estimated and measured."""
    series = [
        Series(label, costs, [float(rows[f"C = {cost:g}", column]) for cost in costs])  # type: ignore[arg-type]
        for label, column in (("ξα, ρ = 1", "F1 ξα"), ("hold-out", "F1"))
    ]
    title = "Macro-F1 of Reuters along a path of C: the ξα-estimate and the hold-out figure"
    return Figure("path", title, "C", "F1, percent", tuple(series), log_x=True)


def off_text(names: Sequence[str], *, C: float, splits: int, seed: int) -> dict[tuple[str, str], Value]:
    """Estimate the error on data that come with scikit-learn: ξα for both ρ, leave-one-out, and the other half's.

    Means in percent over random halves and over the classes.
    """
    rows: dict[tuple[str, str], Value] = {}
    for name in names:
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        labels = np.eye(y.max() + 1, dtype=bool)[y]
        errors = [_errors(X, labels, C=C, rng=np.random.default_rng([seed, split])) for split in range(splits)]
        columns = ("Err ξα ρ=1", "Err ξα ρ=2", "Err leave-one-out", "Err")
        means = 100 * np.mean(errors, axis=0)
        rows |= {(name.replace("_", " "), column): float(value) for column, value in zip(columns, means, strict=True)}
    return rows


def _errors(X: Floats, labels: Any, *, C: float, rng: np.random.Generator) -> tuple[float, float, float, float]:
    order = rng.permutation(len(X))
    train, test = order[: len(X) // 2], order[len(X) // 2 :]
    scaler = StandardScaler().fit(X[train])
    own = sparse.csr_array(scaler.transform(X[train]))
    known = sparse.csr_array(labels[train])
    svm = SVM(C=C).fit(own, known)
    estimates = [xi_alpha(svm, own, known, rho=rho) for rho in (1, 2)]
    exact = leave_one_out(svm, own, known)
    wrong = (svm.decision_function(sparse.csr_array(scaler.transform(X[test]))) > 0) != labels[test]
    first, second, third = (float(np.mean(estimate.error)) for estimate in (*estimates, exact))
    return first, second, third, float(wrong.mean())
