"""Joachims 2000: tables 1 to 3, the counts of section 6.1, figures 3 to 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.analysis import Analyzer
from rubricate.classifiers.svm import SVM
from rubricate.corpora import load
from rubricate.errors import CorpusMissing
from rubricate.estimation import MEASURES
from rubricate.estimation.xi_alpha import xi_alpha
from rubricate.experiments.cells import Value
from rubricate.experiments.figure import Figure, Series
from rubricate.experiments.reproduction import Place, Reproduction, Results, Say
from rubricate.measures import counts, resolve
from rubricate.types import Floats, Ints, Sparse
from rubricate.vectors import Weights, chunk, frequent, gather

__all__ = ["joachims_2000"]

SHORT = {"error": "Err", "recall": "Rec", "precision": "Prec", "f1": "F1"}
OPTIMISTIC = {"error": "error lower", "recall": "recall higher", "precision": "precision higher", "f1": "F1 higher"}
FIGURES = {"earn": "figure4", "acq": "figure5", "money-fx": "figure6"}


def joachims_2000(reproduction: Reproduction, tables: Sequence[str], say: Say) -> Results:
    """Our figures of the wanted tables; the figures come with table 1."""
    options = reproduction.options
    values: dict[Place, Value] = {}
    figures: list[Figure] = []
    for name in tables:
        source = options["sources"]["1" if name == "text" else name]
        try:
            counted, labels, names = _read(source)
        except CorpusMissing:
            say(f"table {name}: the corpus {source['corpus']} is not here")
            continue
        found = _splits(counted, labels, options, source["half"], options["splits"], say, f"table {name}")
        if name == "text":
            values |= {("text", row, "of 100"): value for row, value in _optimistic(found).items()}
        else:
            values |= {(name, row, column): v for (row, column), v in _rows(found, names).items()}
        if name == "1":
            figures = [_bars(found, names), *_curves(counted, labels, names, options, say)]
    return Results(values, {(t, r): "recovered" for t, r, _ in values}, figures)


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


def _bars(found: Mapping[str, Floats], names: Sequence[str]) -> Figure:
    """Figure 3, as points by category: estimate and hold-out of F1."""
    places, f1 = list(range(1, len(names) + 1)), MEASURES.index("f1")
    series = [
        Series(label, places, found[key][:, f1].mean(axis=0).tolist())
        for label, key in (("ξα, ρ = 1", "ρ=1"), ("hold-out", "hold-out"))
    ]
    title = "Figure 3: average ξα-estimate and hold-out F1 of the ten most frequent Reuters categories"
    return Figure("figure3", title, "category, by frequency", "F1, percent", tuple(series))


def _curves(
    counted: Sparse, labels: Sparse, names: Sequence[str], options: Mapping[str, Any], say: Say
) -> list[Figure]:
    """Figures 4 to 6: error and F1 by training set size, means and standard deviations."""
    sizes = list(options["sizes"])
    found = [
        _splits(counted, labels, options, size, options["curve_splits"], say, f"curves, {size} documents")
        for size in sizes
    ]
    figures = []
    for category, figure in FIGURES.items():
        c = list(names).index(category)
        for measure in ("error", "f1"):
            m = MEASURES.index(measure)
            series = []
            for label, key in (("estimate", "ρ=1"), ("hold-out", "hold-out")):
                values = [one[key][:, m, c] for one in found]
                series.append(Series(f"{label}, mean", sizes, [float(v.mean()) for v in values]))
                series.append(Series(f"{label}, deviation", sizes, [float(v.std(ddof=1)) for v in values]))
            title = f"Figure {figure[-1]}: learning curve of {SHORT[measure]} for {category}"
            figures.append(
                Figure(f"{figure}-{measure}", title, "examples", f"{SHORT[measure]}, percent", tuple(series))
            )
    return figures
