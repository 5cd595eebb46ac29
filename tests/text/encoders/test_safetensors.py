"""Files of tensors: what they hold, and hostile ones."""

from __future__ import annotations

import json
import os
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.encoders.tiny import write_safetensors

from rubricate.errors import InvalidFile, MissingExtra
from rubricate.text.safetensors import TensorFile

F32 = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


def _file(tmp_path, header, data=bytes(8), length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + data)
    return path


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_tensors_come_back(tmp_path, dtype):
    arrays = {"a": np.arange(6, dtype=dtype).reshape(2, 3), "b": np.ones((0, 4), dtype), "c": np.array(2.5, dtype)}
    write_safetensors(tmp_path / "x", arrays)
    file = TensorFile(tmp_path / "x")
    assert file.names == ("a", "b", "c")
    for name, array in arrays.items():
        np.testing.assert_array_equal(file.floats(name, array.shape), array.astype(np.float32))


def test_bfloat16_is_the_upper_half_of_single_precision(tmp_path):
    bits = (np.array([1.5, -2.0], np.float32).view(np.uint32) >> 16).astype("<u2")
    header = {"a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}, "__metadata__": {"format": "pt"}}
    path = _file(tmp_path, header, bits.tobytes())
    assert TensorFile(path).floats("a").tolist() == [1.5, -2.0]


HOSTILE = {
    "a header longer than the file": ({"a": F32}, bytes(8), 1 << 40),
    "a huge header": ({"a": F32}, bytes(8), 2**63),
    "not JSON": (b"{'a'", bytes(8), None),
    "a list": (b"[]", bytes(8), None),
    "not UTF-8": (b"\xff\xfe", bytes(8), None),
    "nested too deep": (b"[" * 100_000, bytes(8), None),
    "digits without end": (b'{"a": ' + b"9" * 5000 + b"}", bytes(8), None),
    "a name twice": (b'{"a": 1, "a": 2}', bytes(8), None),
    "an entry that is not an object": ({"a": 3}, bytes(8), None),
    "no offsets": ({"a": {"dtype": "F32", "shape": [2]}}, bytes(8), None),
    "three offsets": ({"a": F32 | {"data_offsets": [0, 8, 8]}}, bytes(8), None),
    "negative offsets": ({"a": F32 | {"data_offsets": [-8, 0]}}, bytes(8), None),
    "negative shape": ({"a": F32 | {"shape": [-1, -2]}}, bytes(8), None),
    "fractional shape": ({"a": F32 | {"shape": [2.0]}}, bytes(8), None),
    "true as a shape": ({"a": F32 | {"shape": [True, 2]}}, bytes(8), None),
    "a shape of more bytes": ({"a": F32 | {"shape": [2**62, 2**62]}}, bytes(8), None),
    "offsets beyond the file": ({"a": F32 | {"shape": [4], "data_offsets": [0, 16]}}, bytes(8), None),
    "overlapping": ({"a": F32, "b": F32}, bytes(8), None),
    "a gap": ({"a": F32 | {"data_offsets": [4, 12]}}, bytes(12), None),
    "bytes left over": ({"a": F32}, bytes(12), None),
    "an unknown type": ({"a": F32 | {"dtype": "F7"}}, bytes(8), None),
    "a type that is a list": ({"a": F32 | {"dtype": ["F32"]}}, bytes(8), None),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_headers_are_refused(tmp_path, case):
    header, data, length = HOSTILE[case]
    with pytest.raises(InvalidFile, match="Fix: get the encoder's files again"):
        TensorFile(_file(tmp_path, header, data, length))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes") / "x"
    path.write_bytes(content)
    with pytest.raises(InvalidFile):
        TensorFile(path)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(tmp_path, value):
    write_safetensors(tmp_path / "x", {"a": np.array([1, value], np.float32)})
    with pytest.raises(InvalidFile, match="NaN or infinite"):
        TensorFile(tmp_path / "x").floats("a")


def test_other_shapes_types_and_names_are_refused(tmp_path):
    write_safetensors(tmp_path / "x", {"a": np.ones(3, np.float32), "b": np.ones(3, np.int64)})
    file = TensorFile(tmp_path / "x")
    with pytest.raises(InvalidFile, match=r"the shape \(3,\), expected \(4,\)"):
        file.floats("a", (4,))
    with pytest.raises(InvalidFile, match="holds I64"):
        file.floats("b")
    with pytest.raises(InvalidFile, match="no tensor named 'c'"):
        file.floats("c")


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    write_safetensors(tmp_path / "x", {"a": np.ones(3, np.float32)})
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(MissingExtra, match=r"rubricate\[embeddings\]"):
        TensorFile(tmp_path / "x")


@pytest.mark.parametrize("dtype", [np.float32, "BF16"])
def test_a_file_that_is_cut_short_while_it_is_open_is_refused(tmp_path, dtype):
    """Mapped into memory, such a file would end the process."""
    header = {"a": {"dtype": "F32" if dtype is np.float32 else "BF16", "shape": [1 << 20]}}
    size = (4 if dtype is np.float32 else 2) << 20
    header["a"]["data_offsets"] = [0, size]
    path = _file(tmp_path, header, bytes(size))
    file = TensorFile(path)
    os.truncate(path, 4096)
    with pytest.raises(InvalidFile, match="a cannot be read"):
        file.floats("a")
