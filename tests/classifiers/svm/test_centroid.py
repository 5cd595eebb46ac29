"""SVMs with the score of the centroid added, for categories of one or two documents."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import rubricate as rb
from rubricate.classifiers import svm_linear as linear_solver
from rubricate.errors import InvalidInput
from rubricate.estimation.leave_one_out import leave_one_out
from rubricate.estimation.xi_alpha import xi_alpha
from rubricate.folds import score_matrix
from rubricate.thresholds import resolve
from rubricate.training.candidates import candidates_for, centroids_for
from rubricate.training.data import TrainingData
from rubricate.training.plan import TrainingPlan
from rubricate.training.run import TrainingRun

WORDS = [a + b + c for a in "bdfglmnprstvz" for b in "aeiou" for c in "kmnrst"]


@pytest.fixture(scope="module")
def matrices():
    rng = np.random.default_rng(8)
    X = sparse.csr_array(sparse.random_array((60, 30), density=0.3, rng=rng, format="csr"))
    labels = rng.random((60, 6)) < 0.15
    labels[:, 4], labels[0, 4], labels[:, 5] = False, True, False
    return X, sparse.csr_array(labels)


def centroids(X, labels):
    """Sum of each category's documents, length 1, one by one."""
    rows, marks = X.toarray(), labels.toarray()
    sums = [rows[marks[:, c]].sum(axis=0) for c in range(marks.shape[1])]
    return np.array([each / np.linalg.norm(each) if each.any() else each for each in sums])


@pytest.mark.parametrize("most", [0, 1 << 25])
def test_the_score_is_that_of_the_svm_and_of_the_centroid(matrices, most, monkeypatch):
    monkeypatch.setattr(linear_solver, "MAX_DENSE_WEIGHTS", most)
    X, labels = matrices
    plain, both = rb.SVM().fit(X, labels), rb.SVM(centroid=2.0).fit(X, labels)
    wanted = plain.decision_function(X) + 2.0 * X @ centroids(X, labels).T
    assert np.allclose(both.decision_function(X), wanted, atol=1e-12)
    assert np.array_equal(both.intercept_, plain.intercept_)
    assert np.all(both.decision_function(X)[:, 5] == -1.0), "a category without documents stays at −1"
    assert sparse.issparse(both.coef_) == (most == 0)


def test_two_classes_get_the_difference_of_their_centroids(matrices):
    X, _ = matrices
    y = np.arange(60) % 2
    plain, both = rb.SVM().fit(X, y), rb.SVM(centroid=1.5).fit(X, y)
    first, second = centroids(X, sparse.csr_array(np.column_stack([y == 0, y == 1])))
    wanted = plain.decision_function(X) + 1.5 * X @ (second - first)
    assert np.allclose(both.decision_function(X), wanted, atol=1e-12)


def test_weights_of_documents_count_in_centroids(matrices):
    X, labels = matrices
    weights = np.ones(60)
    weights[:20] = 2.0
    twice = sparse.csr_array(sparse.vstack([X, X[:20]])), sparse.csr_array(sparse.vstack([labels, labels[:20]]))
    a = rb.SVM(centroid=1.0, tol=1e-9).fit(X, labels, sample_weight=weights).decision_function(X)
    b = rb.SVM(centroid=1.0, tol=1e-9).fit(*twice).decision_function(X)
    assert np.allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("value", [-1.0, float("nan"), "auto", True, float("inf")])
def test_other_values_are_refused(matrices, value):
    with pytest.raises(InvalidInput, match="centroid must be a number of 0 or more"):
        rb.SVM(centroid=value).fit(*matrices)


def test_other_kernels_have_no_centroid(matrices):
    with pytest.raises(InvalidInput, match="linear kernel"):
        rb.SVM(centroid=1.0, kernel="rbf").fit(*matrices)


def test_a_model_file_keeps_it(tmp_path):
    texts = [f"{WORDS[i % 7]} {WORDS[7 + i % 5]} {WORDS[12 + i % 3]}" for i in range(70)]
    model = rb.Categorizer(rb.SVM(centroid=2.0), folds=0, cut=0.0).fit(texts, [f"c{i % 7}" for i in range(70)])
    again = rb.open(model.save(tmp_path / "m.rubric"))
    assert again.classifier_.centroid == 2.0
    assert np.array_equal(again.decision_function(texts), model.decision_function(texts))
    plain = rb.Categorizer(rb.SVM(), folds=0, cut=0.0).fit(texts, [f"c{i % 7}" for i in range(70)])
    assert not np.allclose(plain.decision_function(texts), model.decision_function(texts))


@pytest.mark.slow
def test_leaving_one_out_takes_it_out_of_the_centroid_too(matrices):
    X, labels = matrices
    some = sparse.csr_array(labels[:, :2])
    estimate = leave_one_out(rb.SVM(centroid=2.0), X, some)
    rows = np.arange(60)
    decided = np.vstack(
        [rb.SVM(centroid=2.0).fit(X[rows != i], some[rows != i]).decision_function(X[[i]]) > 0 for i in rows]
    )
    errors = (decided != some.toarray()).mean(axis=0)
    assert np.allclose(estimate.error, errors)
    with pytest.raises(InvalidInput, match="no dual"):
        xi_alpha(rb.SVM(centroid=2.0), X, some)


def rare_material(categories=150):
    rng = np.random.default_rng(1)
    documents = [c for c in range(categories) for _ in range(2 if c % 3 else 4)]
    texts = [
        " ".join([WORDS[c], *(WORDS[200 + n] for n in rng.integers(0, 40, 6)), WORDS[300 + c // 5]]) for c in documents
    ]
    return TrainingData(texts, [(f"c{c}",) for c in documents])


def test_centroids_are_tried_where_many_categories_are_rare_and_ranks_decide():
    best, every = resolve("rcut:1"), (0.0, 4.0)
    assert centroids_for(rare_material().labels, best) == every
    assert centroids_for(rare_material().labels, resolve("micro_macro")) == (0.0,)
    assert centroids_for(rare_material(60).labels, best) == (0.0,), "fewer than a hundred"
    common = sparse.csr_array(np.tile(np.eye(150, dtype=bool), (3, 1)))
    assert centroids_for(common, best) == (0.0,), "three documents each"
    tried = candidates_for(None, tuned=True, costs=(1.0, 2.0), centroids=every)
    assert [(each.C, each.centroid) for each in tried] == [(C, each) for C in (1.0, 2.0) for each in every]
    assert all(each.centroid == 0 for each in candidates_for(None, tuned=True))
    assert candidates_for(None, tuned=False, centroids=every)[0].centroid == 0


@pytest.mark.slow
def test_options_that_differ_in_the_centroid_share_a_training_and_leak_nothing(monkeypatch):
    material = rare_material()
    trainings = []
    original = rb.SVM._learn

    def counted(self, *arguments):
        trainings.append(self.C)
        return original(self, *arguments)

    monkeypatch.setattr(rb.SVM, "_learn", counted)
    procedure = TrainingPlan(
        representations=(rb.Categorizer().settings().shape(),),
        candidates=candidates_for(None, tuned=True, costs=(1.0, 2.0), centroids=(0.0, 4.0)),
        cut=resolve("rcut:1"),
        folds=3,
        single_label=True,
    )
    execution = TrainingRun(procedure, material, engine="serial")
    scores = [each for each, _ in execution.held_out_scores()]
    assert sorted(trainings) == [1.0] * 3 + [2.0] * 3
    for option, candidate in enumerate(procedure.candidates):
        for step in procedure.fold_steps(range(option, option + 1), 0):
            parts = execution.shaped(step)
            alone = execution._fit(option, parts)
            assert alone.classifier.centroid == candidate.centroid
            held = np.flatnonzero(material.fold_ids(3, 0) == step.fold.number)
            assert np.array_equal(scores[option][held], score_matrix(alone, parts.Z))
    assert not np.array_equal(scores[0], scores[1])


@pytest.mark.slow
def test_the_default_chooses_by_folds():
    material = rare_material()
    names = [material.categories[c] for c in material.labels.indices]
    again = TrainingData(material.documents, names)
    tried = TrainingRun(rb.Categorizer(representation="terms").procedure(again), again).procedure.candidates
    assert {each.centroid for each in tried} == {0.0, 4.0}
    model = rb.Categorizer(representation="terms", cut="rcut:1", folds=2).fit(material.documents, names)
    assert model.classifier_.centroid in (0.0, 4.0)
