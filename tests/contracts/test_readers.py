"""Every format of documents declares what it is, and no two claim the same files."""

from __future__ import annotations

from collections import Counter

import pytest

from rubricate import registry
from rubricate.errors import InvalidFile
from rubricate.io import InputFile, Reader

FORMATS = registry.names("readers")


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_a_reader(name):
    reader = registry.load("readers", name)
    assert isinstance(reader, Reader)
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in reader.suffixes)
    assert not reader.sniff(b"")


def test_no_two_formats_claim_one_suffix():
    counted = Counter(suffix for name in FORMATS for suffix in registry.load("readers", name).suffixes)
    assert max(counted.values()) == 1


@pytest.mark.parametrize("name", FORMATS)
def test_a_missing_file_is_an_invalid_file(name, tmp_path):
    with pytest.raises(InvalidFile):
        list(registry.load("readers", name).records(InputFile(tmp_path / "missing")))
