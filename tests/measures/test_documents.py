"""Example-based measures: against scikit-learn and by hand."""

import numpy as np
import pytest
from hypothesis import given
from sklearn import metrics
from tests.measures.strategies import label_pairs

from rubricate.labels import indicator
from rubricate.measures import counts, mean, micro
from rubricate.measures.contingency import example_f1, hamming_loss, subset_accuracy


@given(label_pairs())
def test_agreement_with_scikit_learn(pair):
    truth, decided = (np.c_[part, part[:, 0]] for part in pair)
    table = counts(indicator(truth), indicator(decided), by="document")
    assert mean(subset_accuracy(table)) == pytest.approx(metrics.accuracy_score(truth, decided))
    assert mean(hamming_loss(table)) == pytest.approx(metrics.hamming_loss(truth, decided))
    for undefined, division in (("zero", 0), ("one", 1)):
        theirs = metrics.f1_score(truth, decided, average="samples", zero_division=division)
        assert mean(example_f1(table, undefined=undefined)) == pytest.approx(theirs)


@given(label_pairs())
def test_hamming_loss_is_the_micro_error(pair):
    truth, decided = map(indicator, pair)
    assert mean(hamming_loss(counts(truth, decided, by="document"))) == pytest.approx(
        micro("error", counts(truth, decided))
    )


def test_by_hand():
    table = counts(indicator([[1, 1, 0], [0, 0, 0]]), indicator([[1, 0, 1], [0, 0, 0]]), by="document")
    assert subset_accuracy(table).tolist() == [0.0, 1.0]
    assert hamming_loss(table).tolist() == [2 / 3, 0.0]
    assert example_f1(table).tolist() == [0.5, 0.0]
    assert example_f1(table, undefined="one").tolist() == [0.5, 1.0]
    assert mean(example_f1(table, undefined="omit")) == 0.5
