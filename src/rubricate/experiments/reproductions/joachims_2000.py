"""Joachims 2000: tables 1 to 3, the counts of section 6.1, figures 3 to 6."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm.svm import SVM
from rubricate.corpora import load
from rubricate.engines import run_tasks
from rubricate.errors import CorpusMissing
from rubricate.estimation import MEASURES
from rubricate.estimation.xi_alpha import xi_alpha
from rubricate.experiments.cells import Value
from rubricate.experiments.figure import Figure, Series
from rubricate.experiments.reproduction import Place, Reproduction, Results, Say
from rubricate.experiments.reproductions._joachims_2000_more import along_path, bounds, off_text, path_figure
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
KEYS = (("ρ=1", " ξα"), ("hold-out", ""))
"""Estimate and hold-out, and how their columns are marked."""
FIGURES = {"earn": "figure4", "acq": "figure5", "money-fx": "figure6"}


def joachims_2000(reproduction: Reproduction, tables: Sequence[str], say: Say) -> Results:
    """Return our figures of the wanted tables; figure 3 comes with table 1, figures 4 to 6 with the curves."""
    options = reproduction.options
    values: dict[Place, Value] = {}
    figures: list[Figure] = []
    read: dict[str, HalfSplits] = {}
    for name in tables:
        number = name.removesuffix("-sd") if name.removesuffix("-sd") in options["sources"] else "1"
        source = options["sources"][number]
        try:
            halves = read.get(number) or HalfSplits.of(source, options, say)
        except CorpusMissing:
            say(f"table {name}: the corpus {source['corpus']} is not here")
            continue
        read[number] = halves
        rows, drawn = MAKERS.get(name, _table)(name, halves)
        values |= {(name, row, column): value for (row, column), value in rows.items()}
        figures += drawn
    unsettled = {"bounds", "other"}
    return Results(values, {(t, r): "ours" if t in unsettled else "recovered" for t, r, _ in values}, figures)


@dataclass(frozen=True, eq=False)
class HalfSplits:
    """Both parts of a corpus together, split at random into training and test documents of equal number.

    Parameters
    ----------
    counts, labels, names
        Term counts of all documents, their labels, and the names of the categories.
    half
        The documents of a half.
    options
        Of the reproduction: seed, splits, sizes, C.
    say
        Who is told of the progress.
    known
        What has been measured, by the documents of a half and the number of splits.
    """

    counts: Sparse
    labels: Sparse
    names: tuple[str, ...]
    half: int
    options: Mapping[str, Any]
    say: Say = lambda _: None
    known: dict[tuple[int, int], dict[str, Floats]] = field(default_factory=dict)

    @classmethod
    def of(cls, source: Mapping[str, Any], options: Mapping[str, Any], say: Say) -> Self:
        """Read a corpus, its wanted categories and all its terms."""
        corpus = load(source["corpus"], split=source["split"])
        labels = sparse.csr_array(sparse.vstack([corpus.train.labels, corpus.test.labels]))
        kept = [corpus.categories.index(name) for name in source["categories"]]
        tokens, shortest = source.get("tokens", options["tokens"]), source.get("min_length", 1)
        analyzer = Analyzer(stop=None, stem=None, tokens=tokens, min_length=shortest)
        terms = analyzer.terms([*corpus.train.texts, *corpus.test.texts])
        part = chunk(terms)
        counted = gather([part], terms.words, frequent([part], terms.words, 3))
        names = tuple(source.get("names", source["categories"]))
        return cls(counted, labels[:, kept], names, int(source["half"]), options, say)

    def measured(self, what: str, *, half: int, splits: int) -> dict[str, Floats]:
        """Return by `hold-out`, `ρ=1`, `ρ=2`: splits × measures × categories, in percent; computed once."""
        if (half, splits) not in self.known:
            self.say(f"{what}, {splits} splits")
            parts = run_tasks(lambda split: self._split(*self.dealt(split, half)), range(splits), engine="threads")
            self.known[half, splits] = {name: 100 * np.array([part[name] for part in parts]) for name in parts[0]}
        return self.known[half, splits]

    def dealt(self, split: int, half: int) -> tuple[Ints, Ints]:
        """Return the training and the test documents of a split."""
        order = np.random.default_rng([self.options["seed"], half, split]).permutation(self.labels.shape[0])
        return order[:half], order[half : 2 * half]

    def weighted(self, train: Ints, test: Ints) -> tuple[Sparse, Sparse]:
        """Return the vectors of both halves, over words in at least three training documents."""
        own = self.counts[train]
        own_terms = np.flatnonzero(np.bincount(own.indices, minlength=own.shape[1]) >= 3)
        weights = Weights("ntc")
        return weights.fit_transform(own[:, own_terms]), weights.transform(self.counts[test][:, own_terms])

    def _split(self, train: Ints, test: Ints) -> dict[str, list[Any]]:
        """Return the estimates from the training half and the figures on the other: measures × categories."""
        X, Z = self.weighted(train, test)
        svm = SVM(C=self.options["C"]).fit(X, self.labels[train])
        decided = sparse.csr_array(svm.decision_function(Z) > 0)
        table = counts(self.labels[test], decided)
        values: dict[str, list[Any]] = {"hold-out": [resolve(name)(table) for name in MEASURES]}
        for rho in (1, 2):
            estimate = xi_alpha(svm, X, self.labels[train], rho=rho)
            values[f"ρ={rho}"] = [getattr(estimate, name) for name in MEASURES]
        return values


def _table(name: str, halves: HalfSplits) -> tuple[dict[tuple[str, str], Value], list[Figure]]:
    """Return a table, or the counts of section 6.1; with table 1 the four diagrams of figure 3."""
    measured = halves.measured(f"table {name}", half=halves.half, splits=halves.options["splits"])
    if name == "text":
        return {(row, "of 100"): value for row, value in _optimistic(measured).items()}, []
    drawn = [_bars(measured, halves.names, measure) for measure in MEASURES] if name == "1" else []
    return _rows(measured, halves.names, deviations=name.endswith("-sd")), drawn


def _rows(
    measured: Mapping[str, Floats], names: Sequence[str], *, deviations: bool = False
) -> dict[tuple[str, str], Value]:
    """Return the means over the splits, or their standard deviations, in rows such as `earn, ρ=1`."""
    rows: dict[tuple[str, str], Value] = {}
    for rho in ("ρ=1", "ρ=2"):
        for c, category in enumerate(names):
            for m, measure in enumerate(MEASURES):
                rows[f"{category}, {rho}", f"{SHORT[measure]} ξα"] = _over_splits(measured[rho][:, m, c], deviations)
                rows[f"{category}, {rho}", SHORT[measure]] = _over_splits(measured["hold-out"][:, m, c], deviations)
    return rows


def _over_splits(values: Floats, deviation: bool) -> float:
    return float(values.std(ddof=1) if deviation else values.mean())


def _optimistic(measured: Mapping[str, Floats]) -> dict[str, Value]:
    """Count how often the estimate is better than the hold-out figure, of splits × categories (section 6.1)."""
    apart = measured["ρ=1"] - measured["hold-out"]
    return {
        OPTIMISTIC[name]: int(np.sum(apart[:, m] < 0 if name == "error" else apart[:, m] > 0))
        for m, name in enumerate(MEASURES)
    }


def _bars(measured: Mapping[str, Floats], names: Sequence[str], measure: str) -> Figure:
    """Draw a diagram of figure 3, by category from the most frequent on: averages of estimate and hold-out."""
    places, m = list(range(1, len(names) + 1)), MEASURES.index(measure)
    series = [
        Series(label, places, measured[key][:, m].mean(axis=0).tolist())
        for label, key in (("ξα, ρ = 1", "ρ=1"), ("hold-out", "hold-out"))
    ]
    short = SHORT[measure]
    title = f"Figure 3: average ξα-estimate and hold-out {short}, ten most frequent Reuters categories"
    return Figure(f"figure3-{measure}", title, "category, by frequency", f"{short}, percent", tuple(series))


def _curves(_: str, halves: HalfSplits) -> tuple[dict[tuple[str, str], Value], list[Figure]]:
    """Return figures 4 to 6 as rows and as drawings: means and deviations of error and F1 by training set size."""
    sizes = [size for size in halves.options["sizes"] if size <= halves.half]
    splits = halves.options["curve_splits"]
    rows: dict[tuple[str, str], Value] = {}
    for size in sizes:
        measured = halves.measured(f"curves, {size} documents", half=size, splits=splits)
        for category, measure, (key, mark) in itertools.product(FIGURES, CURVES, KEYS):
            values = measured[key][:, MEASURES.index(measure), halves.names.index(category)]
            rows[f"{category}, {size}", f"{SHORT[measure]}{mark}"] = float(values.mean())
            rows[f"{category}, {size}", f"± {SHORT[measure]}{mark}"] = float(values.std(ddof=1))
    ordered = {place: rows[place] for category in FIGURES for place in rows if place[0].startswith(f"{category}, ")}
    return ordered, [_lines(ordered, sizes, (category, measure)) for category in FIGURES for measure in CURVES]


def _lines(rows: Mapping[tuple[str, str], Value], sizes: Sequence[int], of: tuple[str, str]) -> Figure:
    """Draw the learning curve of a category and a measure."""
    category, measure = of
    series = [
        Series(f"{label}, {what}", sizes, [float(rows[f"{category}, {size}", sign + short]) for size in sizes])  # type: ignore[arg-type]
        for label, short in (("estimate", f"{SHORT[measure]} ξα"), ("hold-out", SHORT[measure]))
        for what, sign in (("mean", ""), ("deviation", "± "))
    ]
    figure = FIGURES[category]
    title = f"Figure {figure[-1]}: learning curve of {SHORT[measure]} for {category}"
    return Figure(f"{figure}-{measure}", title, "examples", f"{SHORT[measure]}, percent", tuple(series), log_x=True)


def _bounds(_: str, halves: HalfSplits) -> tuple[dict[tuple[str, str], Value], list[Figure]]:
    """Return what the bounds of section 3.1 say for one half."""
    train, test = halves.dealt(0, halves.half)
    X, _unused = halves.weighted(train, test)
    labels = halves.labels[train]
    wrong = (SVM(C=halves.options["C"]).fit(X, labels).decision_function(X) > 0) != labels.toarray()
    return bounds(X.shape[0], X.shape[1], float(wrong.mean())), []


def _path(_: str, halves: HalfSplits) -> tuple[dict[tuple[str, str], Value], list[Figure]]:
    """Measure the ξα-estimate along a path of C."""
    splits = []
    for split in range(halves.options["path_splits"]):
        halves.say(f"path of C, split {split + 1}")
        train, test = halves.dealt(split, halves.half)
        X, Z = halves.weighted(train, test)
        splits.append((X, halves.labels[train], Z, halves.labels[test]))
    rows = along_path(splits, halves.options["path"])
    return rows, [path_figure(rows, halves.options["path"])]


def _other(_: str, halves: HalfSplits) -> tuple[dict[tuple[str, str], Value], list[Figure]]:
    """Estimate off text."""
    options = halves.options
    return off_text(options["other"], C=options["C"], splits=options["splits"], seed=options["seed"]), []


MAKERS = {"curves": _curves, "bounds": _bounds, "path": _path, "other": _other}
"""Tables with makers of their own."""
