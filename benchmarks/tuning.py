"""tune: the choice of parameters by five-fold cross-validation, against scikit-learn's GridSearchCV over the same
categorizer, candidates and folds, on the embedded corpus; our store is empty at the start of each call.

The same result: the same choice. GridSearchCV averages the micro-F1 of the folds, ours is that of all decisions.
With a cut that learns from scores, GridSearchCV trains five folds within each fold; ours serves both with one set.
`tune-greedy` has the parameters, order and kind of candidates of yang1999, table 3: FT, TW, k, rank; ours searches
greedily in two rounds (one round ends at the second best of 81, micro-F1 .7279 for .7305), GridSearchCV the whole grid.
"""

from __future__ import annotations

import math
import tempfile

from joblib import parallel_config
from sklearn.model_selection import GridSearchCV, PredefinedSplit

import rubricate as rb
from benchmarks._timing import Row, publish, side_by_side
from rubricate.experiments.store import Store
from rubricate.experiments.tuning import tune
from rubricate.folds import assign_folds

THREADS = 2
FIXED = {"k": [5, 15, 45], "select": ["chi2:2000", "chi2:500"], "cut": ["rcut:1", "rcut:2"]}
GREEDY = {
    "select": ["chi2:500", "chi2:1000", "chi2:2000"],
    "weights": ["ltc", "atc", "ntc"],
    "k": [30, 45, 65],
    "cut": ["rcut:1", "rcut:2", "rcut:3"],
}
LEARNED = {"k": [5, 15, 45], "select": ["chi2:2000", "chi2:500"], "cut": ["scut:0.1", "scut:0.3"]}


def compare(corpus, grid, *, id, greedy, folds) -> Row:
    fold_ids = assign_folds(corpus.train.labels, 5, seed=0)
    labels = [{corpus.categories[c] for c in row} for row in _rows(corpus.train.labels)]
    named = {("classifier__k" if name == "k" else name): values for name, values in grid.items()}

    def ours():
        with tempfile.TemporaryDirectory() as folder:
            found = tune(corpus, grid, settings={"classifier": "knn"}, greedy=greedy, passes=2, store=Store(folder))
        return tuple(found.best.values.values())

    def theirs():
        model = rb.Categorizer(rb.KNN(), folds=folds, engine="serial")
        with parallel_config("threading", n_jobs=THREADS):
            search = GridSearchCV(model, named, cv=PredefinedSplit(fold_ids), n_jobs=THREADS, refit=True)
            search.fit(list(corpus.train.texts), labels)
        return tuple(search.best_params_[name] for name in named)

    how, every = "greedy" if greedy else "all", math.prod(map(len, grid.values()))
    work = f"kNN, {how} of {every} combinations, {len(corpus.train):,} documents, cuts {', '.join(grid['cut'])}"
    return side_by_side(
        ours, theirs, id=id, work=work, peer_name="scikit-learn GridSearchCV", same=lambda a, b: a == b,
        threads=THREADS, repeats=1,
    )  # fmt: skip


def _rows(labels):
    return (labels.indices[labels.indptr[i] : labels.indptr[i + 1]] for i in range(labels.shape[0]))


def rows() -> list[Row]:
    corpus = rb.load("newswire", documents=1500)
    return [
        compare(corpus, FIXED, id="tune-grid", greedy=False, folds=0),
        compare(corpus, GREEDY, id="tune-greedy", greedy=True, folds=0),
        compare(corpus, LEARNED, id="tune-grid-scut", greedy=False, folds=5),
    ]


if __name__ == "__main__":
    publish(rows(), __doc__ or "")
