"""The measures on a real corpus: the trivial systems, and a system without learning, against scikit-learn."""

import re

import numpy as np
import pytest
from sklearn import metrics

import rubricate as rb
from rubricate.measures import acceptor, by_frequency, macro, micro, rejector


@pytest.mark.slow
def test_the_trivial_systems_on_aptemod(aptemod):
    """3,019 documents with 1.24 of 90 categories each: to reject everything errs in 1.24/90 = 1.4 % of decisions."""
    truth = aptemod.test.labels
    labels_per_document = truth.nnz / truth.shape[0]
    assert 1.2 <= labels_per_document <= 1.3
    assert micro("error", rejector(truth)) == pytest.approx(labels_per_document / 90)
    assert micro("error", rejector(truth)) == pytest.approx(macro("error", rejector(truth)))
    assert micro("f1", acceptor(truth)) < 0.03


def test_the_range_of_figure_4_of_yangliu1999(aptemod):
    """Frequencies of 1 to 60 cover 67 categories, 74 % of the 90; the paper prints 67 %."""
    frequency = np.asarray(aptemod.train.labels.sum(axis=0)).ravel()
    curve = by_frequency(np.ones(90), frequency, bands=6, high=60)
    assert [band.high for band in curve] == [10, 20, 30, 40, 50, 60]
    assert sum(band.categories for band in curve) == 67


@pytest.mark.slow
def test_a_system_that_looks_for_category_names(aptemod):
    """Scores count how often the name of the category is in the text: no learning, many ties, most scores 0."""
    test = aptemod.test
    words = [re.findall(r"[a-z]+", text.lower()) for text in test.texts]
    scores = np.array([[text.count(name) for name in test.categories] for text in words], float)
    truth, decided = test.labels.toarray(), scores > 0
    found = rb.evaluate(
        test.labels, decided, scores=scores, categories=test.categories, train_counts=aptemod.train.labels
    )
    for average in ("micro", "macro"):
        p, r, f, _ = metrics.precision_recall_fscore_support(truth, decided, average=average, zero_division=0)
        mine = getattr(found, average)
        assert (mine["precision"], mine["recall"], mine["f1"]) == pytest.approx((p, r, f))
    assert found.examples["example_f1"] == pytest.approx(
        metrics.f1_score(truth, decided, average="samples", zero_division=0)
    )
    assert found.ranking["coverage_error"] == pytest.approx(metrics.coverage_error(truth, scores))
    assert found.ranking["ranking_loss"] == pytest.approx(metrics.label_ranking_loss(truth, scores))
    assert found.ranking["average_precision"] == pytest.approx(
        metrics.label_ranking_average_precision_score(truth, scores)
    )
    assert found.ranking["by_category"]["average_precision"] == pytest.approx(
        metrics.average_precision_score(truth, scores, average="macro")
    )
    assert found.micro["f1"] > micro("f1", acceptor(test.labels))
    assert sum(band.categories for band in found.by_frequency) == 90
    assert found.by_frequency[-1].high >= 2877
