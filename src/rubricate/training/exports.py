"""A model for other programs: a folder of MLflow, or a linear classifier over vectors for ONNX or skops. No pickle."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from rubricate._version import __version__
from rubricate.errors import InvalidFile, InvalidInput, MissingExtra
from rubricate.storage import write_file
from rubricate.text.representation import source_of
from rubricate.types import FittedModel

__all__ = ["export_mlflow", "export_onnx", "export_skops"]

_FLOAT, _OPSET, _IR = 1, 13, 8
_DATA = "model.rubric"


def export_mlflow(model: FittedModel, path: str | Path) -> Path:
    """Write a folder that `mlflow.pyfunc.load_model(path)` opens: texts in, labels and confidence out.

    The model inside is our own file; MLflow opens it by `rubricate.training.mlflow_loader`, and pickle has no part in
    it. A folder that is not empty is refused.
    """
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidFile("is there already", path=folder, remedy="give a folder that is empty or not there")
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        model.save(folder / _DATA)
        write_file(folder / "requirements.txt", f"rubricate=={__version__}\n".encode())
        write_file(folder / "MLmodel", _MLMODEL.format(data=_DATA, version=__version__).encode())
    except BaseException:
        if made:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


_MLMODEL = """\
flavors:
  python_function:
    data: {data}
    env:
      virtualenv: requirements.txt
    loader_module: rubricate.training.mlflow_loader
  rubricate:
    data: {data}
    rubricate_version: {version}
signature:
  inputs: '[{{"type": "string", "name": "text", "required": true}}]'
  outputs: '[{{"type": "string", "name": "labels", "required": true}}, {{"type": "double", "name": "confidence", "required": false}}]'
"""  # noqa: E501


def export_onnx(model: FittedModel, path: str | Path) -> Path:
    """Write a linear classifier as ONNX: input `X` (documents × columns, float32), output `scores`.

    Only for models of vectors (`--vectors`) whose scores are X Wᵀ + b. Words are counted by our own kernels, for which
    ONNX has no operators: a model of texts is refused. The names of the categories are in the metadata.
    """
    weights, bias = (part.astype(np.float32) for part in _linear(model, "ONNX"))
    content = _model(weights, bias, list(model.categories_))
    return write_file(Path(path), content)


def export_skops(model: FittedModel, path: str | Path) -> Path:
    """Write a linear classifier over vectors as a scikit-learn estimator that `skops.io.load` opens.

    It is a `OneVsRestClassifier` of one `LinearSVC` per category: of single-label data `predict` gives the names of the
    best categories, of others a matrix of decisions, the cut of each category taken into its intercept. Its scores are
    ours (less the cuts). The names are in `category_names`. Needs the extra `skops`. Models of texts and cuts by rank
    are refused.
    """
    try:
        import skops.io
    except ImportError as error:
        raise MissingExtra("skops", "Files of skops") from error
    return write_file(Path(path), skops.io.dumps(_one_vs_rest(model)))


def _one_vs_rest(model: FittedModel) -> Any:
    """Return the classifier as scikit-learn's own."""
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import LabelBinarizer
    from sklearn.svm import LinearSVC

    weights, bias = _linear(model, "skops")
    names = np.array(model.categories_)
    targets: Any = np.eye(len(names), dtype=np.int64)
    if model.single_label_:
        targets = names
    elif hasattr(model.cut_, "cuts_"):
        bias = bias - model.cut_.cuts_
    else:
        raise InvalidInput(
            f"{type(model.cut_).__name__} is not one cut per category, and scikit-learn knows no other. Fix: train "
            "with --cut scut or --cut micro_macro"
        )
    whole = OneVsRestClassifier(LinearSVC())
    whole.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(targets)
    if not hasattr(type(whole), "classes_"):  # a property in older versions of scikit-learn
        whole.classes_ = whole.label_binarizer_.classes_
    whole.estimators_ = []
    order = np.argsort(names) if model.single_label_ else np.arange(len(names))
    for row in order:
        machine = LinearSVC()
        machine.classes_, machine.coef_, machine.intercept_ = np.array([0, 1]), weights[[row]], bias[[row]]
        machine.n_features_in_ = weights.shape[1]
        whole.estimators_.append(machine)
    whole.n_features_in_, whole.category_names = weights.shape[1], names
    return whole


def _linear(model: FittedModel, target: str) -> tuple[Any, Any]:
    if source_of(model.weights) != "vectors":
        raise InvalidInput(
            f"{target} has no operators for our words and weights; export a model that was trained on vectors "
            "(--vectors), or serve the model file itself (rubricate serve)"
        )
    classifier = model.classifier_
    weights, bias = getattr(classifier, "coef_", None), getattr(classifier, "intercept_", None)
    if weights is None or bias is None:
        raise InvalidInput(
            f"{type(classifier).__name__} is not linear: {target} export needs coef_ and intercept_, as of SVM"
        )
    dense = weights.toarray() if hasattr(weights, "toarray") else np.asarray(weights)
    return np.atleast_2d(dense).astype(np.float64), np.atleast_1d(np.asarray(bias)).astype(np.float64)


# ONNX is a protocol buffer; the few messages needed are written by hand, so that no library is.


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def _tensor(name: str, values: Any) -> bytes:
    dims = b"".join(_number(1, size) for size in values.shape)
    return dims + _number(2, _FLOAT) + _bytes(8, name) + _bytes(9, values.astype("<f4").tobytes())


def _value(name: str, columns: int) -> bytes:
    shape = _bytes(1, _bytes(2, "documents")) + _bytes(1, _number(1, columns))
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, _FLOAT) + _bytes(2, shape)))


def _model(weights: Any, bias: Any, categories: list[str]) -> bytes:
    node = b"".join(_bytes(1, name) for name in ("X", "W", "b")) + _bytes(2, "scores") + _bytes(4, "Gemm")
    transposed = _bytes(1, "transB") + _number(3, 1) + _number(20, 2)
    graph = (
        _bytes(1, node + _bytes(5, transposed))
        + _bytes(2, "rubricate")
        + _bytes(5, _tensor("W", weights))
        + _bytes(5, _tensor("b", bias))
        + _bytes(11, _value("X", weights.shape[1]))
        + _bytes(12, _value("scores", len(weights)))
    )
    names = _bytes(1, "categories") + _bytes(2, json.dumps(categories, ensure_ascii=False))
    return (
        _number(1, _IR)
        + _bytes(2, "rubricate")
        + _bytes(3, __version__)
        + _bytes(7, graph)
        + _bytes(8, _bytes(1, "") + _number(2, _OPSET))
        + _bytes(14, names)
    )
