"""What a report refuses to be made of."""

import dataclasses

import numpy as np
import pytest
from tests.reports.studies import small_study

from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.reports.data import ReportData, RunLearningCurve


def changed(position, **parts):
    data = small_study()
    runs = list(data.runs)
    runs[position] = dataclasses.replace(runs[position], **parts)
    return {**{f.name: getattr(data, f.name) for f in dataclasses.fields(data)}, "runs": runs}


@pytest.mark.parametrize(
    "parts, message",
    [
        ({"truth": None}, "'kNN' has no truth"),
        ({"decisions": None}, "'kNN' has scores but no decisions; cut the scores"),
        ({"name": "SVM"}, "different names"),
        ({"truth": indicator(np.ones((120, 8)))}, "'SVM' and 'kNN' have different true labels"),
        ({"documents": [f"e{k}" for k in range(120)]}, "different documents or categories"),
    ],
)
def test_runs_that_do_not_belong_together(parts, message):
    with pytest.raises(InvalidInput, match=message):
        ReportData(**changed(1, **parts))


def test_no_run_and_other_documents():
    with pytest.raises(InvalidInput, match="at least one run"):
        ReportData([])
    data = small_study()
    with pytest.raises(InvalidInput, match="in the same order"):
        dataclasses.replace(data, documents=data.documents.take(np.arange(120)[::-1]))


def test_a_learning_curve_has_one_value_a_size():
    with pytest.raises(InvalidInput, match="learning curve of 'SVM'"):
        RunLearningCurve("SVM", [1, 2], [0.5])
    with pytest.raises(InvalidInput, match="different length"):
        RunLearningCurve("SVM", [1, 2], [0.5, 0.6], low=[0.1])
