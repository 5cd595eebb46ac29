"""From a run with its truth to an `Evaluation`: each part of the result is one function here."""

from __future__ import annotations

import dataclasses
import importlib.metadata
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.evaluation.hierarchy import hierarchy_evaluation
from rubricate.evaluation.rankings import category_summary, curve_summary, cut_summary, document_summary
from rubricate.evaluation.result import Column, Evaluation
from rubricate.hierarchy import Hierarchy
from rubricate.measures.brier import brier
from rubricate.measures.calibration_error import calibration_error
from rubricate.measures.counting.averages import macro, mean
from rubricate.measures.counting.baselines import acceptor, guesser, majority, rejector
from rubricate.measures.counting.frequency import by_frequency
from rubricate.measures.counting.tables import canonical, counts, is_single_label, total, with_outside
from rubricate.measures.definition.catalogue import of_kind, resolve
from rubricate.measures.definition.measure import Measure
from rubricate.measures.hierarchical.similarity import Similarity
from rubricate.measures.intervals.resampling import CountSums, Patterns, count_patterns
from rubricate.measures.intervals.summaries import summary
from rubricate.measures.rankings.class_loss import class_log_loss
from rubricate.measures.rankings.probabilities import are_probabilities
from rubricate.types import Counts, Decisions, Ints, Run, Sparse, Undefined

__all__ = [
    "averages",
    "document_counts",
    "evaluate_run",
    "outside_labels",
    "true_labels",
    "with_frequency",
    "with_hierarchy",
]

Chosen = Mapping[str, Measure[...]]


def true_labels(run: Run) -> Sparse:
    """Return the truth of a run; raise where it has none."""
    if run.truth is None:
        raise InvalidInput(f"run {run.name!r} has no truth to be measured against; give the true labels")
    return canonical(run.truth)


def with_strays(run: Run) -> Run:
    """Return the run over its categories and, after them, the labels outside them by name: a hierarchy may place those.

    No document has them, so each is a false positive, near a true category or far from it.
    """
    if run.strays is None or run.decisions is None or not run.strays.categories:
        return run
    names, truth = (*run.categories, *run.strays.categories), true_labels(run)
    none = sparse.csr_array((truth.shape[0], len(run.strays.categories)), dtype=truth.dtype)
    decided = sparse.hstack([run.decisions.values, run.strays.values], format="csr")
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
    run = with_strays(run)
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
