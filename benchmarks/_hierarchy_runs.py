"""Flat, top-down, tolerant and the rest on real corpora: `python -m benchmarks._hierarchy_runs [corpus …]`.

Vectors ltc, linear SVMs with C = 2 in all, natural cuts (the best category where each document has one). Prints two
Markdown tables. The first has micro- and macro-F1; hP, hR and hF (labels with all nodes above them, the root left
out); extended F1 by distance (acceptable: 2 links) and by similarity (union vectors of the training documents), both
micro-averages; LCaF, the mean over documents; the mean links from a wrongly assigned category to the nearest right
one; seconds to fit and to decide, one thread. The second tests flat against top-down against tolerant: permutation
tests on hF and LCaF by document and on the extended F1 by category, corrected over the pairs (Holm).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import rubricate as rb
from benchmarks._timing import measure
from rubricate.measures import Evaluation, category_similarity
from rubricate.types import Corpus, Decisions, Run

CORPORA: dict[str, dict[str, Any]] = {"newswire": {}, "wikivitals": {"split": "own"}, "newsgroups20": {}}
HEAD = (
    "corpus | system | micro-F1 | macro-F1 | hP | hR | hF | ext. distance | ext. similarity | LCaF | links off | "
    "fit, s | decide, s"
)
TESTED = ("flat", "TopDown", "Tolerant")
MEASURES = ("hierarchical_f1", "lca_f1", "extended_f1", "similarity.extended_f1")


def dotted(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the tree of names such as comp.sys.mac.hardware."""
    paths = [[".".join(name.split(".")[: k + 1]) for k in range(name.count(".") + 1)] for name in names]
    return sorted({pair for path in paths for pair in pairwise(path)})


def run_of(name: str, corpus: Corpus, decided: Any) -> Run:
    ids, categories = tuple(map(str, corpus.test.ids)), corpus.categories
    return Run(name, ids, categories, decisions=Decisions(decided, categories, ids), truth=corpus.test.labels)


def links_off(found: Evaluation) -> float:
    far = found.hierarchy.far.assigned
    return float(np.average(np.arange(len(far)), weights=far)) if sum(far) else 0.0


def row(found: Evaluation) -> list[float]:
    known = found.hierarchy
    sets = [known.micro["ancestors"][f"hierarchical_{name}"] for name in ("precision", "recall", "f1")]
    near = [known.micro[kind]["extended_f1"] for kind in ("distance", "similarity")]
    return [found.micro["f1"], found.macro["f1"], *sets, *near, known.macro["lca"]["lca_f1"], links_off(found)]


def systems_of(corpus: Corpus, edges: Any) -> dict[str, Any]:
    base, options = rb.SVM(C=2.0, bias="penalised"), {"taxonomy": edges, "categories": corpus.categories}
    kinds = (
        rb.classifiers.TopDown,
        rb.classifiers.Local,
        rb.classifiers.Tolerant,
        rb.classifiers.BigBang,
        rb.classifiers.Proximity,
    )
    return {"flat": base} | {kind.__name__: kind(base, **options) for kind in kinds}


def compare(name: str) -> tuple[list[str], list[str]]:
    """Return the lines of both tables."""
    corpus = rb.load(name, **CORPORA[name])
    edges = corpus.taxonomy or dotted(corpus.categories)
    flow = rb.text.Vectors()
    X, new = flow.fit_transform(corpus.train), flow.transform(corpus.test)
    near = category_similarity(X, corpus.train.labels, corpus.categories)
    single = bool((np.diff(corpus.train.labels.indptr) == 1).all())
    best = rb.thresholds.Rcut(t=1).fit(None, corpus.train.labels)
    lines, runs = [], []
    for label, model in systems_of(corpus, edges).items():
        fit, _ = measure(lambda model=model: model.fit(X, corpus.train.labels))
        ask = (lambda model=model: best.decide(model.decision_function(new))) if single else (
            lambda model=model: model.predict(new))  # fmt: skip
        decide, decided = measure(ask)
        runs.append(run_of(label, corpus, decided))
        found = rb.evaluate(runs[-1], hierarchy=edges, similarity=near)
        figures = [*(f"{one:.3f}" for one in row(found)), f"{fit:.2f}", f"{decide:.2f}"]
        lines.append(" | ".join([name, label, *figures]))
    tested = [one for one in runs if one.name in TESTED]
    asked = [f"hierarchical_permutation:{one}" for one in MEASURES]
    results = rb.compare(tested, tests=asked, hierarchy=edges, similarity=near).results
    return lines, _p_values(name, results)


def _p_values(name: str, results: Sequence[Any]) -> list[str]:
    """Return one line per pair: for each measure the better system and the corrected p-value."""
    pairs: dict[tuple[str, str], dict[str, str]] = {}
    for one in results:
        better = {"a": one.a, "b": one.b}.get(one.better, "–")
        pairs.setdefault((one.a, one.b), {})[one.measure] = f"{better} {one.adjusted_p:.1g}"
    return [" | ".join([name, f"{a}, {b}", *(found[one] for one in MEASURES)]) for (a, b), found in pairs.items()]


def main() -> None:
    with threadpool_limits(limits=1):
        parts = [compare(each) for each in sys.argv[1:] or CORPORA]
    pairs = "corpus | pair | hF | LCaF | extended F1, distance | extended F1, similarity"
    for head, place in ((HEAD, 0), (pairs, 1)):
        print(f"| {head} |\n|{'---|' * (head.count('|') + 1)}")
        print("\n".join(f"| {line} |" for part in parts for line in part[place]), end="\n\n")


if __name__ == "__main__":
    main()
