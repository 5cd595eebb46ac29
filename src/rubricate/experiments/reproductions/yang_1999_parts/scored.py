"""What the tables read of a system on one version of the corpus, and versions with a category for the unlabelled."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import numpy as np
from scipy import sparse

from rubricate.experiments.systems import PaperSystem, SystemExecution
from rubricate.rules.parser import parse_rules
from rubricate.training.material import Material
from rubricate.training.procedure import Step
from rubricate.training.rule_models import run_rules
from rubricate.types import Corpus, Documents, Floats, Sparse

__all__ = ["RuleDecisions", "ScoredSystem", "most_common", "rule_decisions", "with_unlabelled"]

UNLABELLED = "unlabelled"


class ScoredSystem(SystemExecution):
    """A system trained on the training documents; what is not asked for is not computed.

    Vectors and selection come from all training documents, a preprocessing as in the paper.
    """

    def __init__(self, system: PaperSystem, corpus: Corpus, *, material: Material | None = None) -> None:
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
