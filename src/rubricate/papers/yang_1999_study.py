"""What the tables read of a system on one version of the corpus, and versions with a category for the unlabelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse

from rubricate.corpora import load
from rubricate.engines import run_tasks
from rubricate.errors import UnknownName
from rubricate.measures import BreakEven, break_even_point, counts, family, mean, micro, pooled_sweep, ranks
from rubricate.measures.contingency import f1
from rubricate.measures.rankings import eleven_point
from rubricate.papers.figures import Drawing
from rubricate.papers.reproduction import Reproduction, Say, Value
from rubricate.papers.systems import PaperSystem, SystemExecution
from rubricate.rules.parser import parse_rules
from rubricate.thresholds.fixed import Pcut, Rcut
from rubricate.thresholds.rank_limit import RankLimit
from rubricate.thresholds.scut import Scut
from rubricate.training.cache import Once
from rubricate.training.data import TrainingData
from rubricate.training.plan import Step
from rubricate.training.rule_models import run_rules
from rubricate.types import Corpus, Counts, Documents, Floats, Sparse

__all__ = [
    "MANY",
    "RANKERS",
    "VERSIONS",
    "WAYS",
    "OurFigures",
    "RuleDecisions",
    "ScoredSystem",
    "VersionStudy",
    "break_even",
    "decide",
    "eleven_points",
    "labelled_share",
    "micro_f1",
    "most_common",
    "rule_decisions",
    "table_1",
    "table_5",
    "with_unlabelled",
]

UNLABELLED = "unlabelled"


class ScoredSystem(SystemExecution):
    """A system trained on the training documents; what is not asked for is not computed.

    Vectors and selection come from all training documents, a preprocessing as in the paper.
    """

    def __init__(self, system: PaperSystem, corpus: Corpus, *, material: TrainingData | None = None) -> None:
        super().__init__(system.varied(held_out="folds"), corpus, material=material)
        self.name, self.labels, self.truth = system.name, corpus.train.labels, corpus.test.labels

    @property
    def out_of_fold(self) -> Floats:
        """Scores of the training documents, each by a classifier that has not seen it: what Scut learns from."""

        def make() -> Floats:
            self.compute(self.procedure.steps())
            return self.held_out(0, self.procedure.seed)[0]

        return self._values.get("out_of_fold", make)

    @property
    def decided(self) -> Sparse:
        """Decisions of the classifier itself on the test documents, without a threshold."""

        def make() -> Sparse:
            return sparse.csr_array(self.fitted(0).predict(self.shaped(Step(0, None)).Z), dtype=bool)

        return self._values.get("decided", make)


@dataclass(frozen=True, eq=False)
class RuleDecisions:
    """The decisions of a rule base over the categories that it has rules for; there are no scores."""

    name: str
    truth: Sparse
    decided: Sparse


def rule_decisions(base: str, corpus: Corpus) -> RuleDecisions:
    """Decide on the test documents by a rule base that comes with Rubricate."""
    text = (resources.files("rubricate.rules") / "bases" / base).read_text("utf-8")
    rules = parse_rules(text, path=base)
    run = run_rules(rules, corpus)
    own = [run.categories.index(name) for name in rules.categories]
    return RuleDecisions(base, corpus.test.labels[:, own], run.decisions.values[:, own])  # type: ignore[union-attr]


def most_common(corpus: Corpus, topics: int) -> Corpus:
    """Return the corpus with its most common categories only, by training documents; the documents stay."""
    frequency = np.asarray(corpus.train.labels.sum(axis=0)).ravel()
    kept = np.sort(np.argsort(-frequency, kind="stable")[:topics])
    categories = tuple(corpus.categories[c] for c in kept)

    def fewer(documents: Documents) -> Documents:
        labels = sparse.csr_array(documents.labels[:, kept])
        return Documents(documents.ids, documents.bodies, labels, categories, documents.titles, documents.fields)

    return Corpus(corpus.name, corpus.split, fewer(corpus.train), fewer(corpus.test), licence=corpus.licence)


def with_unlabelled(corpus: Corpus) -> Corpus:
    """Return the corpus with one category more, for the documents that have none."""
    categories = (*corpus.categories, UNLABELLED)

    def more(documents: Documents) -> Documents:
        empty = np.diff(documents.labels.indptr)[:, None] == 0
        labels = sparse.csr_array(sparse.hstack([documents.labels, sparse.csr_array(empty)]), dtype=bool)
        return Documents(documents.ids, documents.bodies, labels, categories, documents.titles, documents.fields)

    return Corpus(corpus.name, corpus.split, more(corpus.train), more(corpus.test), licence=corpus.licence)


HALVINGS = 40
PRIORS: dict[str, Literal["documents", "labels"]] = {"pcut": "labels", "shares": "documents"}
"""The two readings of Pcut, sections 4.2 and 4.3."""


def by_scut(scored: ScoredSystem) -> BreakEven:
    """Move all cuts of Scut by one offset."""
    cuts = Scut(fbr=0.1).fit(scored.out_of_fold, scored.labels).cuts_
    return break_even_point(pooled_sweep(scored.scores - cuts, scored.truth).counts)


def by_pcut(scored: ScoredSystem) -> BreakEven:
    """Find x of Pcut by halving, since the number assigned never falls as x grows."""
    low, high, tables, true = 0.0, float(scored.truth.shape[1]), list[Counts](), scored.truth.nnz
    for _ in range(HALVINGS):
        x = (low + high) / 2
        decided = Pcut(x=x, prior="labels").fit(None, scored.labels).decide(scored.scores)
        tables.append(counts(scored.truth, decided))
        if decided.nnz == true:
            break
        low, high = (x, high) if decided.nnz < true else (low, x)
    return break_even_point(family(tables))


def by_rcut(scored: ScoredSystem) -> BreakEven:
    """Assign the t best categories of each document, t = 1, 2, …, 10."""
    most = min(10, scored.truth.shape[1])
    tables = [counts(scored.truth, Rcut(t=t).decide(scored.scores)) for t in range(1, most + 1)]
    return break_even_point(family(tables))


def by_one_threshold(scored: ScoredSystem) -> BreakEven:
    """Take one threshold for all categories."""
    return break_even_point(pooled_sweep(scored.scores, scored.truth).counts)


def by_own_decisions(scored: ScoredSystem | RuleDecisions) -> BreakEven:
    """Return the mean of precision and recall of the decisions that the system makes itself; there is no parameter."""
    return break_even_point(family([counts(scored.truth, scored.decided)]))


def own_f1(scored: ScoredSystem | RuleDecisions) -> BreakEven:
    """Return F1 of the system's own decisions: no break-even point, but what is printed for C4.5."""
    return BreakEven(micro_f1(scored.truth, scored.decided), False, 0)


WAYS: dict[str, Callable[[Any], BreakEven]] = {
    "Scut": by_scut,
    "Pcut": by_pcut,
    "Rcut": by_rcut,
    "one threshold": by_one_threshold,
    "own decisions": by_own_decisions,
    "F1": own_f1,
}


def break_even(scored: ScoredSystem | RuleDecisions, way: str) -> float:
    """Return the micro break-even point on the test documents."""
    if way not in WAYS:
        raise UnknownName("way of cutting", way, WAYS)
    return WAYS[way](scored).value


def micro_f1(truth: Sparse, decided: Sparse) -> float:
    """Return micro-averaged F1."""
    return float(micro(f1, counts(truth, decided)))


def eleven_points(scored: ScoredSystem, limit: int | None = None) -> float:
    """Return 11-point average precision of the category rankings; `limit` is TR."""
    return float(mean(eleven_point(ranks(scored.scores, scored.truth), limit=limit)))


def decide(scored: ScoredSystem, cut: str, limit: int | None = None) -> Sparse:
    """Decide by `scut`, `pcut:x` (x labels per document), `shares:x` or `rcut:t`, on scores limited to TR ranks.

    `shares:x` is Pcut with shares of documents in place of shares of labels.
    """
    name, _, argument = cut.partition(":")
    if name in PRIORS:
        chosen: Pcut | Rcut | Scut = Pcut(x=float(argument), prior=PRIORS[name])
    else:
        chosen = Rcut(t=int(argument)) if name == "rcut" else Scut(fbr=0.1)
    limited = RankLimit(rank=limit or scored.truth.shape[1], cut=chosen)
    held = scored.out_of_fold if name == "scut" else None
    return limited.fit(held, scored.labels).decide(scored.scores)


VERSIONS = ("v1", "v2", "v2.2", "v3", "v4")
MANY = 1000
"""Scored systems and break-even points that are kept: all of them."""
OurFigures: TypeAlias = dict[tuple[str, str], Value]
"""Our figures by row and column."""


class VersionStudy:
    """What the tables share."""

    def __init__(self, reproduction: Reproduction, say: Say) -> None:
        self.reproduction, self.options, self.say = reproduction, reproduction.options, say
        self.drawings: list[Drawing] = []
        self._materials, self._scored, self.points = Once(MANY), Once(MANY), Once(MANY)

    def corpus(self, version: str) -> Corpus:
        """Return a version of the corpus."""
        return self.material(version)[0]

    def material(
        self, version: str, *, unlabelled: bool = False, topics: int | None = None
    ) -> tuple[Corpus, TrainingData]:
        """Return a version and its documents, read once for all systems."""

        def make() -> tuple[Corpus, TrainingData]:
            if unlabelled:
                corpus = with_unlabelled(self.corpus(version))
            elif topics is not None:
                corpus = most_common(self.corpus(version), topics)
            else:
                corpus = load(self.reproduction.corpus["name"], split=version)
            return corpus, TrainingData(corpus, test=corpus.test)

        return self._materials.get((version, unlabelled, topics), make)

    def scored(
        self, system: str, version: str, *, unlabelled: bool = False, topics: int | None = None, **changes: Any
    ) -> Any:
        """Return a system on a version; with `unlabelled`, documents without a category have one of their own.

        With `topics`, on as many of the most common categories only.
        """

        def make() -> Any:
            self.say(f"{system}, {version}" + "".join(f", {name} = {value}" for name, value in changes.items()))
            chosen = self.reproduction.systems[system].varied(**changes)
            if chosen.get("classifier") == "construe":
                return rule_decisions(chosen.get("rules"), self.corpus(version))
            corpus, material = self.material(version, unlabelled=unlabelled, topics=topics)
            return ScoredSystem(chosen, corpus, material=material)

        return self._scored.get((system, version, unlabelled, topics, *sorted(changes.items())), make)


RANKERS = ("kNN", "LLSF", "WORD")


def table_1(study: VersionStudy) -> OurFigures:
    """Count categories, documents and the share of test documents with a label."""
    figures: OurFigures = {}
    for version in VERSIONS:
        corpus = study.corpus(version)
        figures[version, "categories"] = len(corpus.categories)
        figures[version, "training documents"] = len(corpus.train)
        figures[version, "test documents"] = len(corpus.test)
        figures[version, "labelled test documents"] = labelled_share(corpus.test)
        figures[version, "labelled training documents"] = labelled_share(corpus.train)
    return figures


def labelled_share(documents: Documents) -> float:
    """Return the share of documents with a category."""
    return float(np.mean(np.diff(documents.labels.indptr) > 0))


def table_5(study: VersionStudy) -> OurFigures:
    """Measure 11-point average precision of complete rankings.

    Where a version has unlabelled documents, two readings: they have a category of their own, which is what comes
    near the published figures, and they are left out, as `eleven_point` does.
    """

    def row(version: str) -> OurFigures:
        figures: OurFigures = {}
        mixed = labelled_share(study.corpus(version).test) < 1
        for system in RANKERS:
            figures[version, system] = eleven_points(study.scored(system, version, unlabelled=mixed))
            if mixed:
                figures[version, f"{system}, unlabelled left out"] = eleven_points(study.scored(system, version))
        return figures

    return {place: value for each in run_tasks(row, VERSIONS, engine="threads") for place, value in each.items()}
