"""The limits of docs/reference/limits.md: at the limit it works, past it one clear error."""

from __future__ import annotations

import gzip

import pytest

from rubricate.errors import InvalidFile, UnsafeArchive
from rubricate.experiments.plan_file import read_plan
from rubricate.io import text_files as unpacking
from rubricate.io.predictions import read_pairs
from rubricate.io.text_files import opened
from rubricate.io.train_counts import read_train_counts


@pytest.fixture
def small_limits(monkeypatch):
    monkeypatch.setattr(unpacking, "RATIO_FROM", 1 << 20)
    monkeypatch.setattr(unpacking, "MOST_TIMES", 2)


def packed(path, content):
    path.write_bytes(gzip.compress(content))
    return path


def test_a_gzipped_file_at_the_limit_is_read_and_past_it_refused(tmp_path, small_limits):
    for extra in (0, 1):
        path = packed(tmp_path / f"{extra}.gz", b"x" * ((1 << 20) + extra))
        with opened(path) as stream:
            if extra:
                with pytest.raises(UnsafeArchive, match="unpacks to more than 1,048,576 bytes"):
                    stream.read()
            else:
                assert len(stream.read()) == 1 << 20


def test_gzipped_predictions_have_the_same_limit(tmp_path, small_limits):
    with pytest.raises(UnsafeArchive, match="unpacks to more"):
        read_pairs(packed(tmp_path / "run.csv.gz", b"document,labels\nd," + b"x" * (2 << 20)))


@pytest.mark.parametrize("cut", [-1, 20])
def test_damaged_gzipped_predictions_are_one_error(tmp_path, cut):
    data = bytearray(gzip.compress(b"document,labels\n" + b"".join(b"d%d,x\n" % i for i in range(999))))
    if cut > 0:
        data[cut : cut + 40] = b"\xff" * 40
    else:
        data = data[:-9]
    (tmp_path / "run.csv.gz").write_bytes(data)
    with pytest.raises(InvalidFile):
        read_pairs(tmp_path / "run.csv.gz")


def test_integers_of_too_many_digits_are_one_error(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text('{"document": "d", "labels": ' + "9" * 5000 + "}\n")
    with pytest.raises(InvalidFile, match=r"broken JSON .*digits"):
        read_pairs(path)
    counts = tmp_path / "counts.json"
    counts.write_text('{"a": ' + "9" * 5000 + "}")
    with pytest.raises(InvalidFile, match=r"not JSON .*digits"):
        read_train_counts(counts)


@pytest.mark.parametrize(("digits", "sound"), [(4300, True), (4301, False)])
def test_the_longest_integers(tmp_path, digits, sound):
    path = tmp_path / "counts.json"
    path.write_text('{"a": 1' + "0" * (digits - 1) + "}")
    if sound:
        assert read_train_counts(path).categories == ("a",)
    else:
        with pytest.raises(InvalidFile, match=r"not JSON .*4300 digits"):
            read_train_counts(path)


@pytest.mark.parametrize("levels", [200, 100_000])
def test_nested_json_is_read_or_refused(tmp_path, levels):
    """What Python can hold is read; what it cannot is one error, never a crash."""
    path = tmp_path / "run.jsonl"
    path.write_text('{"document": "d", "labels": ["a"], "more": ' + "[" * levels + "]" * levels + "}\n")
    if levels < 1000:
        assert read_pairs(path).categories == ("a",)
    else:
        with pytest.raises(InvalidFile, match="broken JSON"):
            read_pairs(path)


@pytest.mark.parametrize("value", ["[" * 5000 + "]" * 5000, "9" * 5000], ids=["nested", "digits"])
def test_plans_too_deep_or_too_long_are_one_error(tmp_path, value):
    path = tmp_path / "plan.toml"
    path.write_text(f"x = {value}\n")
    with pytest.raises(InvalidFile, match="not valid TOML"):
        read_plan(path)
