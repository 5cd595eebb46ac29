"""Flat, top-down, tolerant and the rest on real corpora: `python -m benchmarks._hierarchy_runs [corpus …]`.

Vectors ltc, linear SVMs with C = 2 in all, natural cuts (the best category where each document has one). Columns:
micro-F1, macro-F1, hierarchical F1 (labels with all nodes above them, the root left out), seconds to fit and decide.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

import rubricate as rb
from benchmarks._timing import measure
from rubricate.hierarchy import Hierarchy
from rubricate.measures import counts, macro, micro

CORPORA = {"newswire": {}, "wikivitals": {"split": "own"}, "newsgroups20": {}}


def dotted(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """The tree of names such as comp.sys.mac.hardware."""
    paths = [[".".join(name.split(".")[: k + 1]) for k in range(name.count(".") + 1)] for name in names]
    return sorted({pair for path in paths for pair in pairwise(path)})


def hierarchical_f1(tree: Hierarchy, names: tuple[str, ...], truth: Any, decided: Any) -> float:
    above = sparse.csr_array(tree.coverage_matrix().T)[[tree.index(name) for name in names]]
    above = sparse.csr_array(above[:, 1:], dtype=np.int64)
    a, b = (sparse.csr_array(one, dtype=np.int64) @ above > 0 for one in (truth, decided))
    return float(2 * a.multiply(b).sum() / (a.sum() + b.sum()))


def run(name: str) -> None:
    corpus = rb.load(name, **CORPORA[name])
    edges = corpus.taxonomy or dotted(corpus.categories)
    tree = Hierarchy.from_edges(edges)
    flow, base = rb.Vectors(), rb.SVM(C=2.0, bias="penalised")
    X, new, truth = flow.fit_transform(corpus.train), flow.transform(corpus.test), corpus.test.labels
    single = bool((np.diff(corpus.train.labels.indptr) == 1).all())
    best = rb.Rcut(t=1).fit(None, corpus.train.labels)
    options: dict[str, Any] = {"taxonomy": edges, "categories": corpus.categories}
    systems = {"flat": base} | {kind.__name__: kind(base, **options) for kind in
               (rb.TopDown, rb.Local, rb.Tolerant, rb.BigBang, rb.Proximity)}  # fmt: skip
    for label, model in systems.items():
        fit, _ = measure(lambda model=model: model.fit(X, corpus.train.labels))
        ask = (lambda model=model: best.decide(model.decision_function(new))) if single else (
            lambda model=model: model.predict(new))  # fmt: skip
        decide, decided = measure(ask)
        table, hf = counts(truth, decided), hierarchical_f1(tree, corpus.categories, truth, decided)
        figures = (micro("f1", table), macro("f1", table), hf)
        print(f"| {name} | {label} | " + " | ".join(f"{one:.3f}" for one in figures) + f" | {fit:.2f} | {decide:.2f} |")


if __name__ == "__main__":
    for each in sys.argv[1:] or CORPORA:
        run(each)
