"""Models for other programs: ONNX and skops of linear models over vectors, folders of MLflow."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rubricate as rb
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.training.exports import export_mlflow, export_onnx, export_skops
from rubricate.training.mlflow_loader import _load_pyfunc

TEXTS = ["wheat corn", "corn farm wheat", "oil crude", "crude oil barrel"] * 5
LABELS = ["grain", "grain", "oil", "oil"] * 5


def fields(data: bytes) -> dict[int, list]:
    """The fields of a protocol buffer message: whole numbers and bytes."""
    found: dict[int, list] = {}
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            found.setdefault(key >> 3, []).append(varint())
        else:
            assert key & 7 == 2
            length = varint()
            found.setdefault(key >> 3, []).append(data[at : at + length])
            at += length
    return found


@pytest.fixture(scope="module")
def linear():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(60, 5))
    return rb.Categorizer(rb.SVM(), weights=None).fit(X, [f"c{i % 3}" for i in range(60)]), X


def test_onnx_holds_the_weights(linear, tmp_path):
    """Read back by the field numbers of onnx.proto3; checked by onnx.checker and run by onnxruntime too."""
    model, X = linear
    graph = fields(fields(export_onnx(model, tmp_path / "m.onnx").read_bytes())[7][0])
    tensors = {}
    for raw in graph[5]:
        tensor = fields(raw)
        tensors[tensor[8][0].decode()] = np.frombuffer(tensor[9][0], "<f4").reshape(tensor[1])
    scores = X.astype(np.float32) @ tensors["W"].T + tensors["b"]
    np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-4, atol=1e-4)
    assert fields(graph[1][0])[4] == [b"Gemm"]


def test_onnx_runs(linear, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    model, X = linear
    session = runtime.InferenceSession(str(export_onnx(model, tmp_path / "m.onnx")))
    (scores,) = session.run(["scores"], {"X": X.astype(np.float32)})
    np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-4, atol=1e-4)


def test_onnx_says_no_to_texts_and_to_neighbours(linear, tmp_path):
    with pytest.raises(InvalidInput, match="trained on vectors"):
        export_onnx(rb.Categorizer(rb.SVM(), folds=0).fit(TEXTS, LABELS), tmp_path / "m.onnx")
    neighbours = rb.Categorizer(rb.KNN(k=3), weights=None).fit(linear[1], [f"c{i % 3}" for i in range(60)])
    with pytest.raises(InvalidInput, match="KNN is not linear"):
        export_onnx(neighbours, tmp_path / "m.onnx")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_mlflow(tmp_path):
    model = rb.Categorizer(rb.SVM()).fit(TEXTS, LABELS)
    folder = export_mlflow(model, tmp_path / "flow")
    assert sorted(path.name for path in folder.iterdir()) == ["MLmodel", "model.rubric", "requirements.txt"]
    loaded = _load_pyfunc(str(folder / "model.rubric"))
    for data in (pd.DataFrame({"text": ["corn", "crude"]}), ["corn", "crude"]):
        assert loaded.predict(data)["labels"].tolist() == [["grain"], ["oil"]]
    with pytest.raises(InvalidFile, match="is there already"):
        export_mlflow(model, folder)


def exported_and_opened(model, path):
    skops = pytest.importorskip("skops.io")
    export_skops(model, path)
    assert skops.get_untrusted_types(file=path) == []
    return skops.load(path)


@pytest.mark.slow
def test_skops_gives_the_same_classes(linear, tmp_path):
    model, X = linear
    theirs = exported_and_opened(model, tmp_path / "model.skops")
    assert theirs.predict(X).tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(theirs.decision_function(X), model.classifier_.decision_function(X), rtol=1e-12)


@pytest.mark.slow
def test_skops_gives_the_same_labels(tmp_path):
    draw = np.random.default_rng(1)
    X = draw.normal(size=(90, 6))
    model = rb.Categorizer(rb.SVM(), weights=None).fit(X, [[f"c{k}" for k in range(3) if row[k] > 0.2] for row in X])
    theirs = exported_and_opened(model, tmp_path / "model.skops")
    assert theirs.category_names.tolist() == list(model.categories_)
    ours = model.run(X).decisions.values.toarray()
    assert 0 < ours.sum() < ours.size
    assert (theirs.predict(X).astype(bool) == ours).all()


@pytest.mark.slow
def test_skops_says_no_to_texts_and_to_cuts_by_rank(tmp_path):
    pytest.importorskip("skops.io")
    texts = rb.Categorizer(rb.SVM(), representation="terms").fit(TEXTS, LABELS)
    with pytest.raises(InvalidInput, match="vectors"):
        export_skops(texts, tmp_path / "model.skops")
    X = np.random.default_rng(2).normal(size=(60, 4))
    labels = [[f"c{k}" for k in range(3) if row[k] > 0] for row in X]
    with pytest.raises(InvalidInput, match="cut"):
        export_skops(rb.Categorizer(rb.SVM(), weights=None, cut="rcut:1").fit(X, labels), tmp_path / "model.skops")
    assert not any(tmp_path.iterdir())
