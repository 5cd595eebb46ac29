"""Rules that every measure meets: found by themselves, one test a rule."""

import numpy as np
import pytest
from scipy import sparse

from rubricate import registry
from rubricate.hierarchy import Hierarchy
from rubricate.labels import indicator
from rubricate.measures import (
    by_distance,
    counts,
    extended_counts,
    meeting_counts,
    placed,
    ranks,
    sweeps,
    with_ancestors,
)

NAMES = registry.names("measures")
KINDS = ("counts", "documents", "cuts", "ranking", "probability", "scores", "extended", "ancestors", "lca")
TREE = Hierarchy.from_edges([("0", "1"), ("0", "2"), ("3", "4"), ("3", "5"), ("2", "5")])
RNG = np.random.default_rng(7)
TRUTH = RNG.random((40, 6)) < 0.3
TRUTH[:, 5] = False
TRUTH[3] = False
SCORES = np.round(RNG.random((40, 6)), 1)


def measures(*kinds):
    found = {name: registry.load("measures", name) for name in NAMES}
    return [pytest.param(one, id=name) for name, one in found.items() if one.kind in kinds]


def values(measure, scores, truth, names="012345"):
    """The values of a measure of any kind on one set of scores, decisions being the scores from .5 on.

    The extended ones are asked with 0/0 = 1: where nothing is true, a near miss has a value above 0.
    """
    labels = indicator(truth)
    decided = indicator(scores >= 0.5)
    if measure.kind in ("counts", "documents"):
        by = "category" if measure.kind == "counts" else "document"
        return measure(counts(labels, decided, by=by))
    if measure.kind == "cuts":
        return np.concatenate([measure(found.counts) for found in sweeps(scores, labels)])
    if measure.kind == "ranking":
        return measure(ranks(scores, labels))
    if measure.kind == "extended":
        return measure(extended_counts(labels, decided, by_distance(TREE, names, acceptable=3)), undefined="one")
    if measure.kind == "ancestors":
        sets = [with_ancestors(part, placed(TREE, names)) for part in (labels, decided)]
        return measure(counts(*sets, by="document"))
    if measure.kind == "lca":
        return measure(meeting_counts(labels, decided, placed(TREE, names)))
    return measure(scores, labels)


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_says_what_it_is(name):
    one = registry.load("measures", name)
    assert one.kind in KINDS
    assert one.symbol
    assert isinstance(one.greater_is_better, bool)
    assert one.__doc__
    assert registry.find("measures", one) == name


@pytest.mark.slow
@pytest.mark.parametrize("measure", measures(*KINDS))
def test_perfect_predictions_score_best(measure):
    best = values(measure, TRUTH.astype(float), TRUTH)
    for scores in (SCORES, 1 - TRUTH.astype(float), np.zeros(TRUTH.shape), np.ones(TRUTH.shape)):
        other = values(measure, scores, TRUTH)
        both = ~np.isnan(best) & ~np.isnan(other)
        assert both.any()
        better = best[both] >= other[both] if measure.greater_is_better else best[both] <= other[both]
        assert better.all()
    assert np.nansum(best) != pytest.approx(np.nansum(values(measure, 1 - TRUTH.astype(float), TRUTH)))


@pytest.mark.parametrize("measure", measures(*KINDS))
def test_permuting_documents_and_categories_changes_nothing(measure):
    rows, columns = RNG.permutation(40), RNG.permutation(6)
    plain = values(measure, SCORES, TRUTH)
    names = [str(c) for c in columns]
    mixed = values(measure, SCORES[rows][:, columns], TRUTH[rows][:, columns], names)
    order = rows if len(plain) == 40 else columns
    assert mixed == pytest.approx(plain[order], nan_ok=True)


@pytest.mark.parametrize("measure", measures("ranking", "cuts", "probability", "scores"))
def test_sparse_and_dense_scores_give_the_same(measure):
    stored = sparse.csr_array(SCORES)
    assert values_of_sparse(measure, stored) == pytest.approx(values(measure, SCORES, TRUTH), nan_ok=True)


def values_of_sparse(measure, stored):
    labels = indicator(TRUTH)
    if measure.kind == "ranking":
        return measure(ranks(stored, labels))
    if measure.kind == "cuts":
        return np.concatenate([measure(found.counts) for found in sweeps(stored, labels)])
    return measure(stored, labels)


@pytest.mark.parametrize("measure", measures("ranking", "cuts", "scores"))
def test_only_the_order_of_scores_matters(measure):
    assert values(measure, np.exp(3 * SCORES) - 7, TRUTH) == pytest.approx(values(measure, SCORES, TRUTH), nan_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("measure", measures("counts", "documents", "cuts", "ancestors", "lca", "extended"))
@pytest.mark.parametrize("undefined, value", [("zero", 0.0), ("one", 1.0), ("omit", np.nan)])
def test_0_over_0_follows_the_convention(measure, undefined, value):
    empty = indicator(np.zeros((0, 1)))
    nothing = (
        extended_counts(empty, empty, by_distance(TREE, "0")) if measure.kind == "extended" else counts(empty, empty)
    )
    found = measure(nothing, undefined=undefined)[0]
    if measure.symbol == "exact":
        assert found == 1.0
    elif measure.symbol == "Eβ":
        assert found == pytest.approx(1 - value, nan_ok=True)
    else:
        assert found == pytest.approx(value, nan_ok=True)


@pytest.mark.parametrize("measure", measures(*KINDS))
def test_values_are_finite_or_nan_and_in_range(measure):
    found = values(measure, SCORES, TRUTH)
    kept = found[~np.isnan(found)]
    assert len(kept)
    limits = {"coverage": (0, TRUTH.shape[1]), "extAcc": (-1, 1), "extErr": (0, 2), "log loss": (0, 40)}
    low, top = (limits | {"MCC": (-1, 1), "kappa": (-1, 1)}).get(measure.symbol, (0, 1))
    assert (kept >= low).all()
    assert (kept <= top).all()
