"""Learning on with new categories: what it costs beside training on all documents at once.

python -m benchmarks.learning_on          two Markdown tables on standard output; not a timing

One label each: banking77, trained on 60 of its 77 intents, drawn at random, then updated with the training questions of
the other 17; accuracy on the test questions. Several labels: a fifth of the categories with 10 documents or more comes
later, four times, drawn at random, on training documents alone (four fifths to learn from, one fifth to judge by); F1
of the new categories at the cut that `update` expects, at the median of the known cuts, and of a model trained at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import rubricate as rb
from benchmarks.strangers import corpus_named
from rubricate.folds import assign_folds
from rubricate.measures import counts, macro, micro
from rubricate.types import Documents

CLASSIFIERS = ("nb", "knn", "rocchio", "experts")
CORPORA = {"reuters21578": 3000, "goemotions": 4000, "newswire": 2500}
"""Training documents of each corpus that are looked at."""
DRAWS = 4


def parted(documents: Documents, late: Any) -> tuple[Documents, Documents]:
    """Return the documents without a late category, and those with one."""
    has = (documents.labels.astype(float) @ late.astype(float)) > 0
    return documents.take(np.flatnonzero(~has)), documents.take(np.flatnonzero(has))


def banking() -> None:
    corpus = corpus_named("banking77")
    late = np.zeros(77, bool)
    late[np.random.default_rng(0).choice(77, 17, replace=False)] = True
    first, rest = parted(corpus.train, late)
    print("| classifier | 60 intents, then 17 | all at once | the 17: later | at once |\n|---|--:|--:|--:|--:|")
    for name in CLASSIFIERS:
        models = rb.Categorizer(name, folds=0).fit(first).update(rest), rb.Categorizer(name, folds=0).fit(corpus.train)
        own = late[corpus.test.labels.indices]
        right = [_right(model.run(corpus.test)) for model in models]
        shown = [f"{each.mean():.4f}"[1:] for each in right] + [f"{each[own].mean():.4f}"[1:] for each in right]
        print(f"| {name} | {' | '.join(shown)} |", flush=True)


def _right(run: Any) -> Any:
    return np.diff(run.decisions.values.multiply(run.truth).tocsr().indptr) > 0


def several(name: str) -> None:
    corpus = rb.load(name) if name == "newswire" else corpus_named(name)
    for classifier in CLASSIFIERS:
        drawn = np.mean([_draw(corpus.train, classifier, CORPORA[name], seed) for seed in range(DRAWS)], axis=0)
        print(f"| {name} | {classifier} | {' | '.join(f'{value:.3f}'[1:] for value in drawn)} |", flush=True)


def _draw(documents: Documents, classifier: str, size: int, seed: int) -> list[float]:
    """Return micro- and macro-F1 of the new categories at expected cuts, at the median, and of a model of all."""
    rng = np.random.default_rng(seed)
    documents = documents.take(np.sort(rng.permutation(len(documents))[:size]))
    folds = assign_folds(documents.labels, 5, seed=seed)
    train, test = (documents.take(np.flatnonzero(held)) for held in (folds != 0, folds == 0))
    enough = np.flatnonzero(np.bincount(train.labels.indices, minlength=len(train.categories)) >= 10)
    late = np.zeros(len(train.categories), bool)
    late[rng.choice(enough, max(1, len(enough) // 5), replace=False)] = True
    first, rest = parted(train, late)
    model = rb.Categorizer(classifier).fit(first)
    known = model.cut_.cuts_[model.train_counts_ > 0]
    new = [name for name, own in zip(train.categories, late, strict=True) if own]
    values = _f1(model.update(rest), test, new)
    model.cut_.cuts_[[model.categories_.index(name) for name in new]] = np.median(known[np.isfinite(known)])
    return values + _f1(model, test, new) + _f1(rb.Categorizer(classifier).fit(train), test, new)


def _f1(model: Any, test: Documents, names: list[str]) -> list[float]:
    run = model.run(test)
    columns = [run.categories.index(name) for name in names]
    table = counts(run.truth[:, columns], run.decisions.values[:, columns])
    return [micro("f1", table), macro("f1", table)]


def main() -> None:
    banking()
    print("\n| documents | classifier | expected cut | | median cut | | at once | |\n|---|---|--:|--:|--:|--:|--:|--:|")
    for name in CORPORA:
        several(name)


if __name__ == "__main__":
    main()
