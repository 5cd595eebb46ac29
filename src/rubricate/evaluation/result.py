"""The result of an evaluation: every number with the convention and the signature it was made under."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

import numpy as np

from rubricate._tables import frame_of, html_of
from rubricate.evaluation.hierarchy import HierarchyEvaluation
from rubricate.measures.counting.frequency import Band
from rubricate.measures.intervals.interval import Interval
from rubricate.types import Counts, Floats, Ints, Signature, Undefined

__all__ = ["COLUMNS", "Column", "Evaluation"]

COLUMNS = {
    "miR": ("micro", "recall"),
    "miP": ("micro", "precision"),
    "miF1": ("micro", "f1"),
    "maF1": ("macro", "f1"),
    "error": ("micro", "error"),
}
"""The columns of yangliu1999's table 1."""

Averages: TypeAlias = Mapping[str, float]
Column: TypeAlias = Floats | Ints


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How well one system did on one set of documents.

    Attributes
    ----------
    name, documents, categories
        The run: its name, its number of documents, the names of its categories.
    convention : "zero", "one" or "omit"
        What 0/0 counts as.
    counts : Counts, optional
        The contingency table of each category; None when the run has no decisions.
    micro, macro : mapping
        Averages by measure, empty when the run has no decisions.
    per_category : mapping
        One array per measure.
    examples : mapping
        Means over the documents of the example-based measures.
    ranking : mapping
        Measures of the scores, empty when there are none.
    probability : mapping
        Measures of scores that lie in [0, 1].
    baselines : mapping
        Micro and macro averages of the trivial rejector and acceptor.
    by_frequency : tuple of Band
        F1 by training frequency.
    intervals : mapping
        Confidence intervals by `average.measure`.
    signature : Signature
        Where the numbers come from.
    hierarchy : HierarchyEvaluation, optional
        Hierarchical measures, where a hierarchy was given and there are decisions.
    summaries : mapping
        Measures of the whole: accuracy (documents that are exactly right), balanced_accuracy, weighted_f1; with one
        label per document also mcc and kappa of the classes, and coverage and accuracy among the answered documents.
    single_label : bool
        Whether every document has exactly one true label.
    outside : int
        Assigned labels that are not categories; each counts as a false positive in `micro` and `examples`.
    """

    name: str
    documents: int
    categories: tuple[str, ...]
    convention: Undefined
    counts: Counts | None = None
    micro: Averages = field(default_factory=dict)
    macro: Averages = field(default_factory=dict)
    per_category: Mapping[str, Column] = field(default_factory=dict)
    examples: Averages = field(default_factory=dict)
    ranking: Mapping[str, Any] = field(default_factory=dict)
    probability: Averages = field(default_factory=dict)
    baselines: Mapping[str, Mapping[str, Averages]] = field(default_factory=dict)
    by_frequency: tuple[Band, ...] = ()
    intervals: Mapping[str, tuple[Interval, ...]] = field(default_factory=dict)
    signature: Signature = field(default_factory=Signature)
    hierarchy: HierarchyEvaluation | None = None
    outside: int = 0
    summaries: Averages = field(default_factory=dict)
    single_label: bool = False

    @property
    def shown_baselines(self) -> tuple[str, ...]:
        """Return the names of the baselines that mean something: majority and random with one label per document."""
        wanted = ("majority", "random") if self.single_label else ("rejector", "acceptor")
        return tuple(name for name in wanted if name in self.baselines)

    def row(self) -> dict[str, float]:
        """Return the five numbers of a line of yangliu1999's table 1."""
        return _row({"micro": self.micro, "macro": self.macro})

    def __str__(self) -> str:
        """Return the table miR miP miF1 maF1 error with the two baselines, the ranking measures, and the signature."""
        rows = {self.name: self.row()} if self.micro else {}
        rows |= {name: _row(self.baselines[name]) for name in self.shown_baselines}
        wide = max([len("system"), *map(len, rows)])
        lines = [f"{'system':{wide}}" + "".join(f"{column:>8}" for column in COLUMNS)]
        lines += [f"{name:{wide}}" + "".join(f"{value:8.4f}" for value in row.values()) for name, row in rows.items()]
        if self.single_label and self.summaries:
            lines.append(", ".join(f"{name} {value:.4f}" for name, value in _numbers(self.summaries)))
        lines += [f"{name}: {value:.4f}" for name, value in _numbers({**self.ranking, **self.probability})]
        if self.hierarchy is not None:
            lines += _hierarchy_lines(self.hierarchy)
        where = f"{self.documents} documents, {len(self.categories)} categories, 0/0 counts as {self.convention}"
        return "\n".join([*lines, where, *([str(self.signature)] if str(self.signature) else [])])

    def __repr__(self) -> str:
        """Return name, size and the main numbers."""
        main = ", ".join(f"{name} {value:.4f}" for name, value in self.row().items()) if self.micro else "scores only"
        return f"<evaluation of {self.name}: {self.documents:,} documents, {len(self.categories):,} categories, {main}>"

    def _values(self) -> list[tuple[str, float, float | None, float | None]]:
        """Return every average with the ends of its last interval, where it has one."""
        parts = {"micro": self.micro, "macro": self.macro, "examples": self.examples, "summaries": self.summaries}
        rows = []
        for part, values in {**parts, "probability": self.probability}.items():
            for name, value in values.items():
                intervals = self.intervals.get(f"{part}.{name}", ())
                ends = (intervals[-1].low, intervals[-1].high) if intervals else (None, None)
                rows.append((f"{part}.{name}", float(value), *ends))
        return rows

    def to_frame(self, *, per_category: bool = False) -> Any:
        """Return the averages with their intervals as a data frame; with `per_category` one row per category."""
        if per_category:
            columns = [column.tolist() for column in self.per_category.values()]
            return frame_of(("category", *self.per_category), zip(self.categories, *columns, strict=True))
        return frame_of(("measure", "value", "low", "high"), self._values())

    def _repr_html_(self) -> str:
        """Return the averages for notebooks."""
        return html_of(("measure", "value", "low", "high"), self._values(), repr(self)[1:-1])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON has it: NaN is null; `per_category` is one object per category."""
        values = {name: column.tolist() for name, column in self.per_category.items()}
        per_category = {
            category: {name: column[i] for name, column in values.items()} for i, category in enumerate(self.categories)
        }
        whole = {
            "run": self.name,
            "documents": self.documents,
            "categories": len(self.categories),
            "convention": self.convention,
            "outside": self.outside,
            "micro": self.micro,
            "macro": self.macro,
            "examples": self.examples,
            "summaries": self.summaries,
            "single_label": self.single_label,
            "ranking": self.ranking,
            "probability": self.probability,
            "baselines": self.baselines,
            "by_frequency": [asdict(band) for band in self.by_frequency],
            "intervals": {
                name: [asdict(interval) for interval in intervals] for name, intervals in self.intervals.items()
            },
            "signature": str(self.signature),
            "per_category": per_category,
        }
        if self.hierarchy is not None:
            whole["hierarchy"] = self.hierarchy.to_dict()
        return {name: _plain(value) for name, value in whole.items()}


def _row(averages: Mapping[str, Averages]) -> dict[str, float]:
    return {column: averages[average].get(name, math.nan) for column, (average, name) in COLUMNS.items()}


def _hierarchy_lines(hierarchy: HierarchyEvaluation) -> list[str]:
    """Return the micro-averages, one line per kind, and the signature."""
    lines = [
        f"{kind}: " + ", ".join(f"{name} {value:.4f}" for name, value in values.items())
        for kind, values in hierarchy.micro.items()
    ]
    return [*lines, hierarchy.signature]


def _numbers(values: Mapping[str, Any]) -> list[tuple[str, float]]:
    return [(name, value) for name, value in values.items() if isinstance(value, float)]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(part) for part in value]
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
