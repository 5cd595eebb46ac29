"""The model file: what goes in comes out, and nothing else gets in."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans

import rubricate as rb
from rubricate import storage as _atomic
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.io import container as _model_container
from rubricate.measures.contingency import f1
from rubricate.training import model_file
from rubricate.training.model_values import Decoder, Encoder

TEXTS = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
LABELS = [{"grain"}, {"grain", "trade"}, {"fuel"}, {"fuel"}, {"grain"}, {"fuel", "trade"}] * 3


@pytest.fixture(scope="module")
def model():
    return rb.Categorizer(rb.SVM(C=1.0), folds=3, engine="serial").fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    return model.save(tmp_path_factory.mktemp("models") / "topics.rubric")


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rebuilt(path, contents, *, compression=zipfile.ZIP_STORED):
    """A file of these members with a digest of the manifest that fits: what a hostile writer can make."""
    contents = dict(contents)
    if "manifest.json" in contents:
        contents["manifest.sha256"] = hashlib.sha256(contents["manifest.json"]).hexdigest().encode()
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return path


def with_manifest(saved, path, change):
    """The saved model with a changed manifest."""
    contents = members(saved)
    manifest = json.loads(contents["manifest.json"])
    change(manifest)
    return rebuilt(path, {**contents, "manifest.json": json.dumps(manifest).encode()})


def with_array(saved, path, number, data):
    """The saved model with other bytes for one array, the digest made to fit."""
    contents = members(saved)
    manifest = json.loads(contents["manifest.json"])
    manifest["arrays"][number] = hashlib.sha256(data).hexdigest()
    return rebuilt(path, {**contents, f"arrays/{number}.npy": data, "manifest.json": json.dumps(manifest).encode()})


def npy(array, **options):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=(1, 0), **options)
    return stream.getvalue()


@pytest.mark.slow
def test_the_same_scores_and_the_same_bytes(model, saved, tmp_path):
    again = rb.Categorizer.open(saved)
    assert np.array_equal(again.decision_function(TEXTS), model.decision_function(TEXTS))
    assert again.classify(TEXTS, abstain=0.5) == model.classify(TEXTS, abstain=0.5)
    assert again.explain(TEXTS[0]) == model.explain(TEXTS[0])
    assert str(again.signature()) == str(model.signature())
    assert again.save(tmp_path / "again.rubric").read_bytes() == saved.read_bytes()


def test_any_zip_tool_and_numpy_can_read_it(saved):
    manifest = model_file.read_manifest(saved)
    assert manifest["format"] == "rubricate-model"
    assert manifest["version"] == 1
    assert manifest["signature"]["weights"] == "ltc"
    with zipfile.ZipFile(saved) as archive:
        assert archive.testzip() is None
        for number, digest in enumerate(manifest["arrays"]):
            data = archive.read(f"arrays/{number}.npy")
            assert hashlib.sha256(data).hexdigest() == digest
            np.load(io.BytesIO(data), allow_pickle=False)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(plain)
def test_plain_values_come_back_with_their_types(value):
    encoder = Encoder()
    node = json.loads(json.dumps(encoder.value(value)))
    assert repr(Decoder(encoder.arrays).value(node)) == repr(value)


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3)),
        np.zeros((0, 4), np.float32),
        np.array([True, False]),
        np.array(5.0),
        np.arange(3, dtype=">i4"),
        np.array(["wheat", "öl", ""]),
        np.array(["wheat", 3, None], dtype=object),
        np.array([[-np.inf, np.nan]]),
        sparse.csr_array([[0, 1.5], [2.5, 0]]),
        sparse.csc_array([[True, False], [False, False]]),
        {1, 2},
        np.float64,
        f1,
    ],
    ids=lambda value: f"{type(value).__name__}-{getattr(value, 'dtype', '')}",
)
def test_arrays_matrices_and_names_come_back(value, tmp_path):
    encoder = Encoder()
    node = encoder.value(value)
    _model_container.write_container(tmp_path / "x", {"node": node}, encoder.arrays)
    manifest, arrays = _model_container.read_container(tmp_path / "x")
    found = Decoder(arrays).value(manifest["node"])
    if sparse.issparse(value):
        assert found.format == value.format
        assert found.dtype == value.dtype
        assert (found != value).nnz == 0
    elif isinstance(value, np.ndarray):
        np.testing.assert_array_equal(found, value)
        assert found.dtype == value.dtype.newbyteorder("=")
        assert found.flags.writeable or not found.size
        assert found.flags.f_contiguous == value.flags.f_contiguous
    else:
        assert found == value


def test_numpy_numbers_become_numbers():
    assert Decoder([]).value(Encoder().value(np.float64(0.1))) == 0.1
    assert Decoder([]).value(Encoder().value(np.int64(7))) == 7


def test_one_estimator_in_two_places_stays_one(tmp_path):
    X, Y = sparse.csr_array(np.eye(6)), sparse.csr_array(np.tile(np.eye(2, dtype=bool), (3, 1)))
    fitted = rb.thresholds.Thresholded(rb.SVM(), folds=2).fit(X, Y)
    again = rb.open(rb.save(fitted, tmp_path / "t.rubric"))
    assert again.classifier_ is again.aligned_.classifier_
    assert np.array_equal(again.decision_function(X), fitted.decision_function(X))


@pytest.mark.parametrize(
    "thing",
    [KMeans(), rb.Categorizer(KMeans()), rb.thresholds.Thresholded(rb.SVM(), cut=rb.thresholds.Scut(criterion=max))],
)
def test_what_is_no_data_is_refused_with_a_reason(thing, tmp_path):
    with pytest.raises(InvalidInput, match="cannot be saved"):
        rb.save(thing, tmp_path / "m.rubric")
    assert list(tmp_path.iterdir()) == []


def test_a_lookalike_class_is_not_taken_for_ours(tmp_path):
    class SVM(BaseEstimator):
        pass

    with pytest.raises(InvalidInput, match="a SVM cannot be saved"):
        rb.save(SVM(), tmp_path / "m.rubric")


# Damage


@given(data=st.data())
def test_flipped_bits_are_refused_or_harmless(saved, model, tmp_path_factory, data):
    whole = bytearray(saved.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path = tmp_path_factory.mktemp("flip") / "m.rubric"
    path.write_bytes(whole)
    try:
        found = rb.Categorizer.open(path)
    except InvalidFile:
        return
    assert np.array_equal(found.decision_function(TEXTS), model.decision_function(TEXTS))


@pytest.mark.slow
def test_every_byte_of_the_directory_is_guarded(saved, model, tmp_path):
    """The end of the file, the zip directory, is where flips are likeliest to confuse a reader."""
    whole = saved.read_bytes()
    path = tmp_path / "m.rubric"
    start = whole.rindex(b"PK\x01\x02") - 200
    for position in range(start, len(whole)):
        for bit in (1, 0x80):
            path.write_bytes(whole[:position] + bytes([whole[position] ^ bit]) + whole[position + 1 :])
            try:
                found = model_file.read_manifest(path)
            except InvalidFile:
                continue
            assert found == model_file.read_manifest(saved)


@given(share=st.floats(0, 0.9999))
def test_a_file_cut_short_is_refused(saved, tmp_path_factory, share):
    path = tmp_path_factory.mktemp("cut") / "m.rubric"
    path.write_bytes(saved.read_bytes()[: int(share * saved.stat().st_size)])
    with pytest.raises(InvalidFile, match="not a usable model"):
        rb.open(path)


def test_no_file_a_folder_another_file(tmp_path):
    (tmp_path / "text.csv").write_text("id,text\n")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a.txt", "hello")
    for name, reason in (
        ("none", "no such file"),
        ("text.csv", "not a Rubricate model file"),
        ("other.zip", "without a manifest"),
    ):
        with pytest.raises(InvalidFile, match=reason):
            rb.open(tmp_path / name)
    with pytest.raises(InvalidFile, match="no such file"):
        rb.open(tmp_path)


# Hostile writers, who can make digests that fit


def test_compressed_members_are_refused(saved, tmp_path):
    path = rebuilt(tmp_path / "m", members(saved), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(InvalidFile, match="compressed"):
        rb.open(path)


@pytest.mark.slow
def test_a_bomb_is_refused_without_unpacking(saved, tmp_path):
    with zipfile.ZipFile(tmp_path / "m", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members(saved).items():
            archive.writestr(name, data)
        archive.writestr("arrays/99.npy", b"\0" * (50 << 20))
    assert (tmp_path / "m").stat().st_size < 1 << 20
    with pytest.raises(InvalidFile, match="compressed"):
        rb.open(tmp_path / "m")


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "arrays/../../x.npy", "extra.txt", "arrays/0.pkl"])
def test_strange_members_are_refused(saved, tmp_path, name):
    path = rebuilt(tmp_path / "m", {**members(saved), name: b"x"})
    with pytest.raises(InvalidFile, match="unexpected member"):
        rb.open(path)


def test_doubled_surplus_and_missing_members_are_refused(saved, tmp_path):
    path = rebuilt(tmp_path / "m", members(saved))
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("manifest.json", b"{}")
    with pytest.raises(InvalidFile, match="twice"):
        rb.open(path)
    contents = members(saved)
    with pytest.raises(InvalidFile, match="does not match"):
        rb.open(rebuilt(tmp_path / "n", {**contents, "arrays/99.npy": npy(np.ones(1))}))
    del contents["arrays/0.npy"]
    with pytest.raises(InvalidFile, match="does not match"):
        rb.open(rebuilt(tmp_path / "o", contents))


def test_a_manifest_or_array_changed_by_hand_is_refused(saved, tmp_path):
    contents = members(saved)
    with zipfile.ZipFile(tmp_path / "m", "w") as archive:
        for name, data in contents.items():
            archive.writestr(name, data.replace(b'"C": 1.0', b'"C": 2.0'))
    with pytest.raises(InvalidFile, match="manifest was changed"):
        rb.open(tmp_path / "m")
    contents["arrays/0.npy"] = npy(np.ones(3))
    with pytest.raises(InvalidFile, match=r"arrays/0.npy was changed"):
        rb.open(rebuilt(tmp_path / "n", contents))


WITNESS = Path(tempfile.gettempdir()) / "rubricate-ran-a-pickle"


class Boom:
    def __reduce__(self):
        return os.mkdir, (str(WITNESS),)


def test_pickled_objects_are_refused_and_never_loaded(saved, tmp_path):
    data = npy(np.array([Boom()], dtype=object), allow_pickle=True)
    with pytest.raises(InvalidFile, match="not numbers"):
        rb.open(with_array(saved, tmp_path / "m", 0, data))
    assert not WITNESS.exists()


@pytest.mark.parametrize(
    "shape", ["(1000000000000,)", "(-1,)", "(2**70,)", "(99999999999999999999, 99999999999999999999)"]
)
def test_declared_shapes_are_not_believed(saved, tmp_path, shape):
    header = ("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }").encode()
    header += b" " * (117 - len(header)) + b"\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 16
    with pytest.raises(InvalidFile, match="not a usable model"):
        rb.open(with_array(saved, tmp_path / "m", 0, data))


@pytest.mark.parametrize(
    "array", [np.array(["a"]), np.array([1j]), np.array(["2020"], "M8[D]"), np.array([(1, 2)], "i4,i4")]
)
def test_other_types_of_arrays_are_refused(saved, tmp_path, array):
    with pytest.raises(InvalidFile, match="not numbers"):
        rb.open(with_array(saved, tmp_path / "m", 0, npy(array)))


def test_truth_values_that_are_neither_are_refused(saved, tmp_path):
    data = bytearray(npy(np.array([True, False])))
    data[-1] = 7
    with pytest.raises(InvalidFile, match="neither true nor false"):
        rb.open(with_array(saved, tmp_path / "m", 0, bytes(data)))


def set_model(**parts):
    def change(manifest):
        manifest["model"]["estimator"].update(parts)

    return change


CHANGES = {
    "future version": (lambda m: m.update(version=2, rubricate="9.9"), "newer Rubricate"),
    "version 0": (lambda m: m.update(version=0), "version 0 of the format does not exist"),
    "another format": (lambda m: m.update(format="pickle"), "names another format"),
    "no model": (lambda m: m.pop("model"), "no model"),
    "no estimator": (lambda m: m.update(model=5), "no estimator"),
    "unknown kind": (set_model(kind="os"), "UnknownName"),
    "import path": (set_model(kind="rubricate", name="os.system"), "UnknownName"),
    "module as kind": (set_model(kind="classifiers", name="_scorer"), "UnknownName"),
    "another estimator": (set_model(kind="sklearn", name="LinearSVC"), "do not fit"),
    "unknown parameter": (set_model(params={"shell": "rm"}), "do not fit"),
    "dunder state": (set_model(state={"__class__": 1}), "is not a learned attribute"),
    "method as state": (set_model(state={"decide": 1}), "is not a learned attribute"),
    "property as state": (set_model(state={"classifier_": 1}), "do not fit"),
    "no state": (set_model(state={}), "do not fit"),
    "unknown tag": (lambda m: m.update(model={"eval": "1"}), "unknown tag"),
    "two tags": (lambda m: m.update(model={"list": [], "tuple": []}), "has no tag"),
    "array out of range": (lambda m: m.update(model={"array": 10**6}), "no array"),
    "function of no kind": (lambda m: m.update(model={"plugin": ["cli", "train"]}), "is not a kind of function"),
    "forward reference": (lambda m: m.update(model={"again": 3}), "do not fit"),
    "sparse of wrong parts": (lambda m: m.update(model={"sparse": ["csr", [9, 9], 0, 1, 2]}), "do not fit"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_a_manifest_that_makes_no_sense_is_refused(saved, tmp_path, name):
    change, reason = CHANGES[name]
    with pytest.raises(InvalidFile, match=reason):
        rb.open(with_manifest(saved, tmp_path / "m", change))


STRANGE = st.sampled_from(
    [
        None,
        True,
        -1,
        10**9,
        1e308,
        "",
        "svm",
        [],
        {},
        {"list": []},
        {"array": 0},
        {"float": "nan"},
        {"dict": []},
        {"again": 0},
    ]
)


def places(node, path=()):
    """The path of every part of a tree."""
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, part in inside:
        yield (*path, key)
        yield from places(part, (*path, key))


@given(data=st.data())
def test_any_part_of_the_tree_may_be_replaced(saved, tmp_path_factory, data):
    """A strange value anywhere, digests made to fit: refused, or a model that still works."""

    def change(manifest):
        *way, last = data.draw(st.sampled_from(sorted(places(manifest["model"]), key=repr)))
        node = manifest["model"]
        for key in way:
            node = node[key]
        node[last] = data.draw(STRANGE)

    path = with_manifest(saved, tmp_path_factory.mktemp("tree") / "m", change)
    try:
        found = rb.Categorizer.open(path)
    except InvalidFile:
        return
    assert len(found.classify(TEXTS)) == len(TEXTS)


def test_a_bottomless_manifest_is_refused(saved, tmp_path):
    contents = members(saved)
    contents["manifest.json"] = b'{"format": "rubricate-model", "model": ' + b'{"list": [' * 50_000 + b"1"
    with pytest.raises(InvalidFile, match="not a usable model"):
        rb.open(rebuilt(tmp_path / "m", contents))


def test_sparse_indices_out_of_range_are_refused(tmp_path):
    knn = rb.KNN(k=2).fit(sparse.csr_array(np.eye(4)), sparse.csr_array(np.eye(4, dtype=bool)))
    saved = rb.save(knn, tmp_path / "knn.rubric")
    manifest = model_file.read_manifest(saved)
    state = manifest["model"]["estimator"]["state"]
    for attribute in ("vectors_", "labels_"):
        number = state[attribute]["sparse"][3]
        with pytest.raises(InvalidFile, match="do not fit"):
            rb.open(with_array(saved, tmp_path / "m", number, npy(np.array([0, 1, 2, 4000], np.int32))))


def test_a_matrix_as_wide_as_the_world_is_refused(tmp_path):
    knn = rb.KNN(k=2).fit(sparse.csr_array(np.eye(4)), sparse.csr_array(np.eye(4, dtype=bool)))

    def widen(manifest):
        state = manifest["model"]["estimator"]["state"]
        state["n_features_in_"] = state["vectors_"]["sparse"][1][1] = 1 << 40

    with pytest.raises(InvalidFile, match="is almost empty"):
        rb.open(with_manifest(rb.save(knn, tmp_path / "knn.rubric"), tmp_path / "m", widen))


# Writing


def test_an_interrupted_write_leaves_the_old_file(model, tmp_path, monkeypatch):
    path = tmp_path / "m.rubric"
    path.write_bytes(b"old")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_atomic.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.save(path)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["m.rubric"]


def test_a_full_disk_or_missing_folder_is_one_clear_error(model, tmp_path, monkeypatch):
    with pytest.raises(InvalidFile, match="cannot be written"):
        model.save(tmp_path / "none" / "m.rubric")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_atomic.os, "fsync", full)
    with pytest.raises(InvalidFile, match="No space left"):
        model.save(tmp_path / "m.rubric")
    assert list(tmp_path.iterdir()) == []


def test_an_unfitted_or_foreign_thing_is_not_opened_as_a_categorizer(tmp_path):
    with pytest.raises(InvalidFile, match="a Rcut, not a Categorizer"):
        rb.Categorizer.open(rb.save(rb.thresholds.Rcut(), tmp_path / "m"))
    with pytest.raises(InvalidInput, match="expected an estimator"):
        rb.save({"a": 1}, tmp_path / "n")


def test_a_pipe_is_written_directly(tmp_path):
    """A path that is not a regular file is never replaced by one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with _atomic.atomic_text(pipe) as text:
            text.write("d1,é\n")
        assert os.read(reader, 99) == "d1,é\n".encode()
    finally:
        os.close(reader)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
