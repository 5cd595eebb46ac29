"""Yang and Liu 1999: tables 1, 2 and 3, the numbers in the text, figures 1, 4 and 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from rubricate.classifiers.latent import directions
from rubricate.classifiers.svm import SVM
from rubricate.corpora import load
from rubricate.engines import run_tasks
from rubricate.folds import assign_folds
from rubricate.measures import by_frequency
from rubricate.measures.evaluation import evaluate
from rubricate.papers.figures import Drawing, Figure, Series, margin_drawing, smaller_margin
from rubricate.papers.reproduction import Place, Reproduction, Results, Say, Value
from rubricate.papers.systems import SystemExecution, weakest
from rubricate.registry import reproduction
from rubricate.significance import compare
from rubricate.text.vectors import Vectors
from rubricate.thresholds.fixed import Pcut
from rubricate.training.cache import Once
from rubricate.training.data import TrainingData
from rubricate.types import Corpus, Decisions, Ints, Run

__all__ = ["yang_liu_1999"]

MANY = 100
"""Runs that are kept: all of them."""
FIVE = ("SVM", "kNN", "LLSF", "NNet", "NB")
HONEST = tuple(f"{name}, honest" for name in FIVE)
KERNELS = ("SVM, polynomial", "SVM, RBF")
OURS = ("SVM, ours", "stack, ours")
VARIED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "SVM, tf": ("SVM", {"weights": "ntc"}),
    "kNN, top category": ("kNN", {"cut": "rcut:1", "held_out": "none", "cut_fbr": None, "cut_fallback": None}),
    "NB, Bernoulli": ("NB", {"model": "bernoulli"}),
    "NNet, one network a category": ("NNet", {"epochs": None, "outputs": "separate", "hidden": 8}),
    "NNet, one network": ("NNet", {"epochs": None}),
}
"""Systems with some settings changed, for the numbers in the text."""
TESTS = {"s": "s-test", "S": "S-test", "T": "T-test", "T'": "T'-test"}
MEASURES = {"recall": "miR", "precision": "miP", "error": "error"}


@reproduction("yang_liu_1999")
def yang_liu_1999(reproduction: Reproduction, tables: Sequence[str], say: Say) -> Results:
    """Return our figures of the wanted tables, and the drawings that need no more than was computed for them."""
    study = TableStudy(reproduction, say)
    makers = {"1": table_1, "2": table_2, "3": table_3, "text": text_numbers}
    values: dict[Place, Value] = {}
    if {"1", "text"} <= {*tables}:  # side by side, the longest first, so that no core waits for the last of a table
        study.runs([*reversed(OURS), "NNet, one network a category", *KERNELS, *FIVE, *HONEST, *VARIED])
    for name in tables:
        say(reproduction.tables[name].title)
        values |= {(name, *place): value for place, value in makers[name](study).items()}
    origins = {(name, row): _origin(study, name, row) for name, row, _ in values}
    return Results(values, origins, study.figures())


def _origin(study: TableStudy, table: str, row: str) -> str:
    """Return the origin of the systems behind a row; one recovered setting makes the row recovered."""
    systems = study.reproduction.systems
    names = _pair(row) if "/" in row else [row if row in systems else row.partition(", ")[0]]
    return weakest(systems[name].origin for name in names if name in systems and table in "123")


def _pair(row: str) -> list[str]:
    """Return the systems of a row such as `SVM/kNN, honest`."""
    names, _, form = row.partition(", ")
    return [f"{name}, {form}" if form else name for name in names.split("/")]


class TableStudy:
    """The corpus and the runs, each made when first needed."""

    def __init__(self, reproduction: Reproduction, say: Say) -> None:
        self.reproduction = reproduction
        self.say = say
        self.made: set[str] = set()
        self._runs, self._executions = Once(MANY), Once(MANY)

    @cached_property
    def corpus(self) -> Corpus:
        return load(self.reproduction.corpus["name"], split=self.reproduction.corpus["split"])

    @cached_property
    def material(self) -> TrainingData:
        """The documents, read once for all systems."""
        return TrainingData(self.corpus, test=self.corpus.test)

    @cached_property
    def train_counts(self) -> Ints:
        return np.asarray(self.corpus.train.labels.sum(axis=0)).ravel().astype(np.int64)

    def run(self, name: str) -> Run:
        """Return the run of a system of the reproduction, or of one in `VARIED`."""

        def make() -> Run:
            self.say(name)
            self.made.add(name)
            if name not in VARIED:
                return self.execution(name).run()
            base, changes = VARIED[name]
            system = self.reproduction.systems[base].varied(name, **changes)
            return SystemExecution(system, self.corpus, material=self.material).run()

        return self._runs.get(name, make)

    def runs(self, names: Sequence[str]) -> list[Run]:
        """Return the runs of several systems, made on all cores."""
        return run_tasks(self.run, names, engine="threads")

    def execution(self, name: str) -> SystemExecution:
        """Return a system of the reproduction at work on the corpus."""
        systems = self.reproduction.systems
        return self._executions.get(
            name, lambda: SystemExecution(systems[name], self.corpus, members=systems, material=self.material)
        )

    def figures(self) -> tuple[Figure | Drawing, ...]:
        """Draw figures 1 to 3, and figures 4 and 5 where all five systems were run."""
        drawn: list[Figure | Drawing] = [category_histogram(self.train_counts), *margins(self.corpus)]
        if self.made.issuperset(FIVE):
            options, runs = self.reproduction.options, [self.run(name) for name in FIVE]
            drawn.append(performance_curves("figure4", "rare categories", runs, bands=options["bands_rare"], high=60))
            drawn.append(
                performance_curves("figure5", "all the categories", runs, bands=options["bands_all"], high=None)
            )
        return tuple(drawn)


def table_1(study: TableStudy) -> dict[tuple[str, str], Value]:
    """Measure the five systems, with settings chosen on training documents too, the other kernels, and Pcut.

    Ours come last, with the cross-validated figures that chose them.
    """
    figures: dict[tuple[str, str], Value] = {}
    study.runs([*reversed(OURS), *KERNELS, *FIVE, *HONEST])  # the longest first
    for name in (*FIVE, *HONEST, *KERNELS):
        figures |= _measured(name, study.run(name))
    for name in FIVE:
        figures |= _measured(f"{name}, Pcut", by_pcut(study, name))
    for name in OURS:
        figures |= _measured(name, study.run(name))
    for name in OURS:
        micro, macro = study.execution(name).cross_validated()
        figures[name, "miF1, cross-validated"] = micro
        figures[name, "maF1, cross-validated"] = macro
    return figures


def _measured(name: str, run: Run) -> dict[tuple[str, str], Value]:
    return {(name, column): float(value) for column, value in evaluate(run).row().items()}


def by_pcut(study: TableStudy, name: str) -> Run:
    """Return the run of a system with proportional assignment in place of its cut (Lewis; yang1999, section 4.2).

    x = 1 with shares of documents is x = labels per document with shares of labels: the two priors differ only in what
    x means, so that one row stands for both.
    """
    execution, run = study.execution(name), study.run(name)
    decided = Pcut(x=1.0, prior="documents").fit(None, study.corpus.train.labels).decide(execution.scores)
    return replace(run, name=f"{name}, Pcut", decisions=Decisions(decided, run.categories, run.documents))


def table_2(study: TableStudy) -> dict[tuple[str, str], Value]:
    """Return the marks of s, S, T and T' for every pair of the paper."""
    return _marks(study, "2", tests=",".join(TESTS), column=lambda result: TESTS.get(result.test))


def table_3(study: TableStudy) -> dict[tuple[str, str], Value]:
    """Return the marks of the p-test on recall, precision and error."""
    return _marks(study, "3", tests="p", column=lambda result: MEASURES.get(result.measure))


def _marks(study: TableStudy, table: str, *, tests: str, column: Any) -> dict[tuple[str, str], Value]:
    marks: dict[tuple[str, str], Value] = {}
    rows = [*study.reproduction.tables[table].rows]
    for row in (*rows, *(f"{row}, honest" for row in rows)):
        pair = study.runs(_pair(row))
        for result in compare(pair, tests=tests, adjust="none"):
            marks[row, column(result)] = result.symbol
    return marks


def text_numbers(study: TableStudy) -> dict[tuple[str, str], Value]:
    """Return the numbers of sections 2, 3.4, 5.1 and 5.2."""
    figures = {**_corpus_numbers(study), **_contrasts(study), **_networks(study)}
    return {(item, "value"): value for item, value in figures.items()}


def _corpus_numbers(study: TableStudy) -> dict[str, Value]:
    train, counts = study.corpus.train, study.train_counts
    return {
        "training documents": len(train),
        "test documents": len(study.corpus.test),
        "categories": len(counts),
        "categories per document": float(counts.sum() / len(train)),
        "vocabulary after stemming and stop word removal": len(_vocabulary(study)),
        "training documents of the most common category": int(counts.max()),
        "share of categories with less than 100 training documents": float(np.mean(counts < 100)),
        "share of categories with less than 10 training documents": float(np.mean(counts < 10)),
        "share of categories with 1 to 60 training documents": float(np.mean(counts <= 60)),
    }


def _vocabulary(study: TableStudy) -> Sequence[str]:
    return Vectors(weights="nnn").fit(study.corpus.train).vocabulary_


def _micro(run: Run) -> float:
    return float(evaluate(run).row()["miF1"])


def _s_test(a: Run, b: Run) -> str:
    (result,) = compare([a, b], tests="s", adjust="none")
    return result.symbol


def _contrasts(study: TableStudy) -> dict[str, Value]:
    """Measure the contrasts of section 5.2 (weights, simplified kNN, the other NB) and the non-linear SVMs (5.1)."""
    raw, top, bernoulli = study.runs(("SVM, tf", "kNN, top category", "NB, Bernoulli"))
    cubic, rbf, svm, knn, nb = study.runs((*KERNELS, "SVM", "kNN", "NB"))
    return {
        "miF1 of SVM with tf instead of log(tf)": _micro(raw),
        "s-test of SVM, log(tf) against tf": _s_test(svm, raw),
        "miF1 of kNN with the top category only": _micro(top),
        "s-test of kNN, all votes against top category only": _s_test(knn, top),
        "miF1 of NB by the multivariate Bernoulli model": _micro(bernoulli),
        "s-test of NB, multinomial against Bernoulli": _s_test(nb, bernoulli),
        "better of linear and polynomial SVM": "linear" if _micro(svm) >= _micro(cubic) else "polynomial",
        "better of linear and RBF SVM": "linear" if _micro(svm) >= _micro(rbf) else "RBF",
    }


def _networks(study: TableStudy) -> dict[str, Value]:
    """Compare one network for all categories with one per category (section 3.4); choose hidden units (section 5.1).

    All of them are trained to the lowest held-out loss, not stopped as early as the row of table 1.
    """
    made = study.runs(("NNet, one network a category", "NNet, one network"))
    separate, joint = (evaluate(run).row() for run in made)
    figures: dict[str, Value] = {"hidden units of NNet chosen among 16, 64 and 160": _hidden_units(study)}
    for form, row in (("one network for all categories", joint), ("one network a category", separate)):
        figures |= {f"{column} of NNet, {form}": float(row[column]) for column in ("miF1", "maF1")}
    return figures


def _hidden_units(study: TableStudy) -> int:
    """Return the size with the best micro-F1 on a third of the training documents, cuts from another third."""
    train = study.corpus.train
    part = assign_folds(train.labels, 3, seed=1)
    kept, held = np.flatnonzero(part != 0), np.flatnonzero(part == 0)
    inner = replace(study.corpus, train=train.take(kept), test=train.take(held))
    nnet, material = study.reproduction.systems["NNet"], TrainingData(inner, test=inner.test)

    def score(units: int) -> float:
        study.say(f"NNet, {units} hidden units")
        system = nnet.varied(f"NNet-{units}", epochs=None, hidden=units)
        return _micro(SystemExecution(system, inner, material=material).run())

    sizes: list[int] = study.reproduction.options["hidden"]
    scores = dict(zip(sizes, run_tasks(score, sizes, engine="threads"), strict=True))
    return max(sizes, key=lambda units: scores[units])


def category_histogram(train_counts: Ints) -> Figure:
    """Draw figure 1: training documents of each category, the most common first."""
    ordered = np.sort(train_counts)[::-1]
    ranks = np.arange(1, len(ordered) + 1)
    return Figure(
        "figure1",
        "Figure 1: category distribution in Reuters-21578 ApteMod",
        "category, by frequency",
        "training documents",
        (Series("categories", ranks.tolist(), ordered.tolist()),),
        kind="bars",
        log_y=True,
    )


MARGIN_CATEGORIES = ("ship", "sugar")
EACH = 15
"""Documents of each category in figures 2 and 3."""


def margins(corpus: Corpus) -> list[Drawing]:
    """Draw figures 2 and 3: documents of two categories in a plane, parted by a line of half the margin and of all.

    The plane is that of the two largest singular vectors of the first documents with one of the categories alone. Of
    these the ones that a line parts are drawn, without the third nearest to it, so that the margin can be seen.
    """
    a, b = (corpus.categories.index(name) for name in MARGIN_CATEGORIES)
    labels, single = corpus.train.labels.toarray(), np.diff(corpus.train.labels.indptr) == 1
    rows = np.concatenate([np.flatnonzero(labels[:, c] & single)[: 2 * EACH] for c in (a, b)])
    X = Vectors(weights="ltc").fit_transform(corpus.train.take(rows))
    points, positive = X @ directions(X, 2), labels[rows, a]
    rough = SVM(C=1000.0).fit(points, positive).decision_function(points)
    clear = np.abs(rough) > np.quantile(np.abs(rough), 1 / 3)
    parted = np.flatnonzero(((rough > 0) == positive) & clear)
    drawn = np.concatenate([parted[positive[parted]][:EACH], parted[~positive[parted]][:EACH]])
    points, positive = points[drawn], positive[drawn]
    across = np.asarray(SVM(C=1e6).fit(points, positive).coef_).ravel()
    best = across / np.linalg.norm(across)
    axes = ("first singular vector", "second singular vector")
    names = " (circles) and ".join(MARGIN_CATEGORIES) + " (squares)"
    lines = {
        "figure2": ("a decision line with a smaller margin", smaller_margin(points, positive, best)),
        "figure3": ("the decision line with the maximal margin", best),
    }
    return [
        margin_drawing(
            name,
            f"Figure {name[-1]}: {what}; Reuters stories in {names}",
            points=points,
            positive=positive,
            direction=direction,
            axes=axes,
        )
        for name, (what, direction) in lines.items()
    ]


def performance_curves(name: str, what: str, runs: Sequence[Run], *, bands: int, high: int | None) -> Figure:
    """Draw figures 4 and 5: F1 averaged over the categories in intervals of training frequency of equal width."""
    series = []
    for run in runs:
        columns = evaluate(run).per_category
        averages = by_frequency(np.asarray(columns["f1"], float), np.asarray(columns["train"]), bands=bands, high=high)
        filled = [band for band in averages if band.categories]
        middles = [(band.low + band.high) / 2 for band in filled]
        series.append(Series(run.name, middles, [band.value for band in filled]))
    number = name.removeprefix("figure")
    title = f"Figure {number}: performance curves on {what}"
    return Figure(name, title, "training documents of the category", "F1", tuple(series))
