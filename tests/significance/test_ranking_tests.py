"""Tests on average precision, document by document."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_1samp
from sklearn.metrics import label_ranking_average_precision_score

from rubricate.errors import InvalidInput
from rubricate.significance.permutation import ranking_permutation
from rubricate.significance.sign_tests import ranking_sign
from rubricate.significance.t_tests import ranking_t


@pytest.fixture(scope="module")
def scored(make_run):
    rng = np.random.default_rng(7)
    truth = rng.random((120, 12)) < 0.15
    truth[0] = False
    scores = [truth * strength + rng.normal(size=truth.shape) for strength in (1.6, 0.9)]
    runs = [make_run(n, truth, s > 1, scores=s) for n, s in zip("ab", scores, strict=True)]
    labelled = truth.any(axis=1)
    values = [
        np.array([label_ranking_average_precision_score(truth[[d]], s[[d]]) for d in np.flatnonzero(labelled)])
        for s in scores
    ]
    return runs, values[0] - values[1]


@pytest.mark.slow
def test_differences_are_those_of_scikit_learn(scored) -> None:
    runs, d = scored
    changed = d[np.abs(d) > 1e-12]
    found = ranking_t(*runs, measure="average_precision")
    assert found.n == len(changed) > 40
    assert found.statistic == pytest.approx(ttest_1samp(changed, 0).statistic, rel=1e-9)
    sign = ranking_sign(*runs, measure="average_precision", exact=True)
    expected = binomtest(int((changed > 0).sum()), len(changed), alternative="greater").pvalue
    assert sign.p_value == pytest.approx(expected, rel=1e-10)


@pytest.mark.slow
def test_permutation_is_as_far_out_as_the_t_test(scored) -> None:
    runs, d = scored
    found = ranking_permutation(*runs, measure="average_precision")
    assert found.effect == pytest.approx(d.mean(), rel=1e-9)
    assert found.better == "a"
    weak = [dataclasses.replace(r, truth=r.truth) for r in runs]
    assert ranking_permutation(*weak).measure == "eleven_point"


def test_less_ranking_loss_is_better(scored) -> None:
    runs, _ = scored
    found = ranking_t(*runs, measure="ranking_loss")
    assert (found.symbol, found.better) == ("<<", "a")


def test_what_cannot_be_ranked(scored) -> None:
    runs, _ = scored
    with pytest.raises(InvalidInput, match="no scores"):
        ranking_t(dataclasses.replace(runs[0], scores=None), runs[1])
    with pytest.raises(InvalidInput, match="not a ranking measure"):
        ranking_sign(*runs, measure="f1")
