"""Intervals: Wilson against statsmodels, the bootstrap against resampling whole documents, and how often they hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint
from tests.measures.strategies import label_pairs
from tests.tally import count_cases

from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.measures import bootstrap, centred, counts, percentile, wilson
from rubricate.measures.evaluation import evaluate
from rubricate.measures.resampling import count_patterns, group_documents


@given(st.integers(0, 40), st.integers(0, 40), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_is_that_of_statsmodels(hits, misses, level):
    found = wilson(hits, hits + misses, level=level)
    if hits + misses == 0:
        assert (found.low, found.high) == (0.0, 1.0)
        count_cases(0)
        return
    theirs = proportion_confint(hits, hits + misses, alpha=1 - level, method="wilson")
    assert (found.low, found.high) == pytest.approx(theirs, abs=1e-12)
    assert found.low <= hits / (hits + misses) <= found.high
    count_cases()


def test_wilson_by_hand():
    """8 of 10 with z² = 3.841459: (.8 + .192073 ± 1.959964 √(.016 + .009604)) / 1.384146."""
    found = wilson(8, 10)
    assert (round(found.low, 6), round(found.high, 6)) == (0.490162, 0.943318)


@given(label_pairs(), st.integers(0, 2**16))
def test_a_resample_counts_as_the_documents_that_were_drawn(pair, seed):
    truth, decided = map(indicator, pair)
    drawn = np.random.default_rng(seed).integers(0, truth.shape[0], truth.shape[0])
    weights = np.bincount(drawn, minlength=truth.shape[0])
    patterns = count_patterns(truth, decided)
    sums = patterns.sums(np.bincount(patterns.codes, weights=weights, minlength=len(patterns.sizes)))
    ours, theirs = sums.table(), counts(truth[drawn], decided[drawn])
    for cell in ("tp", "fp", "fn", "tn"):
        assert np.array_equal(getattr(ours, cell), getattr(theirs, cell))
    right = (truth[drawn].toarray() == decided[drawn].toarray()).all(axis=1)
    silent = ~decided[drawn].toarray().any(axis=1)
    assert [sums.exact[0], sums.silent[0], sums.n[0]] == [right.sum(), silent.sum(), len(drawn)]


def test_marks_that_deceive_do_no_harm():
    """Equal first marks with different second ones: no documents are grouped."""
    first, codes, sizes = group_documents(np.array([[7, 1], [7, 2], [7, 2]]))
    assert first.tolist() == codes.tolist() == [0, 1, 2]
    assert sizes.tolist() == [1, 1, 1]
    first, codes, sizes = group_documents(np.array([[7, 2], [5, 1], [7, 2]]))
    assert (first.tolist(), codes.tolist(), sizes.tolist()) == ([1, 0], [1, 0, 1], [1, 2])


@pytest.mark.proof
def test_the_bootstrap_holds_about_as_often_as_it_says():
    """Recall of independent documents with p = .7: a 90 % interval should hold 90 % of the time; 200 trials, ±3 s.e."""
    rng = np.random.default_rng(0)
    held = 0
    for trial in range(200):
        hits = indicator((rng.random((80, 1)) < 0.7).astype(int))
        values = bootstrap(
            lambda w, hits=hits: {"r": float(w @ hits.toarray()[:, 0] / w.sum())}, 80, draws=200, seed=trial
        )
        interval = percentile(values["r"], level=0.9)
        held += interval.low <= 0.7 <= interval.high
    assert 0.9 - 3 * 0.0212 <= held / 200 <= 0.9 + 3 * 0.0212


def test_resamples_follow_the_seed():
    def spread(weights):
        return {"x": float(weights @ np.arange(5)), "y": float(weights[0])}

    first, again, other = (bootstrap(spread, 5, draws=20, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first["x"], again["x"])
    assert not np.array_equal(first["x"], other["x"])


def test_percentiles_leave_nan_out():
    interval = percentile(np.array([np.nan, 1.0, 1.0]))
    assert (interval.low, interval.high, interval.method) == (1.0, 1.0, "bootstrap")
    assert np.isnan(percentile(np.array([np.nan])).low)


def test_errors_say_what_to_do():
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        wilson(1, 2, level=95)
    with pytest.raises(InvalidInput, match="successes must lie"):
        wilson(3, 2)
    with pytest.raises(InvalidInput, match="at least one draw"):
        bootstrap(lambda w: {}, 3, draws=0)
    with pytest.raises(InvalidInput, match="no document to draw"):
        bootstrap(lambda w: {}, 0)


def test_the_interval_of_macro_f1_holds_its_value_where_categories_are_rare():
    """Forty categories of one document each, all right: a resample misses a third of them, which must not matter."""
    truth = indicator(np.eye(40, dtype=int))
    found = evaluate(truth, truth, bootstrap=200).intervals["macro.f1"]
    assert found[-1].low <= 1.0 <= found[-1].high


def test_centred_intervals_stay_in_their_range():
    assert centred(1.0, np.array([0.5, 0.7])).high == 1.0
    assert centred(0.0, np.array([0.1, 0.5])).low == 0.0
    assert centred(3.0, np.array([2.0, 4.0]), level=0.5).high == pytest.approx(3.5)
    assert np.isnan(centred(0.5, np.array([np.nan])).low)
