"""Places of labels and the ranking measures: against loops in exact fractions and scikit-learn, with ties and -inf."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from tests.measures.strategies import scored, sparsified
from tests.oracles import measures as oracle

from rubricate.errors import InvalidInput, UnknownName
from rubricate.labels import indicator
from rubricate.measures import mean, of_kind, ranks
from rubricate.measures.rankings import (
    Points,
    at_full_recall,
    average_precision,
    coverage_error,
    eleven_point,
    global_average,
    interpolate,
    per_interval_average,
    points,
    r_precision,
    ranking_loss,
    representatives,
)
from rubricate.native.measures import MAX_COMPARED_LABELS, Rankings, rank_labels


def close(found, exact):
    return found == pytest.approx(math.nan if exact is None else float(exact), rel=1e-13, abs=1e-15, nan_ok=True)


@given(scored())
def test_every_measure_agrees_with_its_slow_twin(pair):
    scores, truth = pair
    places_of = ranks(scores, indicator(truth))
    twins = {
        average_precision: oracle.average_precision,
        r_precision: oracle.r_precision,
        coverage_error: oracle.coverage_error,
        ranking_loss: oracle.ranking_loss,
    }
    for ours, slow in twins.items():
        for value, row, true in zip(ours(places_of), scores, truth, strict=True):
            assert close(value, slow(row.tolist(), true.tolist())), ours


@given(scored(), st.sampled_from([None, 1, 2, 3]))
def test_eleven_point_agrees_with_its_slow_twin(pair, limit):
    scores, truth = pair
    for values, rows, true in (
        (eleven_point(ranks(scores, indicator(truth)), limit=limit), scores, truth),
        (eleven_point(ranks(scores, indicator(truth), by="category"), limit=limit), scores.T, truth.T),
    ):
        for value, row, labels in zip(values, rows, true, strict=True):
            curve = oracle.eleven(row.tolist(), labels.tolist(), limit)
            assert close(value, None if curve is None else sum(curve) / 11)


@given(scored(infinite=False, least=2))
def test_agreement_with_scikit_learn(pair):
    scores, truth = pair
    labels = indicator(truth)
    by_document, by_category = ranks(scores, labels), ranks(scores, labels, by="category")
    assert mean(coverage_error(by_document)) == pytest.approx(metrics.coverage_error(truth, scores))
    assert mean(ranking_loss(by_document)) == pytest.approx(metrics.label_ranking_loss(truth, scores))
    labelled = truth.any(axis=1)
    if labelled.any():
        theirs = metrics.label_ranking_average_precision_score(truth[labelled], scores[labelled])
        assert mean(average_precision(by_document)) == pytest.approx(theirs)
    for c, value in enumerate(average_precision(by_category)):
        if truth[:, c].any():
            assert value == pytest.approx(metrics.average_precision_score(truth[:, c], scores[:, c]))


@given(scored(), st.sampled_from([-math.inf, -2.0, 0.0, 0.25, 0.5]))
def test_sparse_scores_with_a_floor_are_the_dense_ones(pair, floor):
    scores, truth = pair
    dense, labels = np.maximum(scores, floor), indicator(truth)
    stored = sparsified(scores, floor)
    for by in ("document", "category"):
        ours, theirs = ranks(stored, labels, by=by), ranks(dense, labels, by=by)
        for part in ("starts", "above", "rank", "hits", "items"):
            assert np.array_equal(getattr(ours, part), getattr(theirs, part)), part


@given(scored(), st.randoms(use_true_random=False))
def test_the_order_of_categories_and_documents_changes_nothing(pair, random):
    scores, truth = pair
    rows, columns = (list(range(size)) for size in scores.shape)
    random.shuffle(rows)
    random.shuffle(columns)
    plain = ranks(scores, indicator(truth))
    mixed = ranks(scores[rows][:, columns], indicator(truth[rows][:, columns]))
    for name, measure in of_kind("ranking").items():
        assert measure(mixed) == pytest.approx(measure(plain)[rows], nan_ok=True), name


def test_many_labels_are_ranked_by_search():
    rng = np.random.default_rng(0)
    scores = rng.integers(-3, 40, (4, 700)).astype(float)
    scores[scores == -3] = -np.inf
    truth = rng.random((4, 700)) < [[0.02], [0.3], [0.6], [1.0]]
    assert (truth.sum(axis=1) > MAX_COMPARED_LABELS).any()
    assert (truth.sum(axis=1) < MAX_COMPARED_LABELS).any()
    found = ranks(scores, indicator(truth))
    for row in range(4):
        part = slice(found.starts[row], found.starts[row + 1])
        true = scores[row][truth[row]]
        assert found.above[part].tolist() == [int((scores[row] > s).sum()) for s in true]
        assert found.rank[part].tolist() == [int((scores[row] >= s).sum()) for s in true]
        assert found.hits[part].tolist() == [0 if s == -np.inf else int((true >= s).sum()) for s in true]


def test_items_that_are_not_listed_stand_together_at_the_floor():
    rng = np.random.default_rng(1)
    values, starts = rng.integers(0, 9, 60).astype(float), np.array([0, 20, 60])
    labels, label_starts = rng.integers(0, 9, 5).astype(float), np.array([0, 3, 5])
    above, rank, hits = rank_labels(Rankings(starts, values, 50, 4.0, label_starts, labels))
    for r in range(2):
        true = labels[label_starts[r] : label_starts[r + 1]]
        scores = np.append(values[starts[r] : starts[r + 1]], [4.0] * (50 - starts[r + 1] + starts[r]))
        for j, score in enumerate(true, label_starts[r]):
            found = above[j], rank[j], hits[j]
            assert found == ((scores > score).sum(), (scores >= score).sum(), (true >= score).sum())


def test_dense_scores_are_read_in_blocks(monkeypatch):
    rng = np.random.default_rng(2)
    scores, truth = rng.random((50, 7)), indicator(rng.random((50, 7)) < 0.3)
    whole = [ranks(scores, truth, by=by) for by in ("document", "category")]
    monkeypatch.setattr("rubricate.measures.true_ranks.BLOCK", 20)
    for by, expected in zip(("document", "category"), whole, strict=True):
        assert np.array_equal(ranks(scores, truth, by=by).rank, expected.rank)


class TestSixSteps:
    """The steps of yang1999, section 3.1, one by one, on a document with 3 labels found at ranks 1, 3 and 5."""

    ranking = ranks([[0.9, 0.8, 0.7, 0.6, 0.5, 0.4]], indicator([[1, 0, 1, 0, 1, 0]]))

    def test_step_1_recall_and_precision_at_each_correct_category(self):
        seen = points(self.ranking)
        assert (seen.hits / seen.labels).tolist() == [1 / 3, 2 / 3, 1.0]
        assert seen.precision.tolist() == [1.0, 2 / 3, 3 / 5]

    def test_step_1_looks_down_to_the_limit(self):
        assert points(self.ranking, limit=3).rank.tolist() == [1, 3]

    def test_step_2_the_highest_precision_stands_at_the_left_boundary(self):
        table = representatives(points(self.ranking))
        assert table.tolist() == [[0, 0, 0, 1.0, 0, 0, 2 / 3, 0, 0, 0, 0]]

    def test_step_2_is_decided_in_integers(self):
        """3 of 10 stands at .3: in floats 10 · 0.3 is 3.0000000000000004 or 2.9999999999999996."""
        tenths = Points(np.zeros(10, int), np.arange(1, 11), np.arange(1, 11), np.full(10, 10), 1)
        assert representatives(tenths)[0].tolist() == [0] + [1.0] * 9 + [0]
        for labels in (7, 29, 70, 1000):
            hits = np.arange(1, labels + 1)
            every = Points(np.zeros(labels, int), hits, hits, np.full(labels, labels), 1)
            expected = [any(i * labels <= 10 * h < (i + 1) * labels for h in hits[:-1]) for i in range(10)]
            assert representatives(every)[0, :10].astype(bool).tolist() == expected

    def test_step_2_takes_the_highest_of_an_interval(self):
        two = Points(np.zeros(2, int), np.array([1, 2]), np.array([4, 5]), np.array([40, 40]), 1)
        assert representatives(two)[0, 0] == 2 / 5

    def test_step_3_at_full_recall_the_exact_point(self):
        seen = points(self.ranking)
        assert at_full_recall(seen, representatives(seen))[0, 10] == 3 / 5

    def test_step_3_else_the_nearest_point_and_else_zero(self):
        near = points(self.ranking, limit=3)
        assert at_full_recall(near, representatives(near))[0, 10] == 2 / 3
        none = Points(np.zeros(0, int), np.zeros(0, int), np.zeros(0, int), np.zeros(0, int), 1)
        assert at_full_recall(none, representatives(none)).tolist() == [[0.0] * 11]

    def test_step_4_the_maximum_to_the_right(self):
        table = np.array([[0, 0, 0, 1.0, 0, 0, 2 / 3, 0, 0, 0, 0.6]])
        assert interpolate(table).tolist() == [[1.0] * 4 + [2 / 3] * 3 + [0.6] * 4]

    def test_step_5_averages_over_the_documents(self):
        table = np.array([[1.0] * 11, [0.5] * 11])
        assert per_interval_average(table).tolist() == [0.75] * 11
        assert np.isnan(per_interval_average(np.zeros((0, 11)))).all()

    def test_step_6_averages_the_eleven(self):
        averages = np.array([1.0] * 4 + [2 / 3] * 3 + [0.6] * 4)
        assert global_average(averages) == pytest.approx((4 + 2 + 2.4) / 11)

    def test_the_whole_is_the_six_steps(self):
        assert eleven_point(self.ranking)[0] == pytest.approx(8.4 / 11)

    def test_a_document_without_a_label_is_left_out(self):
        found = ranks([[0.9, 0.8], [0.9, 0.8]], indicator([[0, 0], [1, 0]]))
        assert np.isnan(eleven_point(found)[0])
        assert eleven_point(found)[1] == 1.0
        assert len(representatives(points(found))) == 1


def test_a_tie_that_crosses_the_limit_stands_behind_it():
    found = ranks([[0.9, 0.5, 0.5, 0.1]], indicator([[1, 1, 0, 0]]))
    assert points(found, limit=2).rank.tolist() == [1]
    assert points(found, limit=3).rank.tolist() == [1, 3]


def test_unranked_labels_add_nothing_and_stand_at_the_end():
    found = ranks([[0.9, -np.inf, 0.5]], indicator([[1, 1, 0]]))
    assert average_precision(found)[0] == 0.5
    assert coverage_error(found)[0] == 3
    assert r_precision(found)[0] == 0.5
    assert ranking_loss(found)[0] == 0.5


def test_r_precision_is_expected_over_the_orders_of_a_tie():
    found = ranks([[0.9, 0.5, 0.5, 0.5]], indicator([[1, 1, 0, 0]]))
    assert r_precision(found)[0] == pytest.approx((1 + 1 / 3) / 2)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (1, 1)])
@pytest.mark.parametrize("by", ["document", "category"])
def test_nothing_to_rank(shape, by):
    found = ranks(np.zeros(shape), indicator(np.zeros(shape)), by=by)
    assert len(found) == shape[0 if by == "document" else 1]
    for measure in of_kind("ranking").values():
        assert len(measure(found)) == len(found)


def test_errors_say_what_to_do():
    with pytest.raises(InvalidInput, match="hold NaN; leave the pair out"):
        ranks([[np.nan, 1.0]], indicator([[1, 0]]))
    with pytest.raises(InvalidInput, match="scores are 1 × 2, the truth 1 × 3"):
        ranks([[1.0, 2.0]], indicator([[1, 0, 0]]))
    with pytest.raises(UnknownName, match="Did you mean 'document'"):
        ranks([[1.0]], indicator([[1]]), by="documents")
    with pytest.raises(InvalidInput, match="matrix of numbers"):
        ranks([["a"]], indicator([[1]]))
