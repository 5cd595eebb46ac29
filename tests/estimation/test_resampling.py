"""Cross-validation, hold-out, bootstrap, jackknife and training error against their formulas written out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

import rubricate as rb
from rubricate.errors import InvalidInput, UnknownName
from rubricate.estimation.bounds import hoeffding, holdout_deviation, kearns_ron, rogers_wagner, vc_excess
from rubricate.estimation.leave_one_out import leave_one_out
from rubricate.estimation.resampling import bootstrap, cross_validation, holdout, jackknife
from rubricate.estimation.xi_alpha import training_error


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(0)
    y = rng.random(40) < 0.5
    X = rng.normal(size=(40, 4)) + y[:, None] * 0.7
    return X, y, sparse.csr_array(y[:, None])


def _fit(X, y):
    return RidgeClassifier().fit(X, y.astype(int))


def test_training_error_and_the_vc_bound(world):
    X, y, labels = world
    found = training_error(RidgeClassifier(), X, labels)
    emp = np.mean(_fit(X, y).predict(X) != y)
    assert found.error[0] == pytest.approx(emp)
    assert found.facts["dimension"] == 5
    assert found.facts["vc_bound"][0] == pytest.approx(emp + vc_excess(40, 5))


def test_bootstrap_has_the_sign_of_the_specification(world):
    X, y, labels = world
    found = bootstrap(RidgeClassifier(), X, labels, samples=7, seed=3)
    emp, total = np.mean(_fit(X, y).predict(X) != y), 0.0
    for b in range(7):
        drawn = np.sort(np.random.default_rng([3, b]).integers(0, 40, 40))
        loss = _fit(X[drawn], y[drawn]).predict(X) != y
        total += sum((1 / 40 - np.sum(drawn == i) / 40) * loss[i] for i in range(40))
    assert found.error[0] == pytest.approx(emp + total / 7)
    assert found.error[0] > emp


def test_the_632_bootstrap(world):
    X, y, labels = world
    found = bootstrap(RidgeClassifier(), X, labels, samples=7, seed=3, kind=".632")
    wrong = left = 0
    for b in range(7):
        drawn = np.random.default_rng([3, b]).integers(0, 40, 40)
        out = np.setdiff1d(np.arange(40), drawn)
        wrong += np.sum(_fit(X[np.sort(drawn)], y[np.sort(drawn)]).predict(X[out]) != y[out])
        left += len(out)
    emp = np.mean(_fit(X, y).predict(X) != y)
    assert found.error[0] == pytest.approx(0.368 * emp + 0.632 * wrong / left)


@pytest.mark.slow
def test_jackknife_is_its_formula(world):
    X, y, labels = world
    found = jackknife(RidgeClassifier(), X, labels)
    losses = np.array([_fit(np.delete(X, i, 0), np.delete(y, i)).predict(X) != y for i in range(40)])
    emp, loo = np.mean(_fit(X, y).predict(X) != y), np.mean(np.diag(losses))
    others = (losses.sum() - np.trace(losses)) / (40 * 39)
    assert found.error[0] == pytest.approx(emp + 39 / 40 * (loo - others))


@pytest.mark.slow
def test_leave_one_out_of_any_classifier_is_scikit_learns(world):
    X, y, labels = world
    found = leave_one_out(KNeighborsClassifier(3), X, labels)
    said = cross_val_predict(KNeighborsClassifier(3), X, y, cv=LeaveOneOut())
    assert (found.table.tp[0], found.table.fp[0]) == (np.sum(said & y), np.sum(said & ~y))


def test_cross_validation_counts_every_document_once_for_each_repeat(world):
    X, _, labels = world
    found = cross_validation(rb.SVM(), X, labels, folds=5, repeats=3)
    table = found.table
    assert int((table.tp + table.fp + table.fn + table.tn)[0]) == 120
    assert found.deviation["error"].shape == (1,)
    assert found.facts["trainings"] == 15
    plain = cross_validation(rb.SVM(), X, labels, folds=5, stratified=False)
    assert 0 < plain.error[0] < 0.6


def test_holdout_and_its_bounds(world):
    X, _, labels = world
    found = holdout(rb.SVM(), X, labels, share=0.25, repeats=4)
    assert found.facts["held_out"] == 10
    assert found.facts["deviation_bound"] == pytest.approx(np.sqrt(1 / 40))
    assert found.facts["hoeffding"] == pytest.approx(hoeffding(10))
    assert 2 * np.exp(-2 * 10 * found.facts["hoeffding"] ** 2) == pytest.approx(0.05)


def test_one_best_class_of_each_document():
    rng = np.random.default_rng(1)
    y = np.arange(45) % 3
    X = np.eye(3)[y] + rng.normal(size=(45, 3)) * 0.4
    labels = sparse.csr_array(np.eye(3, dtype=bool)[y])
    found = cross_validation(RidgeClassifier(), X, labels, single=True)
    assert (found.table.tp + found.table.fp).sum() == 45
    assert found.micro["precision"] == pytest.approx(found.micro["recall"])


def test_bounds():
    assert rogers_wagner(100, 0.01) == pytest.approx(0.07)
    assert kearns_ron(10_000, 10, 0.1) == pytest.approx(8 * np.sqrt(11 * (np.log(9000) + 2) / 10_000) / 0.1)
    assert holdout_deviation(25) == 0.1
    assert vc_excess(100, np.inf) == np.inf
    assert vc_excess(100, 1e9) == vc_excess(100, 200)
    for wrong in (lambda: vc_excess(0, 1), lambda: hoeffding(5, 2.0), lambda: rogers_wagner(5, 2)):
        with pytest.raises(InvalidInput):
            wrong()


def test_what_cannot_be_done_is_said(world):
    X, _, labels = world
    with pytest.raises(InvalidInput, match="50 folds of 40 documents"):
        cross_validation(rb.SVM(), X, labels, folds=50)
    with pytest.raises(InvalidInput, match="at least one must be held out"):
        holdout(rb.SVM(), X, labels, share=0.001)
    with pytest.raises(UnknownName, match="kind of bootstrap"):
        bootstrap(rb.SVM(), X, labels, kind=".633")
    with pytest.raises(InvalidInput, match="1 groups"):
        jackknife(rb.SVM(), X, labels, groups=1)
    with pytest.raises(InvalidInput, match="expected a classifier"):
        training_error(rb.SVM, X, labels)
    with pytest.raises(InvalidInput, match="2 category names for labels of 1"):
        training_error(rb.SVM(), X, labels, categories=("a", "b"))
