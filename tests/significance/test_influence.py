"""Influence of documents against numerical derivatives; the bootstrap of all pairs against plain draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rubricate.measures.intervals import SUMMARIES, influence, ratios
from rubricate.measures.resampling import count_patterns
from rubricate.significance.bootstrap import bootstrap, bootstrap_family
from rubricate.significance.system import System


def weighted(measure, truth, decided, weights):
    """The measure where documents count by weights, from its definition."""
    if measure == "accuracy":
        return weights @ (truth == decided).all(axis=1) / weights.sum()
    hits, labels = weights @ (truth & decided), weights @ truth + weights @ decided
    if measure == "micro_f1":
        return 2 * hits.sum() / labels.sum()
    return np.divide(2 * hits, labels, out=np.zeros(len(hits)), where=labels > 0).mean()


@pytest.mark.parametrize("measure", ["micro_f1", "macro_f1", "accuracy"])
def test_influence_is_the_derivative_by_the_weight_of_a_document(measure):
    rng = np.random.default_rng(1)
    truth = rng.random((30, 4)) < 0.4
    decided = truth ^ (rng.random(truth.shape) < 0.2)
    truth[:, 3] = decided[:, 3] = False  # 0/0 counts as 0 and has no influence
    n, step = len(truth), 1e-6
    base = weighted(measure, truth, decided, np.ones(n))
    expected = [(weighted(measure, truth, decided, 1 + step * (np.arange(n) == d)) - base) / step * n for d in range(n)]
    patterns = count_patterns(sparse.csr_array(truth), sparse.csr_array(decided))
    found = ratios(patterns, measure).influence(patterns.sizes)
    np.testing.assert_allclose(found[patterns.codes], expected, atol=1e-4)
    np.testing.assert_allclose(influence(patterns, SUMMARIES[measure]), found, atol=1e-3)


def systems(documents, *noise):
    rng = np.random.default_rng(7)
    truth = rng.random((documents, 5)) < 0.3
    return [
        System(
            f"s{number}",
            tuple("abcde"),
            range(documents),
            sparse.csr_array(truth),
            sparse.csr_array(truth ^ (rng.random(truth.shape) < share)),
        )
        for number, share in enumerate(noise)
    ]


@pytest.mark.proof
@pytest.mark.parametrize("measure", ["micro_f1", "macro_f1"])
def test_all_pairs_at_once_agree_with_plain_draws(measure):
    """Pairs far from the line of Holm have a normal tail, those near it are drawn; few documents are always drawn."""
    a, b, c, d = systems(1500, 0.10, 0.101, 0.112, 0.2)
    pairs, steps = [(a, b), (a, c), (a, d), (c, d)], []
    family = bootstrap_family(pairs, measure=measure, advance=steps.append)
    assert sum(steps) == len(pairs)
    for (first, second), outcome in zip(pairs, family, strict=True):
        plain = bootstrap(first, second, measure=measure, samples=9_999)
        assert outcome.effect == pytest.approx(plain.effect, abs=1e-12)
        assert outcome.p_value == pytest.approx(plain.p_value, rel=0.25, abs=1e-3)
    methods = [outcome.method for outcome in family]
    assert any("infinitesimal jackknife" in method for method in methods)
    (few,) = bootstrap_family([tuple(systems(200, 0.1, 0.12))], measure=measure)
    assert "jackknife" not in few.method
