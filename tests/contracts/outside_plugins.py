"""A package outside Rubricate with one plug-in of every kind; `test_outside_plugins` installs and uses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import typer
from scipy import sparse

from rubricate.classifiers import Scorer
from rubricate.corpora import Source
from rubricate.estimation import Estimate
from rubricate.estimation.results import estimator
from rubricate.io.reader import InputFile, Reader, Record
from rubricate.labels import label_matrix
from rubricate.measures import counts, measure
from rubricate.measures.definition import ratio
from rubricate.papers.reproduction import Reproduction
from rubricate.reports.html import tag
from rubricate.reports.page import section
from rubricate.significance import significance_test
from rubricate.significance.verdict import sign, verdict
from rubricate.thresholds import Threshold
from rubricate.types import Corpus, Documents

TEXTS = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"]
LABELS = [["grain"], ["grain", "trade"], ["fuel"], ["fuel"], ["grain"], ["fuel", "trade"]]


def _documents(copies: int) -> Documents:
    labels, categories = label_matrix(LABELS * copies)
    texts = [f"{text} {i}" for i, text in enumerate(TEXTS * copies)]
    return Documents([f"d{i}" for i in range(len(texts))], texts, labels, categories)


def _read(files: Any, split: str, *, copies: int = 4) -> Corpus:
    return Corpus("ledger", split, _documents(copies), _documents(2))


ledger = Source("ledger", "ledger: six short texts, repeated", "none", ("only",), _read)


def _records(file: InputFile) -> Iterator[Record]:
    for number, line in enumerate(file.lines(), 1):
        label, text = line.rstrip("\n").split("|")
        yield Record(id=f"{file.prefix}{number}", text=text, line=number, labels=(label,))


piped = Reader(_records, suffixes=(".piped",))


def rarest(occurrences: Any, by: str | None = None) -> Any:
    """Score each term by how few documents have it."""
    return -np.bincount(occurrences.present.indices, minlength=occurrences.present.shape[1]).astype(float)


class Centroid(Scorer):
    """Score by the inner product with the sum of a category's documents."""

    def _learn(self, X: Any, labels: Any, weights: Any) -> None:
        sums = labels.T.astype(float) @ X
        self.sums_ = np.asarray(sums.todense() if sparse.issparse(sums) else sums)

    def _score(self, X: Any) -> Any:
        return np.asarray(X @ self.sums_.T)


class AboveMean(Threshold):
    """Assign a category to the documents that score at least its mean over the documents decided together."""

    needs_scores = False
    needs_labels = False
    needs_whole_set = True

    def fit(self, scores: Any = None, labels: Any = None) -> Self:
        """Learn nothing."""
        return self

    def decide(self, scores: Any) -> Any:
        """Return the decisions."""
        values = np.asarray(getattr(scores, "values", scores), float)
        return sparse.csr_array(values >= values.mean(axis=0))

    def merge(self, fitted: Any) -> Self:
        """Take over nothing."""
        return self


@measure("jaccard", "counts", "J")
def jaccard(counts: Any, *, undefined: Any = "zero") -> Any:
    """Return TP / (TP + FP + FN) of each entry."""
    return ratio(counts.tp, counts.tp + counts.fp + counts.fn, undefined)


@significance_test("volume", "volume", needs="decisions")
def volume(a: Any, b: Any) -> Any:
    """Compare how much two systems assign; never significant."""
    (_, of_a), (_, of_b) = a.labels, b.labels
    difference = of_a.nnz - of_b.nnz
    return verdict(
        "volume", statistic=difference, p_value=1.0, n=of_a.shape[0], direction=sign(difference), method="count"
    )


@estimator("resubstitution")
def resubstitution(classifier: Any, X: Any, labels: Any, *, categories: Any = None, signature: Any = None) -> Estimate:
    """Measure the classifier on the documents it learned from."""
    decided = classifier.fit(X, labels).predict(X)
    table = counts(labels, sparse.csr_array(decided))
    return Estimate("resubstitution", labels.shape[0], tuple(categories), table, bias="optimistic", spread="unknown")


def backwards(function: Any, tasks: Any) -> list[Any]:
    """Run the last task first; return the results in the order of the tasks."""
    return [function(task) for task in reversed(list(tasks))][::-1]


@section("outlook", "Seen from outside", order=999)
def outlook(results: Any) -> Any:
    """Show how many systems there are."""
    return tag("p", f"{len(results.names)} systems, seen from outside")


def greet(name: str) -> None:
    """Greet somebody."""
    typer.echo(f"hello {name}")


def tiny_2000(reproduction: Reproduction, tables: Any, say: Any) -> Any:
    """Return the one figure of the paper."""
    from rubricate.papers import reproduction as module

    results = getattr(module, "Results", None) or module.ReproductionResults
    return results({("1", "ours", "F1"): reproduction.options["answer"]})
