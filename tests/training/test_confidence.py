"""The chance that a document is decided exactly right: against a slow twin, calibrated, and at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import spearmanr

from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.thresholds import resolve
from rubricate.training import confidence
from rubricate.training.confidence import Confidence, exactly_right
from rubricate.training.confidence_scores import offsets
from rubricate.types import Scores


def world(seed=0, n=3000, m=6):
    """Scores, and labels drawn with chances that follow from them."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(-1, 1.2, (n, m))
    labels = rng.random((n, m)) < 1 / (1 + np.exp(-4 * scores))
    return scores, indicator(labels)


@pytest.fixture(scope="module")
def learned():
    scores, labels = world()
    cut = resolve(0.0).fit(scores, labels)
    right = exactly_right(cut.decide(scores), labels)
    return Confidence().fit(offsets(scores, cut), labels, right), cut


def test_offsets_of_cuts_ranks_and_infinities():
    scores = np.array([[1.0, 0.25, -np.inf], [np.inf, 0.5, 0.0]])
    cut = resolve("scut").fit([[0.5, 0.5, 0.5]] * 2, np.zeros((2, 3)))
    cut.cuts_ = np.array([0.5, np.inf, 0.5])
    assert offsets(scores, cut).tolist() == [[0.5, -np.inf, -np.inf], [np.inf, -np.inf, -0.5]]
    assert offsets(scores[:1], resolve("rcut:1")).tolist() == [[0.375, -0.375, -np.inf]]
    assert offsets(np.array([[0.3]]), resolve("rcut:1")).tolist() == [[np.inf]]
    limited = resolve("rank_limit:1").fit([[0.5, 0.1], [0.2, 0.9]], np.eye(2))
    assert offsets(np.array([[0.5, 0.1]]), limited) == pytest.approx(np.array([[0.5, 0.1]]) - limited.cut_.cuts_)


@given(
    scores=st.lists(st.lists(st.integers(-4, 4).map(lambda k: k / 2), min_size=3, max_size=3), min_size=1, max_size=6),
    name=st.sampled_from(["rcut:1", "rcut:2", "fixed:0.5"]),
)
def test_sparse_scores_have_the_offsets_of_dense_ones(scores, name):
    dense = np.array(scores)
    cut = resolve(name).fit(None, np.zeros(dense.shape))
    stored = sparse.csr_array(
        (dense.ravel(), np.tile(np.arange(3), len(dense)), np.arange(len(dense) + 1) * 3), dense.shape
    )
    found = offsets(Scores(stored, ("a", "b", "c"), range(len(dense))), cut)
    assert np.array_equal(found.data.reshape(dense.shape), offsets(dense, cut))


def test_sureness_is_the_sum_of_the_cells(learned):
    sure, cut = learned
    scores = world(seed=5, n=20)[0]
    scores[3, 2], scores[4, 1] = -np.inf, np.inf
    found = sure.confidence_score(offsets(scores, cut))
    for row, value in zip(scores, found, strict=True):
        total = 0.0
        for column, x in enumerate(row):
            if not math.isfinite(x):
                continue
            z, a, f = min(max(x / sure.scale_, -10), 10), float(x >= 0), sure.familiar_[column]
            logit = float(sure.weights_ @ [1, z, abs(z), a, f, z * f, a * f])
            chance = 1 / (1 + math.exp(-logit))
            total += math.log(chance if a else 1 - chance)
        assert value == pytest.approx(total, rel=1e-9)


def test_chances_are_calibrated_on_documents_not_seen(learned):
    sure, cut = learned
    scores, labels = world(seed=1, n=6000)
    right = exactly_right(cut.decide(scores), labels)
    chance = sure.predict(offsets(scores, cut))
    for low in np.arange(0.2, 1.0, 0.2):
        some = (chance >= low) & (chance < low + 0.2)
        if some.sum() > 200:
            assert right[some].mean() == pytest.approx(chance[some].mean(), abs=0.06)


def test_more_sureness_is_never_less_chance_and_no_chance_is_certain(learned):
    sure, cut = learned
    far = offsets(np.vstack([world(seed=2)[0], np.full((1, 6), 1e300), np.full((1, 6), -np.inf)]), cut)
    order = np.argsort(sure.confidence_score(far))
    chance = sure.predict(far)[order]
    assert np.all(np.diff(chance) >= 0)
    assert chance.min() > 0
    assert chance.max() < 1


def test_a_sample_of_the_cells_gives_nearly_the_same(monkeypatch):
    scores, labels = world(n=4000)
    cut = resolve(0.0).fit(scores, labels)
    right = exactly_right(cut.decide(scores), labels)
    whole = Confidence().fit(offsets(scores, cut), labels, right)
    monkeypatch.setattr(confidence, "SAMPLE", 3000)
    part = Confidence().fit(offsets(scores, cut), labels, right)
    x = offsets(scores, cut)
    assert spearmanr(whole.confidence_score(x), part.confidence_score(x)).statistic > 0.99
    assert np.abs(whole.predict(x) - part.predict(x)).mean() < 0.02  # steps of the curve may lie elsewhere


def test_sparse_offsets_learn_the_same():
    scores, labels = world(n=300, m=4)
    x = offsets(scores, resolve(0.0).fit(scores, labels))
    right = exactly_right(indicator(x >= 0), labels)
    stored = sparse.csr_array((x.ravel(), np.tile(np.arange(4), 300), np.arange(301) * 4), x.shape)
    dense, sparse_one = Confidence().fit(x, labels, right), Confidence().fit(stored, labels, right)
    assert sparse_one.predict(stored) == pytest.approx(dense.predict(x), abs=1e-9)


def test_always_right_and_always_wrong():
    x = np.full((9, 2), 1.0)
    every, none = indicator(np.ones((9, 2))), indicator(np.zeros((9, 2)))
    assert Confidence().fit(x, every, np.ones(9)).predict(x) == pytest.approx(np.full(9, 10 / 11))
    assert Confidence().fit(x, none, np.zeros(9)).predict(x) == pytest.approx(np.full(9, 1 / 11))


def test_nothing_or_ragged_input_is_refused():
    with pytest.raises(InvalidInput, match="same documents"):
        Confidence().fit(np.ones((2, 2)), indicator(np.ones((3, 2))), np.ones(3))
    with pytest.raises(InvalidInput, match="at least one"):
        Confidence().fit(np.ones((0, 2)), indicator(np.ones((0, 2))), np.ones(0))
