"""Out of core: the same numbers and the same model file as in memory, texts in files, full disks."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rubricate as rb
from rubricate import cli, scratch
from rubricate.errors import InvalidInput
from rubricate.folds import take_rows
from rubricate.scratch import MappedTexts, empty, memory_size
from rubricate.text import smart
from tests.cli.test_train import stories

pytestmark = pytest.mark.slow

within = scratch.out_of_core


@pytest.fixture
def everything_outside(monkeypatch):
    """Arrays of any size go to files."""
    monkeypatch.setattr(scratch, "LARGE", 1)


@given(st.lists(st.text(max_size=6) | st.just("\ud83d"), max_size=12), st.data())
def test_texts_in_a_file_are_a_list(texts, data):
    with within():
        mapped = MappedTexts(texts)
    assert list(mapped) == texts
    assert mapped == texts
    assert [mapped[i] for i in range(len(texts))] == texts
    if texts:
        rows = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=8))
        taken = mapped.take(rows)
        assert list(taken) == [taken[i] for i in range(len(rows))] == [texts[i] for i in rows]
        assert list(taken[1:]) == [texts[i] for i in rows][1:]
        assert mapped[-1] == texts[-1]
    with pytest.raises(IndexError):
        mapped[len(texts)]


def test_arrays_are_apart_and_outlive_the_block(everything_outside):
    with within():
        arrays = [empty(n, kind) for n in (3, 1000, scratch.EXTENT // 8 + 1) for kind in (np.int32, np.float64)]
        for number, array in enumerate(arrays):
            array[:] = number
    assert all((array == number).all() for number, array in enumerate(arrays))
    assert not scratch.is_out_of_core()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the pages of a process are not told here")
def test_rest_gives_back_pages_and_loses_nothing():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    with within():
        array, texts = empty(1 << 24, np.float64), MappedTexts(["a", "b" * 10**7])
        array[:] = 7.0
        before = resident()
        assert texts[1][:3] == "bbb"
        scratch.rest()
        assert resident() < before - array.nbytes // 2
        assert array.sum() == 7.0 * len(array)
        assert texts == ["a", "b" * 10**7]
    scratch.rest()
    assert (array == 7.0).all()


@pytest.mark.parametrize("length", [1000, scratch.EXTENT // 4])
def test_a_sparse_matrix_does_not_copy_them_into_memory(everything_outside, length):
    with within():
        data, indices, starts = empty(length, np.float64), empty(length, np.int32), np.array([0, length], np.int32)
        data[:], indices[:] = 1, np.arange(length)
        matrix = sparse.csr_array((data, indices, starts), shape=(1, length))
    assert np.shares_memory(matrix.data, data)
    assert np.shares_memory(matrix.indices, indices)


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_rows_are_taken_as_in_memory(seed, mask):
    draw = np.random.default_rng(seed)
    X = sparse.random_array((9, 6), density=0.4, rng=draw, format="csr")
    index = draw.random(9) < 0.5 if mask else draw.integers(9, size=7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scratch, "LARGE", 1)
        patch.setattr("rubricate.folds.TAKEN", 2)
        with within():
            taken = take_rows(X, index)
    expected = X[index]
    for part in ("data", "indices", "indptr"):
        assert getattr(taken, part).tolist() == getattr(expected, part).tolist()
    assert (taken.shape, taken.indptr.dtype) == (expected.shape, expected.indptr.dtype)


@pytest.mark.parametrize("scheme", ["ltc", "atn", "Lsc", "bpc", "nnn"])
@pytest.mark.parametrize("size", [1, 3, 1 << 20])
def test_weights_do_not_depend_on_the_blocks(scheme, size, monkeypatch):
    draw = np.random.default_rng(0)
    counts = sparse.csr_array(draw.poisson(0.4, (30, 12)).astype(np.int32))
    own = smart.idf(np.bincount(counts.indices, minlength=12), 30, scheme)
    whole = smart.weigh(counts, scheme, own)
    monkeypatch.setattr(smart, "BLOCK", size)
    again = smart.weigh(counts, scheme, own)
    assert again.data.tobytes() == whole.data.tobytes()
    assert again.indices.tolist() == whole.indices.tolist()
    assert smart.weigh(counts[:0], scheme, own).shape == (0, 12)


@pytest.fixture
def documents(tmp_path):
    path = tmp_path / "stories.jsonl"
    import json

    rows = list(stories(160))
    path.write_text("".join(json.dumps({"id": i, "text": text, "labels": labels}) + "\n" for i, text, labels in rows))
    return path


@pytest.mark.parametrize(
    "settings", [{"classifier": "svm"}, {"classifier": "svm", "select": "chi2:20", "folds": 0, "cut": 0.0}]
)
def test_the_model_is_that_of_memory(documents, tmp_path, everything_outside, settings):
    """Byte for byte, so that scores, cuts, confidences and figures are the same as well."""
    from rubricate.training.categorizer import configured

    inside = configured(settings).fit(rb.load(documents)).save(tmp_path / "inside.rubric")
    with rb.out_of_core(tmp_path):
        corpus = rb.load(documents)
        assert isinstance(corpus.train.bodies, MappedTexts)
        outside = configured(settings).fit(corpus).save(tmp_path / "outside.rubric")
    assert outside.read_bytes() == inside.read_bytes()


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["rubricate", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        cli.main()
    return left.value.code or 0, capsys.readouterr().err


def test_train_within_little_memory(documents, tmp_path, monkeypatch, capsys, everything_outside):
    used = []
    area = scratch._Area
    monkeypatch.setattr(scratch, "_Area", lambda folder: used.append(folder) or area(folder))
    common = ("train", documents, "--classifier", "svm", "--folds", 0, "--cut", 0.0)
    assert run(monkeypatch, capsys, *common, "-o", tmp_path / "a.rubric")[0] == 0
    assert run(monkeypatch, capsys, *common, "-o", tmp_path / "b.rubric", "--memory", "1T")[0] == 0
    assert used == []
    assert run(monkeypatch, capsys, *common, "-o", tmp_path / "c.rubric", "--memory", "10K")[0] == 0
    assert len(used) == 1
    contents = {(tmp_path / name).read_bytes() for name in ("a.rubric", "b.rubric", "c.rubric")}
    assert len(contents) == 1


def test_a_full_scratch_disk(documents, tmp_path, monkeypatch, capsys, everything_outside):
    monkeypatch.setattr(scratch, "SPARE", 1 << 62)
    target = tmp_path / "m.rubric"
    arguments = ("train", documents, "--classifier", "svm", "--folds", 0, "--cut", 0.0, "--memory", "10K", "-o", target)
    code, talk = run(monkeypatch, capsys, *arguments)
    assert code == 2
    assert "is full" in talk
    assert "TMPDIR" in talk
    assert not target.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_disk_that_fills_up_while_texts_are_written(monkeypatch):
    with within():
        texts = MappedTexts(["oil"])
        texts._file = Path("/dev/full").open("wb")  # noqa: SIM115
        with pytest.raises(InvalidInput, match="is full"):
            list(texts)


def test_a_scratch_folder_that_is_not_there(tmp_path, monkeypatch):
    with pytest.raises(InvalidInput, match="not a folder"), within(tmp_path / "none"):
        pass
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(InvalidInput, match="not a folder"), within():
        pass
    assert not scratch.is_out_of_core()
    with pytest.raises(InvalidInput, match="within out_of_core"):
        MappedTexts()


def test_two_documents_with_one_id(tmp_path):
    path = tmp_path / "twice.jsonl"
    path.write_text('{"id": "a", "text": "oil", "labels": "x"}\n' * 2)
    with within(), pytest.raises(rb.RubricateError, match="of document 1"):
        rb.load(path)


@pytest.mark.parametrize(("text", "size"), [("4G", 4 << 30), ("1.5k", 1536), ("200", 200), ("2 TiB", 2 << 40)])
def test_sizes(text, size):
    assert memory_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "-4G", "0", "4X", "4G4", "nan"])
def test_wrong_sizes(text):
    with pytest.raises(InvalidInput, match="such as 4G"):
        memory_size(text)
