"""Joachims 2000: tables 1 to 3, the counts of section 6.1, figures 3 to 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm.svm import SVM
from rubricate.corpora import load
from rubricate.errors import CorpusMissing
from rubricate.estimation import MEASURES
from rubricate.estimation.xi_alpha import xi_alpha
from rubricate.experiments.cells import Value
from rubricate.experiments.figure import Figure, Series
from rubricate.experiments.reproduction import Place, Reproduction, Results, Say
from rubricate.measures import counts, resolve
from rubricate.text.analyzer import Analyzer
from rubricate.text.counts import chunk, frequent, gather
from rubricate.text.weights import Weights
from rubricate.types import Floats, Ints, Sparse

__all__ = ["joachims_2000"]

SHORT = {"error": "Err", "recall": "Rec", "precision": "Prec", "f1": "F1"}
OPTIMISTIC = {"error": "error lower", "recall": "recall higher", "precision": "precision higher", "f1": "F1 higher"}
CURVES = ("error", "f1")
"""What figures 4 to 6 show."""
FIGURES = {"earn": "figure4", "acq": "figure5", "money-fx": "figure6"}


def joachims_2000(reproduction: Reproduction, tables: Sequence[str], say: Say) -> Results:
    """Our figures of the wanted tables; figure 3 comes with table 1, figures 4 to 6 with the curves."""
    options = reproduction.options
    values: dict[Place, Value] = {}
    figures: list[Figure] = []
    for name in tables:
        source = options["sources"].get(name, options["sources"]["1"])
        try:
            read = _read(source)
        except CorpusMissing:
            say(f"table {name}: the corpus {source['corpus']} is not here")
            continue
        rows, drawn = (_curves if name == "curves" else _table)(name, *read, options, source["half"], say)
        values |= {(name, row, column): value for (row, column), value in rows.items()}
        figures += drawn
    return Results(values, {(t, r): "recovered" for t, r, _ in values}, figures)


def _table(
    name: str, counted: Sparse, labels: Sparse, names: Sequence[str], options: Mapping[str, Any], half: int, say: Say
) -> tuple[dict[tuple[str, str], Value], list[Figure]]:
    """A table, or the counts of section 6.1, of the splits in halves; with table 1 the four diagrams of figure 3."""
    found = _splits(counted, labels, options, half, options["splits"], say, f"table {name}")
    if name == "text":
        return {(row, "of 100"): value for row, value in _optimistic(found).items()}, []
    return _rows(found, names), [_bars(found, names, measure) for measure in MEASURES] if name == "1" else []


def _read(source: Mapping[str, Any]) -> tuple[Sparse, Sparse, tuple[str, ...]]:
    """Term counts of all documents, both parts of the corpus together, and the labels of the wanted categories."""
    corpus = load(source["corpus"], split=source["split"])
    texts = [*corpus.train.texts, *corpus.test.texts]
    labels = sparse.csr_array(sparse.vstack([corpus.train.labels, corpus.test.labels]))
    kept = [corpus.categories.index(name) for name in source["categories"]]
    terms = Analyzer(stop=None, stem=None, tokens="alphanumeric", min_length=1).terms(texts)
    part = chunk(terms)
    return (
        gather([part], terms.words, frequent([part], terms.words, 3)),
        labels[:, kept],
        tuple(source.get("names", source["categories"])),
    )


def _splits(
    counted: Sparse, labels: Sparse, options: Mapping[str, Any], half: int, splits: int, say: Say, what: str
) -> dict[str, Floats]:
    """By `hold-out`, `ρ=1`, `ρ=2`: splits × measures × categories, in percent."""
    found: dict[str, list[Any]] = {"ρ=1": [], "ρ=2": [], "hold-out": []}
    for split in range(splits):
        say(f"{what}, split {split + 1} of {splits}")
        order = np.random.default_rng([options["seed"], half, split]).permutation(labels.shape[0])
        for name, values in _one(counted, labels, order[:half], order[half : 2 * half], options["C"]).items():
            found[name].append(values)
    return {name: 100 * np.array(values) for name, values in found.items()}


def _one(counted: Sparse, labels: Sparse, train: Ints, test: Ints, C: float) -> dict[str, list[Any]]:
    """The estimates from the training half and the figures on the other: measures × categories."""
    own = counted[train]
    own_terms = np.flatnonzero(np.bincount(own.indices, minlength=own.shape[1]) >= 3)
    weights = Weights("ntc")
    X = weights.fit_transform(own[:, own_terms])
    svm = SVM(C=C).fit(X, labels[train])
    decided = sparse.csr_array(svm.decision_function(weights.transform(counted[test][:, own_terms])) > 0)
    table = counts(labels[test], decided)
    found: dict[str, list[Any]] = {"hold-out": [resolve(name)(table) for name in MEASURES]}
    for rho in (1, 2):
        estimate = xi_alpha(svm, X, labels[train], rho=rho)
        found[f"ρ={rho}"] = [getattr(estimate, name) for name in MEASURES]
    return found


def _rows(found: Mapping[str, Floats], names: Sequence[str]) -> dict[tuple[str, str], Value]:
    """The means over the splits, rows such as `earn, ρ=1`."""
    rows: dict[tuple[str, str], Value] = {}
    for rho in ("ρ=1", "ρ=2"):
        for c, category in enumerate(names):
            for m, measure in enumerate(MEASURES):
                rows[f"{category}, {rho}", f"{SHORT[measure]} ξα"] = float(found[rho][:, m, c].mean())
                rows[f"{category}, {rho}", SHORT[measure]] = float(found["hold-out"][:, m, c].mean())
    return rows


def _optimistic(found: Mapping[str, Floats]) -> dict[str, Value]:
    """Section 6.1: how often the estimate is better than the hold-out figure, of splits × categories."""
    apart = found["ρ=1"] - found["hold-out"]
    return {
        OPTIMISTIC[name]: int(np.sum(apart[:, m] < 0 if name == "error" else apart[:, m] > 0))
        for m, name in enumerate(MEASURES)
    }


def _bars(found: Mapping[str, Floats], names: Sequence[str], measure: str) -> Figure:
    """A diagram of figure 3, by category from the most frequent on: averages of estimate and hold-out."""
    places, m = list(range(1, len(names) + 1)), MEASURES.index(measure)
    series = [
        Series(label, places, found[key][:, m].mean(axis=0).tolist())
        for label, key in (("ξα, ρ = 1", "ρ=1"), ("hold-out", "hold-out"))
    ]
    short = SHORT[measure]
    title = f"Figure 3: average ξα-estimate and hold-out {short}, ten most frequent Reuters categories"
    return Figure(f"figure3-{measure}", title, "category, by frequency", f"{short}, percent", tuple(series))


def _curves(
    name: str, counted: Sparse, labels: Sparse, names: Sequence[str], options: Mapping[str, Any], half: int, say: Say
) -> tuple[dict[tuple[str, str], Value], list[Figure]]:
    """Figures 4 to 6: error and F1 by training set size, means and standard deviations, as rows and as drawings."""
    sizes = [size for size in options["sizes"] if size <= half]
    found = [
        _splits(counted, labels, options, size, options["curve_splits"], say, f"{name}, {size} documents")
        for size in sizes
    ]
    rows: dict[tuple[str, str], Value] = {}
    for category in FIGURES:
        for size, one in zip(sizes, found, strict=True):
            for measure in CURVES:
                for key, mark in (("ρ=1", " ξα"), ("hold-out", "")):
                    values = one[key][:, MEASURES.index(measure), list(names).index(category)]
                    rows[f"{category}, {size}", f"{SHORT[measure]}{mark}"] = float(values.mean())
                    rows[f"{category}, {size}", f"± {SHORT[measure]}{mark}"] = float(values.std(ddof=1))
    return rows, [_lines(rows, sizes, category, measure) for category in FIGURES for measure in CURVES]


def _lines(rows: Mapping[tuple[str, str], Value], sizes: Sequence[int], category: str, measure: str) -> Figure:
    """One learning curve, from the rows."""
    series = [
        Series(f"{label}, {what}", sizes, [float(rows[f"{category}, {size}", sign + short]) for size in sizes])  # type: ignore[arg-type]
        for label, short in (("estimate", f"{SHORT[measure]} ξα"), ("hold-out", SHORT[measure]))
        for what, sign in (("mean", ""), ("deviation", "± "))
    ]
    figure = FIGURES[category]
    title = f"Figure {figure[-1]}: learning curve of {SHORT[measure]} for {category}"
    return Figure(f"{figure}-{measure}", title, "examples", f"{SHORT[measure]}, percent", tuple(series), log_x=True)
