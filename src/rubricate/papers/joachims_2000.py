"""The SVM as SVMlight 3.50 trains it by default."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from rubricate.classifiers.svm import SVM
from rubricate.corpora import load
from rubricate.engines import run_tasks
from rubricate.errors import CorpusMissing
from rubricate.estimation import MEASURES
from rubricate.estimation.bounds import vc_deviation, vc_excess, vc_mean_square
from rubricate.estimation.leave_one_out import leave_one_out
from rubricate.estimation.xi_alpha import xi_alpha
from rubricate.folds import assign_folds
from rubricate.measures import counts, macro, resolve
from rubricate.papers.figures import Drawing, Figure, Series, contingency_drawing, vector_drawing
from rubricate.papers.reproduction import Place, Reproduction, Results, Say, Value
from rubricate.registry import reproduction
from rubricate.text.analyzer import Analyzer
from rubricate.text.counts import chunk, frequent, gather
from rubricate.text.vectors import Vectors
from rubricate.text.weights import Weights
from rubricate.thresholds.fixed import Pcut
from rubricate.types import Floats, Ints, Sparse

__all__ = [
    "SVMLightDefault",
    "along_path",
    "bounds",
    "chosen_settings",
    "default_cost",
    "honest_rows",
    "joachims_2000",
    "off_text",
    "path_figure",
]


def default_cost(X: Sparse) -> float:
    """Return SVMlight's default C, 1 / mean of x·x over the training documents of a classifier.

    Later versions divide by the squared mean of |x| instead; by tables 4 to 6 of sunlim2001 that was not so in 3.50.

    >>> from scipy import sparse
    >>> default_cost(sparse.csr_array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]))
    0.3333333333333333
    """
    return X.shape[0] / float((X.data**2).sum())


class SVMLightDefault(SVM):
    """An SVM whose C is the default of SVMlight for the documents that it is fitted on."""

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        given, self.C = self.C, default_cost(X)
        try:
            super()._learn(X, labels, weights)
        finally:
            self.C = given


def honest_rows(
    halves: Any, *, short: dict[str, str], over_splits: Callable[[Floats], float]
) -> dict[tuple[str, str], Value]:
    """Return rows such as `earn, ρ=1, honest`: estimate and hold-out figure at settings chosen anew in each split."""
    if "honest" not in halves.known:
        halves.say("honest rows: settings by cross-validation in each training half")
        splits = range(halves.options["splits"])
        parts = run_tasks(lambda split: _split(halves, *halves.fold_ids(split, halves.half)), splits, engine="threads")
        halves.known["honest"] = {name: 100 * np.array([part[name] for part in parts]) for name in parts[0]}
    measured = halves.known["honest"]
    return {
        (f"{category}, ρ=1, honest", f"{short[measure]}{mark}"): over_splits(measured[kind][:, m, c])
        for c, category in enumerate(halves.names)
        for m, measure in enumerate(MEASURES)
        for kind, mark in (("ρ=1", " ξα"), ("hold-out", ""))
    }


def _split(halves: Any, train: Ints, test: Ints) -> dict[str, list[Any]]:
    """Return estimate and hold-out figures of one split: measures × categories."""
    form, cost = chosen_settings(halves, train)
    X, Z = replace(halves, counts=halves.forms[form]).weighted(train, test)
    labels = halves.labels[train]
    svm = SVM(C=cost).fit(X, labels)
    estimate = xi_alpha(svm, X, labels)
    table = counts(halves.labels[test], sparse.csr_array(svm.decision_function(Z) > 0))
    return {
        "ρ=1": [getattr(estimate, name) for name in MEASURES],
        "hold-out": [resolve(name)(table) for name in MEASURES],
    }


def chosen_settings(halves: Any, train: Ints) -> tuple[str, float]:
    """Return the form of the words and the C with the best macro-F1 over folds of the half; the first of equals."""
    options = halves.options["honest"]
    fold_ids = assign_folds(halves.labels[train], options["folds"], seed=halves.options["seed"])
    points = list(itertools.product(halves.forms, options["C"]))
    values = dict.fromkeys(points, 0.0)
    for form, fold in itertools.product(halves.forms, range(options["folds"])):
        own = replace(halves, counts=halves.forms[form])
        kept, held = train[fold_ids != fold], train[fold_ids == fold]
        X, Z = own.weighted(kept, held)
        for cost, value in zip(options["C"], _along(options["C"], (X, Z), halves, kept=kept, held=held), strict=True):
            values[form, cost] += value
    return max(points, key=lambda point: values[point])


def _along(costs: Sequence[float], vectors: Any, halves: Any, *, kept: Ints, held: Ints) -> list[float]:
    """Return macro-F1 on the held-out documents for each C."""
    X, Z = vectors

    def value(cost: float) -> float:
        scores = SVM(C=cost).fit(X, halves.labels[kept]).decision_function(Z)
        return float(macro(resolve("f1"), counts(halves.labels[held], sparse.csr_array(scores > 0))))

    return [value(cost) for cost in costs]


def bounds(documents: int, terms: int, training_error: float) -> dict[tuple[str, str], Value]:
    """Return what equations 9 to 11 say of hyperplanes over these terms, d = terms + 1: all of it far above 1."""
    d = terms + 1
    return {
        ("documents, n", "value"): documents,
        ("VC dimension of hyperplanes, d", "value"): d,
        ("training error, mean of the categories", "value"): training_error,
        ("ε of equation 9 at δ = .05", "value"): vc_deviation(documents, d),
        ("excess of equation 10 at δ = .05", "value"): vc_excess(documents, d),
        ("mean square of equation 11", "value"): vc_mean_square(documents, d),
        ("documents per term at which ε of equation 9 is .1", "value"): _needed(d) / d,
    }


def _needed(d: int) -> int:
    """Return the number of documents at which equation 9 gives ε = .1, to one in a hundred."""
    n = d
    while vc_deviation(n, d) > 0.1:
        n = int(1.01 * n) + 1
    return n


def along_path(splits: Sequence[Any], costs: Sequence[float]) -> dict[tuple[str, str], Value]:
    """Measure macro-averages by C: the ξα-estimate (ρ = 1) and the hold-out figure; then what each of them chooses.

    A split is (X, labels, Z, truth). Choosing along the path costs the trainings and nothing else.
    """
    table = np.array([[_both(split, cost) for split in splits] for cost in costs]).mean(axis=1)
    columns = ("F1 ξα", "F1", "Err ξα", "Err")
    rows: dict[tuple[str, str], Value] = {
        (f"C = {cost:g}", column): float(value)
        for cost, line in zip(costs, table, strict=True)
        for column, value in zip(columns, line, strict=True)
    }
    chosen, best = int(table[:, 0].argmax()), int(table[:, 1].argmax())
    rows["C chosen by ξα", "F1"], rows["C best on the test half", "F1"] = float(table[chosen, 1]), float(table[best, 1])
    rows["C chosen by ξα", "C"], rows["C best on the test half", "C"] = float(costs[chosen]), float(costs[best])
    return rows


def _both(split: tuple[Any, Any, Any, Any], cost: float) -> tuple[float, float, float, float]:
    X, labels, Z, truth = split
    svm = SVM(C=cost).fit(X, labels)
    estimate = xi_alpha(svm, X, labels)
    table = counts(truth, sparse.csr_array(svm.decision_function(Z) > 0))
    held = [float(macro(resolve(name), table)) for name in ("f1", "error")]
    return 100 * float(np.mean(estimate.f1)), 100 * held[0], 100 * float(np.mean(estimate.error)), 100 * held[1]


def path_figure(rows: Mapping[tuple[str, str], Value], costs: Sequence[float]) -> Figure:
    """Draw F1 by C, estimated and measured."""
    series = [
        Series(label, costs, [float(rows[f"C = {cost:g}", column]) for cost in costs])  # type: ignore[arg-type]
        for label, column in (("ξα, ρ = 1", "F1 ξα"), ("hold-out", "F1"))
    ]
    title = "Macro-F1 of Reuters along a path of C: the ξα-estimate and the hold-out figure"
    return Figure("path", title, "C", "F1, percent", tuple(series), log_x=True)


def off_text(names: Sequence[str], *, C: float, splits: int, seed: int) -> dict[tuple[str, str], Value]:
    """Estimate the error on data that come with scikit-learn: ξα for both ρ, leave-one-out, and the other half's.

    Means in percent over random halves and over the classes.
    """
    rows: dict[tuple[str, str], Value] = {}
    for name in names:
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        labels = np.eye(y.max() + 1, dtype=bool)[y]
        errors = [_errors(X, labels, C=C, rng=np.random.default_rng([seed, split])) for split in range(splits)]
        columns = ("Err ξα ρ=1", "Err ξα ρ=2", "Err leave-one-out", "Err")
        means = 100 * np.mean(errors, axis=0)
        rows |= {(name.replace("_", " "), column): float(value) for column, value in zip(columns, means, strict=True)}
    return rows


def _errors(X: Floats, labels: Any, *, C: float, rng: np.random.Generator) -> tuple[float, float, float, float]:
    order = rng.permutation(len(X))
    train, test = order[: len(X) // 2], order[len(X) // 2 :]
    scaler = StandardScaler().fit(X[train])
    own = sparse.csr_array(scaler.transform(X[train]))
    known = sparse.csr_array(labels[train])
    svm = SVM(C=C).fit(own, known)
    estimates = [xi_alpha(svm, own, known, rho=rho) for rho in (1, 2)]
    exact = leave_one_out(svm, own, known)
    wrong = (svm.decision_function(sparse.csr_array(scaler.transform(X[test]))) > 0) != labels[test]
    first, second, third = (float(np.mean(estimate.error)) for estimate in (*estimates, exact))
    return first, second, third, float(wrong.mean())


SHORT = {"error": "Err", "recall": "Rec", "precision": "Prec", "f1": "F1"}
OPTIMISTIC = {"error": "error lower", "recall": "recall higher", "precision": "precision higher", "f1": "F1 higher"}
CURVES = ("error", "f1")
"""What figures 4 to 6 show."""
KEYS = (("ρ=1", " ξα"), ("hold-out", ""))
"""Estimate and hold-out, and how their columns are marked."""
FIGURES = {"earn": "figure4", "acq": "figure5", "money-fx": "figure6"}


@reproduction("joachims_2000")
def joachims_2000(reproduction: Reproduction, tables: Sequence[str], say: Say) -> Results:
    """Return our figures of the wanted tables; figure 3 comes with table 1, figures 4 to 6 with the curves."""
    options = reproduction.options
    values: dict[Place, Value] = {}
    figures: list[Figure | Drawing] = []
    read: dict[str, HalfSplits] = {}
    for name in tables:
        say(reproduction.tables[name].title)
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
    return Results(values, {(table, row): _origin(table, row) for table, row, _ in values}, figures)


def _origin(table: str, row: str) -> str:
    if row.endswith(", honest"):
        return "cross-validation"
    return "ours" if table in ("bounds", "other") else "recovered"


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
    forms
        Term counts by form of the words, to choose from in the honest rows; those of `counts` by default.
    known
        What has been measured, by the documents of a half and the number of splits, and of the honest rows.
    """

    counts: Sparse
    labels: Sparse
    names: tuple[str, ...]
    half: int
    options: Mapping[str, Any]
    say: Say = lambda _: None
    forms: Mapping[str, Sparse] = field(default_factory=dict)
    known: dict[Any, dict[str, Floats]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.forms:
            object.__setattr__(self, "forms", {"given": self.counts})

    @classmethod
    def of(cls, source: Mapping[str, Any], options: Mapping[str, Any], say: Say) -> Self:
        """Read a corpus, its wanted categories and all its terms."""
        corpus = load(source["corpus"], split=source["split"])
        labels = sparse.csr_array(sparse.vstack([corpus.train.labels, corpus.test.labels]))
        kept = [corpus.categories.index(name) for name in source["categories"]]
        texts = [*corpus.train.texts, *corpus.test.texts]
        counted = _counted(texts, source.get("tokens", options["tokens"]), source.get("min_length", 1))
        forms = {f"{tokens}, {least}": _counted(texts, tokens, least) for tokens, least in options["honest"]["forms"]}
        names = tuple(source.get("names", source["categories"]))
        return cls(counted, labels[:, kept], names, int(source["half"]), options, say, forms)

    def measured(self, what: str, *, half: int, splits: int) -> dict[str, Floats]:
        """Return by `hold-out`, `ρ=1`, `ρ=2`: splits × measures × categories, in percent; computed once."""
        if (half, splits) not in self.known:
            self.say(f"{what}, {splits} splits")
            parts = run_tasks(lambda split: self._split(*self.fold_ids(split, half)), range(splits), engine="threads")
            self.known[half, splits] = {name: 100 * np.array([part[name] for part in parts]) for name in parts[0]}
        return self.known[half, splits]

    def fold_ids(self, split: int, half: int) -> tuple[Ints, Ints]:
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
        scores, truth = svm.decision_function(Z), self.labels[test]
        shares = Pcut(x=1.0, prior="documents").fit(None, self.labels[train]).decide(scores)
        decided = sparse.csr_array(scores > 0)
        values: dict[str, list[Any]] = {"hold-out": _measured(truth, decided), "Pcut": _measured(truth, shares)}
        values["shares"] = [part / len(test) for part in _contingency(truth, decided)]
        for rho in (1, 2):
            estimate = xi_alpha(svm, X, self.labels[train], rho=rho)
            values[f"ρ={rho}"] = [getattr(estimate, name) for name in MEASURES]
        return values


def _counted(texts: Sequence[str], tokens: Any, shortest: int) -> Sparse:
    """Return the counts of all words, in some form, in three documents or more."""
    terms = Analyzer(stop=None, stem=None, tokens=tokens, min_length=shortest).terms(texts)
    part = chunk(terms)
    vocabulary, columns = frequent([part], terms.words, 3)
    return gather([part], columns, len(vocabulary))


def _contingency(truth: Sparse, decided: Sparse) -> list[Ints]:
    table = counts(truth, decided)
    return [table.tp, table.fp, table.fn, table.tn]


def _measured(truth: Sparse, decided: Sparse) -> list[Any]:
    table = counts(truth, decided)
    return [resolve(name)(table) for name in MEASURES]


def _table(name: str, halves: HalfSplits) -> tuple[dict[tuple[str, str], Value], list[Figure | Drawing]]:
    """Return a table, or the counts of section 6.1; with table 1 the four diagrams of figure 3."""
    measured = halves.measured(f"table {name}", half=halves.half, splits=halves.options["splits"])
    if name == "text":
        return {(row, "of 100"): value for row, value in _optimistic(measured).items()}, []
    drawn: list[Figure | Drawing] = []
    if name == "1":
        drawn = [*illustrations(measured, halves), *(_bars(measured, halves.names, each) for each in MEASURES)]
    deviations = name.endswith("-sd")
    rows = _rows(measured, halves.names, deviations=deviations)
    rows |= honest_rows(halves, short=SHORT, over_splits=lambda values: _over_splits(values, deviations))
    return rows, drawn


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
    for c, category in enumerate(names):
        for m, measure in enumerate(MEASURES):
            rows[f"{category}, Pcut", SHORT[measure]] = _over_splits(measured["Pcut"][:, m, c], deviations)
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


def illustrations(measured: Mapping[str, Floats], halves: HalfSplits) -> list[Drawing]:
    """Draw figure 1, a story of the embedded corpus as a vector, and figure 2, the contingency table of a category."""
    document = load("newswire", documents=500).train
    text = document.texts[0].split()
    lines = [" ".join(text[start : start + 8]) for start in range(0, 64, 8)]
    vectors = Vectors(Analyzer(stop=None, stem=None), weights="nnn")
    counted = vectors.fit_transform([" ".join(text[:64])]).toarray()[0].astype(int)
    numbers = sorted(zip(vectors.vocabulary_, counted.tolist(), strict=True), key=lambda item: (-item[1], item[0]))
    shown = {**dict(sorted(numbers[:9])), "baseball": 0, "graphics": 0}
    figure1 = "Figure 1: representing text as a feature vector; a story of the synthetic newswire"
    tp, fp, fn, tn = measured["shares"][:, :, 0].mean(axis=0) / 100
    figure2 = f"Figure 2: contingency table, {halves.names[0]} on the test halves"
    return [
        vector_drawing("figure1", figure1, lines=lines, counts=shown),
        contingency_drawing("figure2", figure2, shares=[[tp, fp], [fn, tn]]),
    ]


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
    train, test = halves.fold_ids(0, halves.half)
    X, _unused = halves.weighted(train, test)
    labels = halves.labels[train]
    wrong = (SVM(C=halves.options["C"]).fit(X, labels).decision_function(X) > 0) != labels.toarray()
    return bounds(X.shape[0], X.shape[1], float(wrong.mean())), []


def _path(_: str, halves: HalfSplits) -> tuple[dict[tuple[str, str], Value], list[Figure]]:
    """Measure the ξα-estimate along a path of C."""
    splits = []
    for split in range(halves.options["path_splits"]):
        halves.say(f"path of C, split {split + 1}")
        train, test = halves.fold_ids(split, halves.half)
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
