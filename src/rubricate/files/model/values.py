"""Convert estimators to JSON and arrays, and back.

None, booleans, numbers and strings are themselves; everything else is an object with one key, its tag:

    float list tuple set dict      the plain containers; "float" for inf, -inf and nan
    array                          the number of a member of the container
    words objects                  arrays of strings, and of mixed values: shape and values
    sparse                         format, shape, and the three arrays of a csr or csc matrix
    dtype plugin                   a NumPy type; a function of ours by kind and name
    estimator                      kind, name, parameters, and learned attributes (names that end in `_`)
    again                          an earlier estimator, by number
"""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate import registry
from rubricate.errors import InvalidInput
from rubricate.files.model.checks import check_params, check_sparse
from rubricate.files.model.classes import FUNCTIONS, PLAIN, class_of, name_of, private_state
from rubricate.files.model.file_parameters import check_paths, contents

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

__all__ = ["Decoder", "Encoder", "PlainDecoder"]

LEARNED = re.compile(r"[a-zA-Z]\w*_", re.ASCII)
WIDE = 1 << 24
"""Rows or columns that a sparse matrix of a small file may claim: they cost the reader memory, not the file."""
GROWTH = 64
"""Bytes of words that a byte of the file may open to. NumPy gives all words of an array the room of the longest one."""
FORMATS = {"csr": sparse.csr_array, "csc": sparse.csc_array}
TYPES = {np.dtype(name).name: np.dtype(name).type for name in ("float64", "float32", "int64", "int32", "bool")}


class Encoder:
    """Turns values into JSON; `arrays` collects the arrays, each once."""

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._numbers: dict[int, int] = {}
        self._estimators: dict[int, int] = {}
        self._kept: list[Any] = []  # alive while we encode, so that no id is used twice

    def value(self, value: Any, where: str = "the model") -> Any:
        """Return the JSON of a value; `where` names it in errors."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if sparse.issparse(value):
            return self._sparse(value, where)
        return self._container(value, where)

    def _container(self, value: Any, where: str) -> Any:
        from sklearn.base import BaseEstimator  # here, so that a reader of plain values can do without

        if isinstance(value, BaseEstimator):
            return self._estimator(value, where)
        if isinstance(value, Mapping):
            pairs = ((self.value(k, where), self.value(v, f"{where}[{k!r}]")) for k, v in value.items())
            return {"dict": [list(pair) for pair in pairs]}
        for tag, kinds in (("list", (list, range)), ("tuple", (tuple,)), ("set", (set, frozenset))):
            if isinstance(value, kinds):
                items = sorted(value, key=repr) if tag == "set" else value
                return {tag: [self.value(item, where) for item in items]}
        return self._name(value, where)

    def _name(self, value: Any, where: str) -> Any:
        from rubricate.rules.form import RuleBase
        from rubricate.rules.printer import format_rules

        if isinstance(value, RuleBase):  # as text: whatever takes rules also reads text
            return format_rules(value)
        if isinstance(value, PurePath):
            return str(value)
        if isinstance(value, type) and value in TYPES.values():
            return {"dtype": np.dtype(value).name}
        for kind in FUNCTIONS:
            name = registry.find(kind, value) if callable(value) else None
            if name is not None and registry.load(kind, name) is value:
                return {"plugin": [kind, name]}
        raise InvalidInput(
            f"{where} is a {type(value).__name__} and cannot be saved; a model holds numbers, strings, arrays, "
            "sparse matrices, containers and estimators of those"
        )

    def _array(self, array: NDArray[Any], where: str) -> Any:
        if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8:
            return {"array": self._member(array)}
        tag = {"U": "words", "O": "objects"}.get(array.dtype.kind)
        if tag is None:
            raise InvalidInput(f"{where} is an array of {array.dtype}, which cannot be saved")
        return {tag: [list(array.shape), [self.value(item, where) for item in array.ravel().tolist()]]}

    def _member(self, array: NDArray[Any]) -> int:
        if id(array) not in self._numbers:
            self._numbers[id(array)] = len(self.arrays)
            self.arrays.append(array)
        return self._numbers[id(array)]

    def _sparse(self, matrix: Any, where: str) -> Any:
        if matrix.format not in FORMATS:
            matrix = matrix.tocsr()
        parts = [self._array(part, where)["array"] for part in (matrix.data, matrix.indices, matrix.indptr)]
        return {"sparse": [matrix.format, list(map(int, matrix.shape)), *parts]}

    def _estimator(self, estimator: BaseEstimator, where: str) -> Any:
        if id(estimator) in self._estimators:
            return {"again": self._estimators[id(estimator)]}
        kind, name = name_of(estimator)
        self._estimators[id(estimator)] = len(self._estimators)
        self._kept.append(estimator)
        here = type(estimator).__name__
        private = private_state(kind, name)
        learned = vars(estimator) if not hasattr(estimator, "stored_state") else estimator.stored_state()
        learned = {k: v for k, v in learned.items() if LEARNED.fullmatch(k) or k in private}
        params = contents(name, estimator.get_params(deep=False))
        return {
            "estimator": {
                "kind": kind,
                "name": name,
                "params": {k: self.value(v, f"{here}.{k}") for k, v in params.items()},
                "state": {k: self.value(v, f"{here}.{k}") for k, v in learned.items()},
            }
        }


class Decoder:
    """Turns JSON back into values. Invalid input raises ValueError, LookupError or TypeError.

    `size` is that of the file in bytes, which limits the memory that its values may take.
    """

    def __init__(self, arrays: list[NDArray[Any]], size: int = 0) -> None:
        self.arrays = arrays
        self.estimators: list[Any] = []
        self._widest = max(WIDE, sum(array.nbytes for array in arrays))
        self._room = max(WIDE, GROWTH * size)
        self._tags: dict[str, Callable[[Any], Any]] = {
            "float": self._float,
            "list": lambda items: [self.value(item) for item in _list(items)],
            "tuple": lambda items: tuple(self.value(item) for item in _list(items)),
            "set": lambda items: {self.value(item) for item in _list(items)},
            "dict": lambda pairs: {self.value(k): self.value(v) for k, v in _list(pairs)},
            "array": self._array,
            "words": lambda parts: self._cells(parts, str),
            "objects": lambda parts: self._cells(parts, object),
            "sparse": self._sparse,
            "dtype": TYPES.__getitem__,
            "plugin": self._plugin,
            "estimator": self._estimator,
            "again": self._again,
        }

    def value(self, node: Any) -> Any:
        """Return the value of a node."""
        if node is None or isinstance(node, (bool, int, float, str)):
            return node
        if not isinstance(node, dict) or len(node) != 1:
            raise ValueError("a value has no tag")
        ((tag, content),) = node.items()
        if tag not in self._tags:
            raise ValueError(f"unknown tag {tag!r:.40}")
        return self._tags[tag](content)

    def _float(self, text: Any) -> float:
        if text not in ("inf", "-inf", "nan"):
            raise ValueError(f"{text!r:.40} is not a number")
        return float(text)

    def _array(self, number: Any) -> NDArray[Any]:
        if not isinstance(number, int) or not 0 <= number < len(self.arrays):
            raise ValueError(f"no array {number!r:.40}")
        return self.arrays[number]

    def _cells(self, parts: Any, dtype: type) -> NDArray[Any]:
        shape, values = parts
        items = [self.value(item) for item in _list(values)]
        if dtype is str and not all(isinstance(item, str) for item in items):
            raise ValueError("an array of words holds something else")
        if dtype is str:
            self._room -= 4 * len(items) * max(map(len, items), default=0)
            if self._room < 0:
                raise ValueError("words of such lengths that they would take far more memory than the file")
        cells = np.empty(len(items), dtype=object)
        cells[:] = items
        return cells.astype(dtype).reshape([int(length) for length in _list(shape)])

    def _sparse(self, parts: Any) -> Any:
        form, (rows, columns), data, indices, starts = parts
        data, indices, starts = (self._array(part) for part in (data, indices, starts))
        if not (data.ndim == indices.ndim == starts.ndim == 1 and indices.dtype.kind == starts.dtype.kind == "i"):
            raise ValueError("the parts of a sparse matrix have the wrong type")
        if max(rows, columns) > self._widest:
            raise ValueError(f"a sparse matrix of {rows} × {columns} that is almost empty")
        major, minor = (rows, columns) if form == "csr" else (columns, rows)
        check_sparse(data, indices, starts, shape=(int(major), int(minor)))
        matrix = FORMATS[form]((data, indices, starts), shape=(int(rows), int(columns)))
        matrix.check_format(full_check=True)
        return matrix

    def _plugin(self, parts: Any) -> Any:
        kind, name = parts
        if kind not in FUNCTIONS:
            raise ValueError(f"{kind!r:.40} is not a kind of function")
        return registry.load(kind, name)

    def _again(self, number: Any) -> Any:
        return self.estimators[int(number)]

    def _estimator(self, node: Any) -> Any:
        kind, name = node["kind"], node["name"]
        estimator_class = class_of(kind, name)
        at = len(self.estimators)
        self.estimators.append(None)
        params = self._params(kind, name, node["params"])
        estimator = estimator_class(**params)
        self.estimators[at] = estimator
        state = self._state(node["state"], private_state(kind, name))
        if hasattr(estimator, "restore_state"):
            estimator.restore_state(state)
        else:
            vars(estimator).update(state)
        return estimator

    def _params(self, kind: str, name: str, nodes: Mapping[str, Any]) -> dict[str, Any]:
        params = {str(key): self.value(value) for key, value in nodes.items()}
        check_params(kind, params)
        check_paths(name, params)
        return params

    def _state(self, nodes: Mapping[str, Any], private: Collection[str] = ()) -> dict[str, Any]:
        for key in nodes:
            if not LEARNED.fullmatch(key) and key not in private:
                raise ValueError(f"{key!r:.40} is not a learned attribute")
        return {key: self.value(value) for key, value in nodes.items()}


class PlainDecoder(Decoder):
    """Reads a fitted model whose parts predict without scikit-learn; raises ValueError where one of them cannot.

    What is not needed to predict is left unread: parameters of the training, and stored documents.
    """

    def _estimator(self, node: Any) -> Any:
        key = (node["kind"], node["name"])
        if key == ("rubricate", "Categorizer"):
            from rubricate.training.model import Model

            return Model.of_state(None, self._state({**node["state"], "kept_": None}))
        if key not in PLAIN:
            raise ValueError(f"{node['name']!r:.40} needs its estimator")
        module, name, needed = PLAIN[key]
        part = getattr(importlib.import_module(module), name)()
        params = node["params"] if needed is None else {each: node["params"][each] for each in needed}
        vars(part).update(self._params(*key, params) | self._state(node["state"]))
        self.estimators.append(part)
        return part

    def _again(self, number: Any) -> Any:
        raise ValueError("an estimator that occurs twice")

    def _plugin(self, parts: Any) -> Any:
        raise ValueError("a function")


def _list(items: Any) -> list[Any]:
    if not isinstance(items, list):
        raise ValueError("expected a list")
    return items
