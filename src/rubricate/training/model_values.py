"""Check that the parts of an opened model fit together.

Digests show that nobody changed a file, not that its author meant well: arrays of the wrong length would send
compiled loops past their ends. So shapes are checked by name, and then the model scores two tiny documents.
A class whose loops follow learned positions (a tree, a table of rules) also has `check_state()`, which raises
ValueError when a position is out of range.
"""

from __future__ import annotations

import importlib
import math
import re
import warnings
from collections.abc import Callable, Collection, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate import registry
from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.matrices import check_compressed

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

__all__ = [
    "FUNCTIONS",
    "PLAIN",
    "Decoder",
    "Encoder",
    "PlainDecoder",
    "check_params",
    "check_parts",
    "check_paths",
    "check_sparse",
    "class_of",
    "contents",
    "name_of",
    "private_state",
    "try_out",
]

DIMENSIONS: dict[str, tuple[str | int, ...]] = {
    "alpha_": ("documents", "columns"),
    "category_counts_": ("columns",),
    "coef_": ("columns", "terms"),
    "cuts_": ("columns",),
    "dual_": ("columns",),
    "dual_coef_": ("columns", "support"),
    "idf_": ("terms",),
    "intercept_": ("columns",),
    "labels_": ("documents", "columns"),
    "primal_": ("columns",),
    "sigmoid_": (2, "columns"),
    "slack_": ("documents", "columns"),
    "stable_": ("columns",),
    "support_": ("support",),
    "support_vectors_": ("support", "terms"),
    "sweeps_": ("columns",),
    "term_counts_": ("terms", "columns"),
    "term_totals_": ("terms",),
    "vectors_": ("documents", "terms"),
}
"""The meaning of the axes of learned arrays, wherever they have these names."""


FIXED: dict[str, tuple[Any, ...]] = {
    "input": ("content",),
    "memory": (None,),
    "preprocessor": (None,),
    "tokenizer": (None,),
}
"""Parameters of scikit-learn's estimators that would open files or call functions, and the values they may have."""


def check_params(kind: str, params: Mapping[str, Any]) -> None:
    """Check that the parameters of a scikit-learn estimator from a file neither open files nor call functions."""
    if kind != "sklearn":
        return
    from sklearn.base import BaseEstimator

    for name, value in params.items():
        if name in FIXED and value not in FIXED[name]:
            raise ValueError(f"the parameter {name} may only be {FIXED[name][0]!r}")
        if callable(value) and not isinstance(value, (type, BaseEstimator)):
            raise ValueError(f"the parameter {name} may not be a function")


def check_sparse(data: Any, indices: Any, starts: Any, *, shape: tuple[int, int]) -> None:
    """Check the arrays of a csr (rows, columns) or csc (columns, rows) matrix, and that its values are finite."""
    check_compressed(data, indices, starts, shape=shape)
    if data.dtype.kind == "f" and not np.isfinite(data).all():
        raise ValueError("a sparse matrix holds values that are not finite")


def check_parts(estimator: Any) -> None:
    """Check that the learned arrays of an estimator agree on documents, terms and categories; run its `check_state`."""
    sizes: dict[str | int, int] = {2: 2}
    if hasattr(estimator, "n_features_in_"):
        sizes["terms"] = int(estimator.n_features_in_)
    if isinstance(getattr(estimator, "vocabulary_", None), tuple):
        sizes["terms"] = len(estimator.vocabulary_)
    for name, axes in DIMENSIONS.items():
        value = vars(estimator).get(name)
        if isinstance(value, np.ndarray) or sparse.issparse(value):
            if len(value.shape) != len(axes):
                raise ValueError(f"{name} has {len(value.shape)} axes, not {len(axes)}")
            _check_sizes(name, dict(zip(axes, value.shape, strict=True)), sizes)
    classes = getattr(estimator, "classes_", None)
    if "columns" in sizes and classes is not None and sizes["columns"] not in (1, len(classes)):
        raise ValueError(f"{sizes['columns']} columns for {len(classes)} categories")
    if hasattr(estimator, "check_state"):
        estimator.check_state()


def _check_sizes(name: str, shape: dict[str | int, int], sizes: dict[str | int, int]) -> None:
    for axis, length in shape.items():
        if sizes.setdefault(axis, length) != length:
            raise ValueError(f"{name} has {length} {axis}, other parts have {sizes[axis]}")


def try_out(estimator: Any) -> None:
    """Use a fitted estimator on two documents, one of them empty; a broken one raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if hasattr(estimator, "try_out"):
            estimator.try_out()
        elif hasattr(estimator, "decide") and hasattr(estimator, "cuts_"):
            estimator.decide(np.zeros((2, len(estimator.cuts_))))
        elif hasattr(estimator, "vocabulary_") and hasattr(estimator, "analyzer"):
            estimator.transform(["", " ".join(list(estimator.vocabulary_)[:3])])
        elif hasattr(estimator, "n_features_in_"):
            _try_vectors(estimator)


def _try_vectors(estimator: Any) -> None:
    terms = int(estimator.n_features_in_)
    few = sorted({0, terms // 2, terms - 1})
    X = sparse.csr_array((np.ones(len(few)), few, [0, 0, len(few)]), shape=(2, terms))
    if hasattr(estimator, "decision_function"):
        scores = estimator.decision_function(X)
        categories = len(estimator.classes_)
        if np.shape(scores) not in ((2,), (2, 1), (2, categories)) or (np.ndim(scores) == 1 and categories > 2):
            raise ValueError(f"scores of shape {np.shape(scores)} for {categories} categories")
    elif hasattr(estimator, "transform"):
        estimator.transform(X)


PLUGINS = ("classifiers", "thresholds")
"""Kinds of plug-ins that are estimators."""
FUNCTIONS = ("measures", "engines")
"""Kinds of plug-ins that are functions and may be parameters."""

OURS = {
    "Aligned": "rubricate.training.adapters",
    "Analyzer": "rubricate.text",
    "BM25": "rubricate.text.weights",
    "Blocks": "rubricate.text.blocks",
    "Categorizer": "rubricate.training.categorizer",
    "Confidence": "rubricate.training.confidence",
    "Embeddings": "rubricate.text.embeddings",
    "PivotedLength": "rubricate.text.weights",
    "Representation": "rubricate.text.representation",
    "Select": "rubricate.text",
    "Shape": "rubricate.text.representation",
    "Thresholded": "rubricate.training.adapters",
    "Vectors": "rubricate.text.vectors",
    "Weights": "rubricate.text",
}

SKLEARN = {
    "BernoulliNB": "sklearn.naive_bayes",
    "ComplementNB": "sklearn.naive_bayes",
    "CountVectorizer": "sklearn.feature_extraction.text",
    "FeatureUnion": "sklearn.pipeline",
    "HashingVectorizer": "sklearn.feature_extraction.text",
    "LabelBinarizer": "sklearn.preprocessing",
    "LinearSVC": "sklearn.svm",
    "LogisticRegression": "sklearn.linear_model",
    "MaxAbsScaler": "sklearn.preprocessing",
    "MultinomialNB": "sklearn.naive_bayes",
    "Normalizer": "sklearn.preprocessing",
    "OneVsRestClassifier": "sklearn.multiclass",
    "Pipeline": "sklearn.pipeline",
    "RidgeClassifier": "sklearn.linear_model",
    "SGDClassifier": "sklearn.linear_model",
    "StandardScaler": "sklearn.preprocessing",
    "TfidfTransformer": "sklearn.feature_extraction.text",
    "TfidfVectorizer": "sklearn.feature_extraction.text",
    "TruncatedSVD": "sklearn.decomposition",
}
"""Classes of scikit-learn whose state is arrays, numbers and words."""

PRIVATE = {"TfidfVectorizer": ("_tfidf",), "RidgeClassifier": ("_label_binarizer",)}
"""Attributes that some of them need although their names are private."""

_CUTS = ("rubricate.thresholds.decisions", "CategoryThresholds", ())
PLAIN: dict[tuple[str, str], tuple[str, str, tuple[str, ...] | None]] = {
    ("classifiers", "svm"): ("rubricate.classifiers.linear_scores", "LinearScores", ("kernel",)),
    ("rubricate", "Aligned"): ("rubricate.training.label_columns", "LabelColumns", ("form",)),
    ("rubricate", "Analyzer"): ("rubricate.text.analysis", "Analysis", None),
    ("rubricate", "Blocks"): ("rubricate.text.term_vectors", "TermBlocks", ("shares",)),
    ("rubricate", "Confidence"): ("rubricate.training.confidence_scores", "ConfidenceCurve", ()),
    ("rubricate", "Representation"): ("rubricate.text.term_vectors", "TermRepresentation", ()),
    ("rubricate", "Vectors"): ("rubricate.text.term_vectors", "TermVectors", ("analyzer", "weights")),
    ("thresholds", "fixed"): _CUTS,
    ("thresholds", "micro_macro"): _CUTS,
    ("thresholds", "rcut"): ("rubricate.thresholds.decisions", "BestCategories", ("t",)),
    ("thresholds", "scut"): _CUTS,
}
"""The fitted part of an estimator that predicts without scikit-learn: module, class, and the parameters it needs (None:
all). The estimator predicts by the same code, most of them as subclasses."""

TABLES = {"rubricate": OURS, "sklearn": SKLEARN}


def name_of(estimator: Any) -> tuple[str, str]:
    """Return the kind and name under which the class of an estimator is saved, or say why it cannot be saved."""
    kind = type(estimator)
    for group in PLUGINS:
        name = registry.find(group, kind)
        if name is not None and registry.load(group, name) is kind:
            return group, name
    for group, table in TABLES.items():
        if kind.__name__ in table and class_of(group, kind.__name__) is kind:
            return group, kind.__name__
    raise InvalidInput(
        f"a {kind.__name__} cannot be saved: a model file holds data and no code, so it may hold only Rubricate's own "
        f"estimators and these of scikit-learn: {', '.join(SKLEARN)}"
    )


def class_of(group: str, name: str) -> Any:
    """Return the class of this kind and name."""
    if group in PLUGINS:
        return registry.load(group, name)
    table = TABLES.get(group)
    if table is None:
        raise UnknownName("kind of estimator", str(group), [*PLUGINS, *TABLES])
    if name not in table:
        raise UnknownName(f"{group} estimator", str(name), table)
    return getattr(importlib.import_module(table[name]), name)


def private_state(group: str, name: str) -> tuple[str, ...]:
    """Return the private attributes that belong to the state of a class."""
    return PRIVATE.get(name, ()) if group == "sklearn" else ()


class _FileParameter(NamedTuple):
    """Whether a value names a file, and what to keep in its place."""

    names_file: Callable[[Any], bool]
    content: Callable[[Any], Any]


def _is_stop_file(value: Any) -> bool:
    from rubricate.text.stop_lists import stop_lists  # here, so that a reader of plain values can do without

    return isinstance(value, (str, PurePath)) and value not in {*stop_lists(), "english", "none"}


def _is_rule_file(value: Any) -> bool:
    return isinstance(value, PurePath) or (isinstance(value, str) and ";" not in value)


def _stop_words(value: Any) -> Any:
    from rubricate.text.stop_lists import stop_words

    return sorted(stop_words(value))


def _rules(value: Any) -> Any:
    from rubricate.rules.parser import read_rules

    return read_rules(value)


def _names(value: Any) -> Any:
    from rubricate.classifiers.category_names import read_names

    return read_names(value)


_PARAMETERS = {
    ("Analyzer", "stop"): _FileParameter(_is_stop_file, _stop_words),
    ("construe", "rules"): _FileParameter(_is_rule_file, _rules),
    ("word", "names"): _FileParameter(lambda value: isinstance(value, (str, PurePath)), _names),
}


def contents(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an estimator with the content of files in place of their paths.

    A file that is gone is left out, with a warning: what was learned from it is kept elsewhere, and saving must not
    fail for it.
    """
    kept = dict(params)
    for (owner, parameter), known in _PARAMETERS.items():
        if owner == name and parameter in kept and known.names_file(kept[parameter]):
            kept[parameter] = _content(known, kept[parameter])
    return kept


def _content(known: _FileParameter, value: Any) -> Any:
    try:
        return known.content(value)
    except InvalidFile as error:
        warnings.warn(f"{error} The model is saved without it.", stacklevel=2)
        return None


def check_paths(name: str, params: Mapping[str, Any]) -> None:
    """Raise ValueError if a parameter from a model file names a file."""
    for (owner, parameter), known in _PARAMETERS.items():
        if owner == name and parameter in params and known.names_file(params[parameter]):
            raise ValueError(f"the parameter {parameter} names a file; a model holds what it needs")


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
