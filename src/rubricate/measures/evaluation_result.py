"""The result of an evaluation: every number with the convention and the signature it was made under."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from rubricate._tables import frame_of, html_of
from rubricate.errors import InvalidInput
from rubricate.hierarchy import Hierarchy
from rubricate.measures.averages import Band, acceptor, by_frequency, guesser, macro, majority, mean, rejector
from rubricate.measures.definition import Measure, of_kind, resolve
from rubricate.measures.evaluation_hierarchy import HierarchyEvaluation, hierarchy_evaluation
from rubricate.measures.evaluation_rankings import category_summary, curve_summary, cut_summary, document_summary
from rubricate.measures.intervals import Interval, summary
from rubricate.measures.nearness import Similarity
from rubricate.measures.probabilities import are_probabilities, brier, calibration_error, class_log_loss
from rubricate.measures.resampling import CountSums, Patterns, count_patterns
from rubricate.measures.tables import canonical, counts, is_single_label, total, with_outside
from rubricate.types import Counts, Decisions, Floats, Ints, Run, Signature, Sparse, Undefined

__all__ = [
    "COLUMNS",
    "Column",
    "Evaluation",
    "averages",
    "document_counts",
    "evaluate_run",
    "outside_labels",
    "true_labels",
    "with_frequency",
    "with_hierarchy",
]

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


Chosen = Mapping[str, Measure[...]]


def true_labels(run: Run) -> Sparse:
    """Return the truth of a run; raise where it has none."""
    if run.truth is None:
        raise InvalidInput(f"run {run.name!r} has no truth to be measured against; give the true labels")
    return canonical(run.truth)


def with_unknown_labels(run: Run) -> Run:
    """Return the run over its categories and, after them, the labels outside them by name: a hierarchy may place those.

    No document has them, so each is a false positive, near a true category or far from it.
    """
    if run.unknown_labels is None or run.decisions is None or not run.unknown_labels.categories:
        return run
    names, truth = (*run.categories, *run.unknown_labels.categories), true_labels(run)
    none = sparse.csr_array((truth.shape[0], len(run.unknown_labels.categories)), dtype=truth.dtype)
    decided = sparse.hstack([run.decisions.values, run.unknown_labels.values], format="csr")
    decisions = Decisions(sparse.csr_array(decided), names, run.documents)
    labels = sparse.csr_array(sparse.hstack([truth, none], format="csr"))
    return Run(run.name, run.documents, names, decisions=decisions, truth=labels, signature=run.signature)


def averages(table: Counts, chosen: Chosen, undefined: Undefined, *, outside: int = 0) -> dict[str, dict[str, float]]:
    """Return the micro and macro average of each chosen measure of counts.

    `outside` labels, which are no category's, are false positives of the micro-averages.
    """
    summed = with_outside(total(table), outside)
    return {
        "micro": {name: float(measure(summed, undefined=undefined)[0]) for name, measure in chosen.items()},
        "macro": {name: macro(measure, table, undefined=undefined) for name, measure in chosen.items()},
    }


def evaluate_run(
    run: Run, *, measures: Sequence[str] = (), undefined: Undefined = "zero", limit: int | None = None
) -> Evaluation:
    """Measure a run that has its truth beside it by every measure; `rubricate.evaluate` explains the options."""
    truth = true_labels(run)
    asked = _asked(measures)
    chosen = {**of_kind("counts"), **{name: measure for name, measure in asked.items() if measure.kind != "extended"}}
    baselines = {"rejector": rejector(truth), "acceptor": acceptor(truth)}
    single = is_single_label(truth)
    if single:
        baselines |= {"majority": majority(truth), "random": guesser(truth)}
    columns: dict[str, Column] = {} if run.train_counts is None else {"train": run.train_counts}
    version = run.signature.version or importlib.metadata.version("rubricate")
    result = Evaluation(
        name=run.name,
        documents=truth.shape[0],
        categories=run.categories,
        convention=undefined,
        per_category=columns,
        baselines={name: averages(table, chosen, undefined) for name, table in baselines.items()},
        signature=dataclasses.replace(run.signature, undefined=undefined, version=version),
        single_label=single,
    )
    if run.decisions is not None:
        result = _with_decisions(result, truth, run, chosen=chosen)
    if run.scores is not None:
        result = _with_ranking(result, truth, run.scores, limit=limit)
        result = _with_probability(result, truth, run.scores)
    return result


def _asked(measures: Sequence[str]) -> dict[str, Measure[...]]:
    """Return further measures by name; they must be of counts, since an evaluation has all others anyway."""
    chosen = {name: resolve(name) for name in measures}
    for name, measure in chosen.items():
        if measure.kind not in ("counts", "extended"):
            raise InvalidInput(
                f"{name!r} is not made of the counts of categories and is in every evaluation that has what it needs "
                "(scores, probabilities, a hierarchy); name one of counts, such as f_beta:2"
            )
    return chosen


def _more_columns(result: Evaluation, columns: Mapping[str, Column]) -> dict[str, Column]:
    return {**result.per_category, **columns}


def outside_labels(run: Run) -> Ints:
    """Return how many labels outside the categories the system gave each document."""
    return np.zeros(len(run.documents), np.int64) if run.outside is None else run.outside


def document_counts(truth: Sparse, run: Run) -> Counts:
    """Return the contingency table of each document; labels outside the categories are false positives."""
    decided = truth if run.decisions is None else canonical(run.decisions.values)
    return with_outside(counts(truth, decided, by="document"), outside_labels(run))


def _with_decisions(result: Evaluation, truth: Sparse, run: Run, *, chosen: Chosen) -> Evaluation:
    decided = truth if run.decisions is None else canonical(run.decisions.values)
    table, undefined = counts(truth, decided), result.convention
    columns: dict[str, Column] = {cell: getattr(table, cell) for cell in ("tp", "fp", "fn", "tn")}
    columns |= {name: measure(table, undefined=undefined) for name, measure in chosen.items()}
    each = document_counts(truth, run)
    examples = {name: mean(measure(each, undefined=undefined)) for name, measure in of_kind("documents").items()}
    both = averages(table, chosen, undefined, outside=int(outside_labels(run).sum()))
    return dataclasses.replace(
        result,
        counts=table,
        per_category=_more_columns(result, columns),
        examples=examples,
        micro=both["micro"],
        macro=both["macro"],
        outside=int(outside_labels(run).sum()),
        summaries=_summaries(
            count_patterns(truth, decided, outside_labels(run)), undefined, single=result.single_label
        ),
    )


def _summaries(patterns: Patterns[CountSums], undefined: Undefined, *, single: bool) -> dict[str, float]:
    """Return the measures of the whole; with one label per document also those of classes and of abstaining."""
    whole = patterns.observed()
    names = ("accuracy", "balanced_accuracy", "weighted_f1", *(("mcc", "kappa") if single else ()))
    values = {name: float(summary(name)(whole, undefined)[0]) for name in names}
    answered = float(whole.n[0] - whole.silent[0])
    if single and whole.silent[0]:
        values |= {"coverage": answered / float(whole.n[0])}
        values |= {"accuracy_answered": float(whole.exact[0]) / answered if answered else float("nan")}
    return values


def _with_ranking(result: Evaluation, truth: Sparse, scores: Any, *, limit: int | None) -> Evaluation:
    by_category, columns = category_summary(scores, truth, limit)
    cuts, more = cut_summary(scores, truth, result.convention)
    by_category |= {name: mean(more[name]) for name in ("break_even", "optimal_f1")}
    of_scores = {name: measure(scores, truth) for name, measure in of_kind("scores").items()}
    by_category |= {name: mean(values) for name, values in of_scores.items()}
    more = {**more, **of_scores}
    whole = document_summary(scores, truth, limit)
    ranking = {**whole, "by_category": by_category, **cuts, **curve_summary(scores, truth)}
    return dataclasses.replace(result, ranking=ranking, per_category=_more_columns(result, {**columns, **more}))


def _with_probability(result: Evaluation, truth: Sparse, scores: Any) -> Evaluation:
    if not are_probabilities(scores):
        return result
    columns = {name: measure(scores, truth) for name, measure in of_kind("probability").items()}
    pooled = {
        "brier": mean(brier(scores, truth)),
        "log_loss": mean(columns["log_loss"]),
        "ece": float(calibration_error(scores, truth, pooled=True)[0]),
    }
    if result.single_label:
        pooled["class_log_loss"] = class_log_loss(scores, truth)
    return dataclasses.replace(result, probability=pooled, per_category=_more_columns(result, columns))


def with_hierarchy(
    result: Evaluation,
    run: Run,
    hierarchy: Hierarchy,
    *,
    acceptable: float = 2.0,
    similarity: Similarity | None = None,
    measures: Sequence[str] = (),
) -> Evaluation:
    """Add what the hierarchy says about the decisions, where there are any, and about labels outside the categories."""
    run = with_unknown_labels(run)
    if run.decisions is None:
        return result
    hierarchical = hierarchy_evaluation(
        true_labels(run),
        canonical(run.decisions.values),
        run.categories,
        hierarchy=hierarchy,
        acceptable=acceptable,
        similarity=similarity,
        measures=measures,
        undefined=result.convention,
    )
    known = {name: column[: len(result.categories)] for name, column in hierarchical.per_category.items()}
    hierarchical = dataclasses.replace(hierarchical, per_category=known)
    return dataclasses.replace(result, hierarchy=hierarchical, per_category=_more_columns(result, known))


def with_frequency(result: Evaluation, run: Run, *, bands: int = 10, highest: int | None = None) -> Evaluation:
    """Add F1 by training frequency, where training counts and decisions are known."""
    if run.train_counts is None or "f1" not in result.per_category:
        return result
    values = np.asarray(result.per_category["f1"], np.float64)
    curve = by_frequency(values, run.train_counts, bands=bands, high=highest)
    return dataclasses.replace(result, by_frequency=tuple(curve))
