"""Sun and Lim 2001: figure 1, tables 2 to 6, and the other base classifiers that its section 6 asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from rubricate import registry
from rubricate.classifiers.hierarchical.descent.groups import Problems, per_parent
from rubricate.classifiers.hierarchical.descent.nodes import place_labels
from rubricate.corpora import load
from rubricate.engines import run_tasks
from rubricate.experiments.cells import Value
from rubricate.experiments.figure import Drawing
from rubricate.experiments.reproduction import Place, Reproduction, Results, Say
from rubricate.experiments.reproductions._sun_lim_2001_rankings import rankings
from rubricate.experiments.reproductions._sun_lim_2001_tried import base_classifier, tried_settings
from rubricate.experiments.systems import PaperSystem, weakest
from rubricate.hierarchy import Hierarchy, as_svg
from rubricate.measures import category_similarity, macro, micro
from rubricate.measures.counting.tables import counts
from rubricate.measures.extended_precision import extended_precision
from rubricate.measures.extended_recall import extended_recall
from rubricate.measures.hierarchical.extended import Extended, extended, extended_counts
from rubricate.measures.hierarchical.nearness import by_distance, by_similarity
from rubricate.text.analyzer import Analyzer
from rubricate.text.vectors import Vectors
from rubricate.thresholds.pcut import Pcut
from rubricate.types import Corpus, Documents, Floats, Ints, Sparse

__all__ = ["sun_lim_2001"]

RESULTS = {"4": "a", "5": "b", "6": "c"}
SHORT = ("", ", similarity", ", distance")
WAYS = ("top_down", "tolerant", "big_bang", "proximity")
SCORING = ("tolerant", "big_bang", "proximity")
"""Ways that score every document for every category, so that Pcut can rank them."""
PCUT = ", Pcut"
FEW = 5
"""Draws of documents outside a tree for what stands beside the paper's own tables."""
AS_HERE: Mapping[str, Any] = MappingProxyType({})
"""No setting tried instead of one of these."""
OurFigures: TypeAlias = dict[tuple[str, str], Value]


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
        pairs += [(way, "SVM") for way in (*WAYS[1:], *(f"{way}{PCUT}" for way in SCORING))]
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
