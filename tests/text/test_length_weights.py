"""BM25 and pivoted length: the formulas written out, edge cases, and models that use them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.utils.estimator_checks import check_estimator

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.text.weights import BM25, PivotedLength

COUNTS = arrays.arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.integers(0, 4))


@given(COUNTS, st.floats(0, 3), st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_bm25_is_the_formula(counts, k1, b):
    found = BM25(k1=k1, b=b, unit=False).fit_transform(counts).toarray()
    documents, average = len(counts), counts.sum() / len(counts)
    for d, row in enumerate(counts.tolist()):
        for t, f in enumerate(row):
            n = int(np.count_nonzero(counts[:, t]))
            wanted = 0.0
            if f:
                inverse = math.log(1 + (documents - n + 0.5) / (n + 0.5))
                wanted = f * (k1 + 1) / (f + k1 * (1 - b + b * sum(row) / average)) * inverse
            assert found[d, t] == pytest.approx(wanted)


@given(COUNTS, st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_pivoted_is_ltu(counts, slope):
    found = PivotedLength(slope=slope).fit_transform(counts).toarray()
    average = np.count_nonzero(counts) / len(counts)
    for d, row in enumerate(counts.tolist()):
        present = [f for f in row if f]
        for t, f in enumerate(row):
            n = int(np.count_nonzero(counts[:, t]))
            wanted = 0.0
            if f:
                tf = (1 + math.log(f)) / (1 + math.log(sum(present) / len(present)))
                norm = (1 - slope) * average + slope * len(present)
                wanted = tf * math.log(len(counts) / n) * math.sqrt(average) / norm
            assert found[d, t] == pytest.approx(wanted)


def test_units_have_length_one_and_empty_documents_stay_empty():
    found = BM25().fit([[1, 2, 0], [0, 1, 3]]).transform([[4, 0, 0], [0, 0, 0], [1, 1, 1]])
    assert np.linalg.norm(found.toarray(), axis=1).round(12).tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("weights", [BM25(k1=-1), BM25(b=2.0), PivotedLength(slope=-0.1)])
def test_parameters_out_of_range_are_refused(weights):
    with pytest.raises(InvalidInput, match="got"):
        weights.fit([[1, 2]])


@pytest.mark.slow
@pytest.mark.parametrize("weights", [BM25(), PivotedLength()])
def test_they_are_estimators(weights):
    check_estimator(weights)


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["bm25", "pivoted", BM25(b=0.3), PivotedLength(slope=0.1)])
def test_models_use_save_and_explain_them(weights, tmp_path):
    texts = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
    model = rb.Categorizer("svm", weights=weights).fit(texts, ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3)
    again = rb.Categorizer.open(model.save(tmp_path / "m.rubric"))
    assert np.array_equal(again.decision_function(texts), model.decision_function(texts))
    assert again.explain("wheat")["grain"][0].name == "wheat"
    mixed = rb.Categorizer(weights=weights, representation="mixed").fit(texts, model.predict(texts))
    assert mixed.classify(["oil"]) == [("fuel",)]
