"""What every estimator answers with."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numpy as np

from rubricate import registry
from rubricate.errors import InvalidInput
from rubricate.measures import macro, resolve
from rubricate.types import Bools, Counts, Floats, Signature, Undefined

__all__ = ["MEASURES", "Estimate", "Estimator", "estimator", "names_for"]

MEASURES = ("error", "recall", "precision", "f1")


@dataclass(frozen=True, eq=False)
class Estimate:
    """How well a system will do on documents nobody has labelled: error, recall, precision and F1.

    `table` is the expected contingency table of each category over the documents (fractional where a bias was
    subtracted), and all measures follow from it; over repeated splits it is the sum, so that a measure is its
    micro-expectation (joachims2000, equation 84). `bias` and `spread` say what is known of the estimator.
    `deviation` holds the standard deviation of each measure and category over splits, where there were some.
    `undetermined` marks categories for which the estimator's conditions do not hold. `scores` are those of documents
    by classifiers that had not seen them. `single_label` says that every document has one label and was given one, its
    best category: then there is an `accuracy`. `facts` are the numbers of the method: trainings, bounds, ρ, R², ….
    """

    method: str
    documents: int
    categories: tuple[str, ...]
    table: Counts
    bias: str
    spread: str
    convention: Undefined = "zero"
    deviation: Mapping[str, Floats] = field(default_factory=dict)
    undetermined: Bools | None = None
    scores: Floats | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    signature: Signature = field(default_factory=Signature)
    single_label: bool = False

    def __post_init__(self) -> None:
        if len(self.table) != len(self.categories):
            raise InvalidInput(f"an estimate of {len(self.categories)} categories with {len(self.table)} tables")

    @property
    def error(self) -> Floats:
        """(FP + FN) / n of each category."""
        return self._measure("error")

    @property
    def recall(self) -> Floats:
        """TP / (TP + FN) of each category."""
        return self._measure("recall")

    @property
    def precision(self) -> Floats:
        """TP / (TP + FP) of each category."""
        return self._measure("precision")

    @property
    def f1(self) -> Floats:
        """2TP / (2TP + FP + FN) of each category."""
        return self._measure("f1")

    @property
    def micro(self) -> dict[str, float]:
        """All four measures of the summed table."""
        whole = Counts(*(np.array([part.sum()]) for part in _cells(self.table)))
        return {name: float(resolve(name)(whole, undefined=self.convention)[0]) for name in MEASURES}

    @property
    def macro(self) -> dict[str, float]:
        """Means of the four measures over the categories."""
        return {name: macro(name, self.table, undefined=self.convention) for name in MEASURES}

    @property
    def accuracy(self) -> float | None:
        """Share of documents that get their category; None where documents may have several labels or none."""
        if not self.single_label:
            return None
        labelled = float(np.sum(self.table.tp) + np.sum(self.table.fn))
        return float(np.sum(self.table.tp)) / labelled if labelled else math.nan

    def _measure(self, name: str) -> Floats:
        return np.asarray(resolve(name)(self.table, undefined=self.convention))

    def __str__(self) -> str:
        """Show the averages and, for up to 30 categories, each of them; what is known of the method; the signature."""
        wide = max([len("category"), *(len(name) for name in self.categories[:30])])
        lines = [f"{'category':{wide}}" + "".join(f"{name:>10}" for name in MEASURES)]
        each = zip(*(self._measure(name) for name in MEASURES), strict=True)
        for c, values in enumerate(each if len(self.categories) <= 30 else ()):
            mark = " undetermined" if self.undetermined is not None and self.undetermined[c] else ""
            lines.append(_line(self.categories[c], values, wide) + mark)
        lines += [_line(name, values.values(), wide) for name, values in (("micro", self.micro), ("macro", self.macro))]
        if self.accuracy is not None:
            lines.append(f"accuracy {self.accuracy:.4f}: every document has one label and gets its best category")
        if self.undetermined is not None and self.undetermined.any():
            lines.append(f"{int(self.undetermined.sum())} of {len(self.categories)} categories undetermined")
        lines += [f"{self.method} from {self.documents} documents", f"bias: {self.bias}", f"spread: {self.spread}"]
        lines += [f"{name}: {_short(value)}" for name, value in self.facts.items() if np.ndim(value) == 0]
        return "\n".join([*lines, *([str(self.signature)] if str(self.signature) else [])])

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the scores, as JSON has it: NaN and infinity are null."""
        columns: dict[str, Any] = {name: self._measure(name) for name in MEASURES}
        columns |= {f"{name}_deviation": values for name, values in self.deviation.items()}
        columns |= dict(zip(("tp", "fp", "fn", "tn"), _cells(self.table), strict=True))
        if self.undetermined is not None:
            columns["undetermined"] = self.undetermined
        columns |= {name: value for name, value in self.facts.items() if np.shape(value) == (len(self.categories),)}
        per_category = {
            category: {name: _plain(values[c]) for name, values in columns.items()}
            for c, category in enumerate(self.categories)
        }
        return {
            "method": self.method,
            "documents": self.documents,
            **({} if self.accuracy is None else {"accuracy": _plain(self.accuracy)}),
            "micro": {name: _plain(value) for name, value in self.micro.items()},
            "macro": {name: _plain(value) for name, value in self.macro.items()},
            "bias": self.bias,
            "spread": self.spread,
            "convention": self.convention,
            "facts": {name: _plain(value) for name, value in self.facts.items() if np.ndim(value) == 0},
            "signature": str(self.signature),
            "per_category": per_category,
        }


def names_for(categories: Any, columns: int) -> tuple[str, ...]:
    """Return category names as text, or the numbers of the columns where there are none."""
    names = tuple(str(c) for c in range(columns)) if categories is None else tuple(map(str, categories))
    if len(names) != columns:
        raise InvalidInput(f"{len(names)} category names for labels of {columns} columns; give one per column")
    return names


def _cells(table: Counts) -> tuple[Any, ...]:
    return table.tp, table.fp, table.fn, table.tn


def _line(name: str, values: Any, wide: int) -> str:
    return f"{name:{wide}}" + "".join(f"{value:10.4f}" for value in values)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class Estimator(Protocol[P, R]):
    """An estimator of how well a system will do.

    Attributes
    ----------
    needs_svm : given a system with an SVM in it, it is called with the SVM itself and the vectors it learns from.
    seeded : it draws documents at random and takes `seed=`.
    """

    needs_svm: bool
    seeded: bool
    __name__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the estimate."""
        ...


def estimator(
    name: str, *, needs_svm: bool = False, seeded: bool = False
) -> Callable[[Callable[P, R]], Estimator[P, R]]:
    """Register a function as an estimator under a name and declare what it is.

    >>> @estimator("guess", seeded=True)
    ... def guess(classifier, X, labels, *, categories=None, seed=0): ...
    >>> guess.seeded, guess.needs_svm
    (True, False)
    """

    def mark(function: Callable[P, R]) -> Estimator[P, R]:
        marked = cast(Any, function)
        marked.needs_svm, marked.seeded = needs_svm, seeded
        return cast(Estimator[P, R], registry.register("estimation", name, function))

    return mark
