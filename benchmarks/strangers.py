"""The default and the fixed representations beside ten lines of scikit-learn, on every corpus at hand.

python -m benchmarks.strangers [CORPUS …] [--fixed] [--json]

Test documents are scored once by each system; everything is chosen on training documents. `same_result` is true where
the default is not below the better of the two peers by more than .005 in micro- or macro-F1. Times include choosing C
(ours: the representation and C, five folds; peers: C among .25, 1, 4, three folds). --fixed adds our fixed
representations; fastText takes part where it is installed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

import rubricate as rb
from benchmarks._timing import Row, publish
from rubricate.measures import counts, macro, micro
from rubricate.types import Corpus, Sparse

CORPORA = ("banking77", "goemotions", "webkb", "newswire", "ohsumed", "reuters21578", "newsgroups20")
FIXED = ("terms", "words", "characters", "mixed")
SLACK = 0.005
COSTS = [0.25, 1.0, 4.0]


def corpus_named(name: str) -> Corpus:
    """Load a corpus by name, or train.csv and test.csv of a folder of this name among the data."""
    folder = Path(os.environ.get("RUBRICATE_DATA", ".")) / name
    if (folder / "train.csv").is_file():
        return rb.load(folder / "train.csv", test=folder / "test.csv")
    return rb.load(name)


def ours(corpus: Corpus, **options: Any) -> tuple[Sparse, str]:
    """Return the decisions of our categorizer on the test documents, and what it chose and expected."""
    model = rb.Categorizer(**options).fit(corpus)
    expected = model.cross_validation_
    chosen = (model.screening_ or {}).get("chosen", options.get("representation"))
    said = f"{chosen}, cross-validated {expected['micro_f1']:.4f} / {expected['macro_f1']:.4f}"
    run = model.run(corpus.test)
    return run.decisions.values[:, : len(corpus.categories)], said


def peer(corpus: Corpus, vectorizer: Any) -> tuple[Sparse, str]:
    """Return the decisions of scikit-learn's linear SVM: the best class, or all above zero."""
    single = bool(np.all(np.diff(corpus.train.labels.indptr) == 1))
    svm = LinearSVC() if single else OneVsRestClassifier(LinearSVC())
    y = corpus.train.labels.indices if single else corpus.train.labels.astype(int)
    prefix = "linearsvc__C" if single else "onevsrestclassifier__estimator__C"
    scoring = "accuracy" if single else "f1_micro"
    search = GridSearchCV(make_pipeline(vectorizer, svm), {prefix: COSTS}, cv=3, scoring=scoring)
    found = search.fit(list(corpus.train.texts), y).predict(list(corpus.test.texts))
    if not single:
        return sparse.csr_array(found, dtype=bool), f"C={search.best_params_[prefix]:g}"
    flags = np.zeros(corpus.test.labels.shape, bool)
    flags[np.arange(len(found)), found] = True
    return sparse.csr_array(flags), f"C={search.best_params_[prefix]:g}"


def words() -> Any:
    return TfidfVectorizer(sublinear_tf=True)


def words_and_characters() -> Any:
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True, min_df=2)
    return make_union(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), characters)


def figures(name: str, corpus: Corpus, system: Callable[[], tuple[Sparse, str]]) -> dict[str, Any]:
    """Run a system once; return its micro- and macro-F1 on the test documents and its seconds."""
    began = time.perf_counter()
    decided, said = system()
    seconds = time.perf_counter() - began
    table = counts(corpus.test.labels, decided)
    result = {"name": name, "micro": micro("f1", table), "macro": macro("f1", table), "seconds": seconds}
    shown = f"{result['micro']:.4f} / {result['macro']:.4f}"
    print(f"{corpus.name:14} {name:24} {shown}  {seconds:7.1f} s  {said}", file=sys.stderr, flush=True)
    return result | {"shown": shown}


def compare(name: str, *, fixed: bool) -> Row:
    """Return the row of a corpus."""
    corpus = corpus_named(name)
    default = figures("default", corpus, lambda: ours(corpus))
    if fixed:
        for each in FIXED:
            figures(each, corpus, lambda each=each: ours(corpus, representation=each))
    peers = [
        figures("words + LinearSVC", corpus, lambda: peer(corpus, words())),
        figures("words, characters + LinearSVC", corpus, lambda: peer(corpus, words_and_characters())),
    ]
    best = max(peers, key=lambda each: each["micro"])
    level = all(default[average] >= each[average] - SLACK for each in peers for average in ("micro", "macro"))
    work = f"{name}: default {default['shown']}, peer {best['shown']}"
    ratio = best["seconds"] / default["seconds"]
    return Row(
        f"strangers-{name}", work, f"scikit-learn, {best['name']}", default["seconds"], best["seconds"], ratio, level, 2
    )


def rows(names: list[str], *, fixed: bool) -> Iterator[Row]:
    for name in names:
        yield compare(name, fixed=fixed)


if __name__ == "__main__":
    wanted = [each for each in sys.argv[1:] if not each.startswith("-")] or list(CORPORA)
    with_fixed = "--fixed" in sys.argv
    sys.argv = [sys.argv[0], *(each for each in sys.argv[1:] if each == "--json")]
    publish(list(rows(wanted, fixed=with_fixed)), __doc__ or "")
