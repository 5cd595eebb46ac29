"""Break-even points and 11-point averages of classifiers that score every document (sunlim2001, section 3.2).

The paper leaves them out, because a top-down classifier does not rank the documents that it refuses above a category.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from rubricate import registry
from rubricate.classifiers.hierarchical.groups import Problems, per_parent
from rubricate.classifiers.hierarchical.nodes import place_labels
from rubricate.classifiers.svm import SVM
from rubricate.corpora import load
from rubricate.engines import run_tasks
from rubricate.hierarchy import Hierarchy, as_svg
from rubricate.measures import break_even_point, category_similarity, macro, mean, micro, pooled_sweep, ranks, sweeps
from rubricate.measures.extended import Extended, extended, extended_counts, extended_precision, extended_recall
from rubricate.measures.nearness import by_distance, by_similarity
from rubricate.measures.rankings import eleven_point
from rubricate.measures.tables import counts
from rubricate.papers.figures import Drawing
from rubricate.papers.joachims_2000 import SVMLightDefault, default_cost
from rubricate.papers.reproduction import Place, Reproduction, Results, Say, Value
from rubricate.papers.systems import PaperSystem, weakest
from rubricate.registry import reproduction
from rubricate.text.analyzer import Analyzer
from rubricate.text.vectors import Vectors
from rubricate.thresholds.fixed import Pcut
from rubricate.types import Corpus, Documents, Floats, Ints, Sparse

__all__ = ["base_classifier", "ranked", "rankings", "sun_lim_2001", "tried_settings"]

DRAWS = 5
"""Draws of documents outside a tree."""
WAYS = ("big_bang", "tolerant", "proximity")
COLUMNS = ("micro BEP", "macro BEP", "11-pt")


def rankings(study: Any) -> dict[tuple[str, str], Value]:
    """Measure the SVM in the ways that score every document, tree by tree; means over the draws."""
    figures: dict[tuple[str, str], Value] = {}
    system = study.reproduction.systems["SVM"]
    for way in WAYS:
        for tree in study.trees.values():
            study.say(f"rankings, {way}, tree {tree.name}")

            def measure(seed: int, tree: Any = tree, way: str = way) -> tuple[float, float, float]:
                fitted, new, test = study.fitted(tree, system, way=way, seed=seed)
                return ranked(fitted.decision_function(new[test]), tree.test[test])

            runs = run_tasks(measure, study.options["seeds"][:DRAWS], engine="threads")
            row = f"SVM, {way.replace('_', '-')}, tree {tree.name}"
            means = np.mean(runs, axis=0)
            figures |= {(row, column): float(value) for column, value in zip(COLUMNS, means, strict=True)}
    return figures


def ranked(scores: Floats, truth: Sparse) -> tuple[float, float, float]:
    """Return micro and macro break-even point and the 11-point average over the categories' rankings of documents.

    The micro one has one threshold for all categories, the macro one is the mean of the categories' own. Categories
    without a test document are left out.
    """
    pooled = break_even_point(pooled_sweep(scores, truth).counts).value
    own = [break_even_point(cuts.counts).value for cuts in sweeps(scores, truth)]
    held = np.asarray(truth.sum(axis=0)).ravel() > 0
    return pooled, float(np.mean(np.array(own)[held])), float(mean(eleven_point(ranks(scores, truth, by="category"))))


SUN_LIM_2001_TRIED_DRAWS = 5
"""Draws of documents outside a tree for each setting."""
ENOUGH = {
    "4": ("crude", "grain", "nat-gas", "ship", "corn", "wheat"),
    "5": ("livestock", "veg-oil", "carcass", "oilseed"),
    "6": ("cocoa",),
}
"""Categories with 50 or more training documents (table 2)."""


def base_classifier(system: PaperSystem, tried: Mapping[str, Any], X: Sparse) -> Any:
    """Return the base classifier of a system with tried settings; an SVM without C has the default of SVMlight.

    C = "tree" is that default over all documents of the tree, C = "length" that of later versions.
    """
    parameters = {name: tried[name] for name in ("bias", "class_weight") if name in tried}
    cost = tried.get("C", system.get("C"))
    if system.get("classifier") != "svm":
        return system.classifier()
    if cost is None:
        return SVMLightDefault(**parameters)
    if cost == "tree":
        cost = default_cost(X)
    if cost == "length":
        cost = float(np.sqrt(np.asarray(X.multiply(X).sum(axis=1))).mean()) ** -2
    return SVM(C=cost, **parameters)


def tried_settings(study: Any) -> dict[tuple[str, str], Value]:
    """Count for each setting the cells within .05 of the published ones, and return the mean deviation beside."""
    counts: dict[tuple[str, str], Value] = {}
    for tried in study.options["tried"]:
        name = tried["name"]
        study.say(f"setting: {name}")
        far = {table: _deviations(study, table, tried) for table in ENOUGH}
        for table, rows in far.items():
            counts[name, f"table {table}"] = _near(rows.values())
        counts[name, "50 or more"] = _near(far[table][row] for table, rows in ENOUGH.items() for row in rows)
        every = np.concatenate([values for rows in far.values() for values in rows.values()])
        counts[name, "mean deviation"] = float(np.abs(every).mean())
    return counts


def _near(rows: Any) -> int:
    return int(sum((np.abs(values) <= 0.05 + 1e-9).sum() for values in rows))


def _deviations(study: Any, table: str, tried: Mapping[str, Any]) -> dict[str, Any]:
    """Return ours less published, by row of a table: six columns each."""
    tree = study.trees["abc"["456".index(table)]]
    draws = study.options["seeds"][:SUN_LIM_2001_TRIED_DRAWS]
    changed = {name: value for name, value in tried.items() if name != "name"}
    means = np.mean(study.draws(tree, "SVM", draws, **({"tried": changed} if changed else {})), axis=0)
    published = study.reproduction.tables[table].rows
    rows = (*tree.categories, "micro", "macro")
    return {row: means[r] - np.array([float(value) for value in published[row].values()]) for r, row in enumerate(rows)}


RESULTS = {"4": "a", "5": "b", "6": "c"}
SHORT = ("", ", similarity", ", distance")
SUN_LIM_2001_WAYS = ("top_down", "tolerant", "big_bang", "proximity")
SCORING = ("tolerant", "big_bang", "proximity")
"""Ways that score every document for every category, so that Pcut can rank them."""
PCUT = ", Pcut"
FEW = 5
"""Draws of documents outside a tree for what stands beside the paper's own tables."""
AS_HERE: Mapping[str, Any] = MappingProxyType({})
"""No setting tried instead of one of these."""
OurFigures: TypeAlias = dict[tuple[str, str], Value]


@reproduction("sun_lim_2001")
def sun_lim_2001(reproduction: Reproduction, tables: Sequence[str], say: Say) -> Results:
    """Return our figures of the wanted tables."""
    study = TreeStudy(reproduction, say)
    makers: dict[str, Callable[[], OurFigures]] = {"figure1": study.figure_1, "2": study.table_2, "3": study.table_3}
    makers |= {name: lambda tree=tree: study.results(tree) for name, tree in RESULTS.items()}  # type: ignore[misc]
    makers |= {"systems": study.systems, "rankings": lambda: rankings(study)}
    makers |= {"settings": lambda: tried_settings(study)}
    values: dict[Place, Value] = {}
    for name in tables:
        say(reproduction.tables[name].title)
        values |= {(name, *place): value for place, value in makers[name]().items()}
    origins = {(name, row): study.origin(name, row) for name, row, _ in values}
    return Results(values, origins, study.drawings() if "figure1" in tables else ())


class PaperTree:
    """One of the paper's trees with the labels of its categories."""

    def __init__(self, name: str, below: dict[str, list[str]], corpus: Corpus) -> None:
        self.name, self.root = name, f"Hier{'abc'.index(name) + 1}"
        self.categories = tuple(category for parent, children in below.items() for category in (parent, *children))
        self.edges = tuple((parent, child) for parent, children in below.items() for child in children)
        self.below = below
        columns = [corpus.categories.index(category) for category in self.categories]
        self.train, self.test = corpus.train.labels[:, columns], corpus.test.labels[:, columns]

    @cached_property
    def hierarchy(self) -> Hierarchy:
        return Hierarchy.from_edges(self.edges)

    @cached_property
    def problems(self) -> Problems:
        """Classifiers with their training documents, as `TopDown` makes them with `contested` documents."""
        return per_parent(place_labels(self.train, self.hierarchy, self.categories), contested=True)

    def drawing(self) -> Drawing:
        """Draw the tree with the training documents labelled with each category."""
        under_root = Hierarchy.from_edges([*((self.root, parent) for parent in self.below), *self.edges])
        sizes = np.asarray(self.train.sum(axis=0)).ravel()
        notes = {name: str(int(size)) for name, size in zip(self.categories, sizes, strict=True)}
        title = f"Figure 1: tree {self.name}, with the training documents of each category"
        return Drawing(f"figure1-{self.name}", title, as_svg(under_root, notes=notes))


def inside(labels: Sparse) -> Ints:
    """Return the documents with a category of the tree."""
    return np.flatnonzero(np.diff(labels.indptr))


class TreeStudy:
    """The corpus, the vectors and the trees, each made when first needed."""

    def __init__(self, reproduction: Reproduction, say: Say) -> None:
        self.reproduction, self.options, self.say = reproduction, reproduction.options, say
        self._vectors: dict[tuple[str, str, str], tuple[Sparse, Sparse]] = {}
        self._measured: dict[tuple[Any, ...], Floats] = {}
        self._similarities: dict[str, Any] = {}

    @cached_property
    def corpus(self) -> Corpus:
        return load(self.reproduction.corpus["name"], split=self.reproduction.corpus["split"])

    @cached_property
    def trees(self) -> dict[str, PaperTree]:
        return {name: PaperTree(name, below, self.corpus) for name, below in self.options["trees"].items()}

    def vectors(self, weights: str, tried: Mapping[str, Any] = AS_HERE) -> tuple[Sparse, Sparse]:
        """Return vectors of training and test documents, with all terms."""
        stop, tokens = tried.get("stop", self.options["stop"]), tried.get("tokens", "letters")
        key = (weights, stop, tokens)
        if key not in self._vectors:
            words = sorted(ENGLISH_STOP_WORDS) if stop == "scikit-learn" else stop
            flow = Vectors(Analyzer(stop=words, tokens=tokens), weights=weights)
            self._vectors[key] = flow.fit_transform(self.corpus.train), flow.transform(self.corpus.test)
        return self._vectors[key]

    def origin(self, table: str, row: str) -> str:
        """Return the weakest origin behind a row: of its system, and of how test documents are drawn."""
        if table in ("figure1", "2", "3"):
            return "paper"
        if row.endswith(", honest"):
            return "cross-validation"
        names = sorted(self.reproduction.systems, key=len, reverse=True)
        name = next((name for name in names if row.startswith(f"{name}, ")), "SVM")
        drawn = self.reproduction.protocol["outside_test"].origin
        return weakest([self.reproduction.systems[name].origin, drawn])

    def figure_1(self) -> OurFigures:
        """Return the tree and the parent of each category."""
        figures: OurFigures = {}
        for tree in self.trees.values():
            for name in tree.categories:
                parent = tree.hierarchy.parents(name)[0]
                figures[name, "tree"] = tree.name
                figures[name, "parent"] = parent if parent in tree.categories else tree.root
        return figures

    def drawings(self) -> list[Drawing]:
        """Draw the trees."""
        return [tree.drawing() for tree in self.trees.values()]

    def table_2(self) -> OurFigures:
        """Count the documents of each classifier, as it is trained; the root's negatives are as many random others."""
        figures: OurFigures = {}
        for tree in self.trees.values():
            covered, row = len(inside(tree.train)), f"{tree.name}: {tree.root}, subtree"
            figures |= {(row, "training +"): covered, (row, "training −"): covered}
            figures[row, "test +"] = len(inside(tree.test))
            figures |= _classifiers(tree)
        return figures

    def table_3(self) -> OurFigures:
        """Return similarities of the categories of tree a, and the averages of all trees."""
        figures: OurFigures = {}
        for tree in self.trees.values():
            alike = self.similarity(tree)
            figures["average", f"tree {tree.name}"] = alike.average
            if tree.name == "a":
                order = list(self.reproduction.tables["3"].rows)[:-1]
                at = [tree.categories.index(name) for name in order]
                matrix = alike.matrix()[np.ix_(at, at)]
                pairs = [(i, j) for i in range(len(order)) for j in range(i)]
                figures |= {(order[i], order[j]): float(matrix[i, j]) for i, j in pairs}
        return figures

    def similarity(self, tree: PaperTree) -> Any:
        """Return similarities by the union of the binary vectors of the training documents."""
        if tree.name not in self._similarities:
            rows = inside(tree.train)
            similarity = category_similarity(self.vectors("bnn")[0][rows], tree.train[rows], tree.categories)
            self._similarities[tree.name] = similarity
        return self._similarities[tree.name]

    def results(self, tree: str) -> OurFigures:
        """Measure tables 4 to 6: precision and recall, standard and extended, of the top-down SVM."""
        self.say(f"tree {tree}")
        figures: OurFigures = {}
        rows = (*self.trees[tree].categories, "micro", "macro")
        seeds = self.options["seeds"]
        for system, mark, draws in (("SVM", "", seeds), ("SVM, honest", ", honest", seeds[:FEW])):
            mean = np.mean(self.draws(self.trees[tree], system, draws), axis=0)
            figures |= {
                (f"{row}{mark}", column): float(mean[r, c])
                for r, row in enumerate(rows)
                for c, column in enumerate(_columns())
            }
        return figures

    def systems(self) -> OurFigures:
        """Return micro averages for each base classifier top-down, and of SVM in the other ways, tree by tree."""
        pairs = [("top_down", name) for name in self.reproduction.systems]
        pairs += [(way, "SVM") for way in (*SUN_LIM_2001_WAYS[1:], *(f"{way}{PCUT}" for way in SCORING))]
        figures: OurFigures = {}
        for way, name in pairs:
            for tree in self.trees.values():
                self.say(f"{name}, {way}, tree {tree.name}")
                seeds = self.options["seeds"] if (way, name) == ("top_down", "SVM") else self.options["seeds"][:FEW]
                runs = [run[-2] for run in self.draws(tree, name, seeds, way=way)]
                row = f"{name}, {way.replace('_', '-')}, tree {tree.name}"
                mean = np.mean(runs, axis=0)
                figures |= {(row, column): float(mean[c]) for c, column in enumerate(_columns())}
        return figures

    def draws(self, tree: PaperTree, system: str, seeds: Sequence[int], **how: Any) -> list[Floats]:
        """Return what `measured` gives for each draw of documents outside the tree, computed once, on all cores."""
        known = self._measured
        keys = [(tree.name, system, repr(how), seed) for seed in seeds]
        new = [(key, key[-1]) for key in keys if key not in known]
        tried = how.get("tried", AS_HERE)
        self.vectors(tried.get("weights", self.reproduction.systems[system].get("weights")), tried)
        self.similarity(tree)
        runs = run_tasks(lambda task: self.measured(tree, system, seed=task[1], **how), new, engine="threads")
        known |= {key: run for (key, _), run in zip(new, runs, strict=True)}
        return [known[key] for key in keys]

    def measured(
        self, tree: PaperTree, system: str, *, seed: int, way: str = "top_down", tried: Mapping[str, Any] = AS_HERE
    ) -> Floats:
        """Measure categories, micro and macro × the six columns; `tried` settings replace those of the system."""
        truth, decided = self.decided(tree, self.reproduction.systems[system], way=way, seed=seed, tried=tried)
        nearness = (
            by_similarity(self.similarity(tree), tree.categories),
            by_distance(tree.hierarchy, tree.categories, acceptable=self.options["acceptable"]),
        )
        none = np.zeros(len(tree.categories))
        parts = [extended(counts(truth, decided), none, none)]
        parts += [extended_counts(truth, decided, near) for near in nearness]
        return np.hstack([_precision_recall(part) for part in parts])

    def decided(
        self, tree: PaperTree, system: PaperSystem, *, way: str, seed: int, tried: Mapping[str, Any]
    ) -> tuple[Sparse, Sparse]:
        """Return truth and decisions for the tree's test documents and as many others."""
        fitted, new, test = self.fitted(tree, system, way=way.removesuffix(PCUT), seed=seed, tried=tried)
        if not way.endswith(PCUT):
            return tree.test[test], sparse.csr_array(fitted.predict(new[test]))
        rows = _drawn(
            self.corpus.train, tree.train, outside=self.options["outside_training"], rng=np.random.default_rng(seed)
        )
        cut = Pcut(x=1.0, prior="documents").fit(None, tree.train[rows])
        return tree.test[test], cut.decide(fitted.decision_function(new[test]))

    def fitted(
        self, tree: PaperTree, system: PaperSystem, *, way: str, seed: int, tried: Mapping[str, Any] = AS_HERE
    ) -> tuple[Any, Sparse, Ints]:
        """Return a classifier for the tree, the vectors of all test documents, and which of them are drawn."""
        X, new = self.vectors(tried.get("weights", system.get("weights")), tried)
        options, rng = {**self.options, **tried}, np.random.default_rng(seed)
        rows = _drawn(self.corpus.train, tree.train, outside=options["outside_training"], rng=rng)
        test = _drawn(self.corpus.test, tree.test, outside=options["outside_test"], rng=rng)
        own = dict(self.options["ours"].get(system.name, {}))
        how = _settings(way, own.pop("cut", None), seed=seed, contested=options["contested"])
        base = base_classifier(system, tried, X[rows]).set_params(**own)
        model = registry.load("classifiers", way)(base, taxonomy=tree.edges, categories=tree.categories, **how)
        return model.fit(X[rows], tree.train[rows]), new, test


def _settings(way: str, cut: str | None, *, seed: int, contested: bool) -> dict[str, Any]:
    if way != "top_down":
        return {}
    return {
        "root": "classifier",
        "contested": contested,
        "seed": seed,
        "cut": registry.load("thresholds", cut)() if cut else None,
    }


def _drawn(documents: Documents, labels: Sparse, *, outside: str, rng: np.random.Generator) -> Ints:
    """Return the documents of the tree and as many others."""
    own = inside(labels)
    others = np.setdiff1d(inside(documents.labels) if outside == "labelled" else np.arange(len(documents)), own)
    return np.sort(np.concatenate([own, rng.permutation(others)[: len(own)]]))


def _classifiers(tree: PaperTree) -> OurFigures:
    """Return the rows of table 2 for subtree and local classifiers."""
    figures: OurFigures = {}
    labels = np.hstack([_signed(group.labels) for group in tree.problems.groups])
    links = [*zip(tree.problems.guards, tree.hierarchy.child_ids, strict=True)]
    stays = [(number, node) for node, number in enumerate(tree.problems.stays) if number >= 0]
    for kind, pairs in (("link", links), ("local", stays)):
        for number, node in pairs:
            name = tree.hierarchy.names[node]
            what = "subtree" if kind == "link" and name in tree.below else "local"
            row = f"{tree.name}: {name}, {what}"
            figures[row, "training +"], figures[row, "training −"] = map(int, labels[:, number])
            if what == "local":
                figures[row, "test +"] = int(tree.test[:, [tree.categories.index(name)]].sum())
    return figures


def _signed(labels: Any) -> Any:
    """Return the positive and negative documents of each problem, 2 × problems."""
    return np.stack([labels.sum(axis=0), (~labels).sum(axis=0)])


def _columns() -> list[str]:
    return [f"{name}{short}" for short in SHORT for name in ("P", "R")]


def _precision_recall(table: Extended) -> Floats:
    """Return P and R of each category, then the micro and the macro averages."""
    measures = (extended_precision, extended_recall)
    return np.column_stack([[*measure(table), micro(measure, table), macro(measure, table)] for measure in measures])
