"""Every number is as recorded before training was rebuilt; `recording.py` says how the record is kept."""

from __future__ import annotations

import pytest
from tests.record.models import WRITERS, model_path
from tests.record.parts import CASES, cases, changed
from tests.record.recording import differences, digest, stored

from rubricate import registry

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("part, case", cases("newswire", "newswire_commands", "models"))
def test_numbers_are_as_recorded(part, case):
    assert changed(part, case) == []


@pytest.mark.parametrize("part", CASES)
def test_the_record_has_no_case_that_is_not_computed(part):
    assert sorted(stored(part)) == sorted(CASES[part])


def test_every_classifier_has_a_model_file_that_was_written_before():
    names = {*registry.names("classifiers"), *WRITERS}
    assert [name for name in sorted(names) if not model_path(name).is_file()] == []


def test_a_digest_sees_the_sixth_digit_and_no_further():
    scores = [[0.25, -1.5], [0.0, 3.0]]
    assert digest(scores) == digest([[0.25 + 1e-9, -1.5], [-1e-9, 3.0]])
    assert digest(scores)["sha256"] != digest([[0.25 + 1e-6, -1.5], [0.0, 3.0]])["sha256"]
    assert digest(scores)["sha256"] != digest([[0.25, -1.5, 0.0, 3.0]])["sha256"]
    with pytest.raises(ValueError, match="not a number"):
        digest([float("nan")])


def test_differences_name_the_place():
    before = {"a": [1, {"b": 2.0}], "c": {"sha256": "0"}, "d": 1}
    after = {"a": [1, {"b": 2.5}], "c": {"sha256": "1"}, "e": 1}
    assert list(differences(before, before)) == []
    assert [line.split(":")[0] for line in differences(before, after)] == ["/a/1/b", "/c", "/d", "/e"]


def test_near_numbers_pass_where_digests_cannot_be_the_same():
    before, after = digest([0.5, 1.25]), digest([0.5, 1.25001])
    assert list(differences(before, after)) != []
    assert list(differences(before, after, near=1e-4)) == []
    assert list(differences(before, digest([0.5, 1.26]), near=1e-4)) != []
    assert list(differences(before, digest([0.5, 1.25, 0.9]), near=1e-4)) != []
