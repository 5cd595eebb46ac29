"""Documents that belong nowhere: how well models tell them from those of their categories, beside scikit-learn.

python -m benchmarks.outside [--json]

The training questions of banking77, five times: a fifth of the 77 intents is left out of the training, and its
questions are outside; of the other intents a fifth of the questions is kept for testing. AUROC is of inside against
outside; accuracy at 90 % is the share of inside questions that get the right intent where the floor refuses nine of ten
questions outside. Ours: the chance of the best category (`Categorizer.familiarity` orders documents by it); the peer:
the best score of `LinearSVC` on words and characters. `same_result` is true where ours is not below the peer in either.
The test questions of banking77 are not touched.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

import rubricate as rb
from benchmarks._stranger_peers import words_and_characters
from benchmarks._timing import Row, publish
from benchmarks.strangers import corpus_named

GROUPS = 5
REFUSED = 0.9


def ours(texts: list[str], classes: Any, inside: list[str], outside: list[str]) -> tuple[Any, Any, Any]:
    """Return the best class of documents inside, and the chance of the best class inside and outside."""
    model = rb.Categorizer(rb.SVM(C=4.0), representation="mixed", folds=3).fit(texts, classes)
    chances, strange = model.predict_proba(inside), model.predict_proba(outside)
    return model.classes_[np.argmax(chances, axis=1)], chances.max(axis=1), strange.max(axis=1)


def peer(texts: list[str], classes: Any, inside: list[str], outside: list[str]) -> tuple[Any, Any, Any]:
    """Return the best class of documents inside, and the best score inside and outside."""
    vectors = words_and_characters()
    machine = LinearSVC(C=1.0).fit(vectors.fit_transform(texts), classes)
    scores, strange = (machine.decision_function(vectors.transform(each)) for each in (inside, outside))
    return machine.classes_[np.argmax(scores, axis=1)], scores.max(axis=1), strange.max(axis=1)


def judged(system: Any, corpus: Any, group: int) -> dict[str, float]:
    """Return accuracy, AUROC, accuracy at 90 % refused, and seconds, with one group of intents left out."""
    texts, y = np.array(list(corpus.train.texts), dtype=object), corpus.train.labels.indices
    rng = np.random.default_rng(0)
    left_out = rng.permutation(len(corpus.categories)) % GROUPS == group
    held, outside = rng.permutation(len(y)) % GROUPS == group, left_out[y]
    kept, tested = ~outside & ~held, ~outside & held
    began = time.perf_counter()
    best, near, far = system(list(texts[kept]), y[kept], list(texts[tested]), list(texts[outside]))
    right = best == y[tested]
    truth = np.r_[np.ones(len(near)), np.zeros(len(far))]
    return {
        "accuracy": float(right.mean()),
        "auroc": float(roc_auc_score(truth, np.r_[near, far])),
        "at_90": float(np.mean(right & (near > np.quantile(far, REFUSED)))),
        "seconds": time.perf_counter() - began,
    }


def main() -> None:
    corpus = corpus_named("banking77")
    means = []
    for name, system in (("ours", ours), ("LinearSVC", peer)):
        every = [judged(system, corpus, group) for group in range(GROUPS)]
        means.append({key: float(np.mean([each[key] for each in every])) for key in every[0]})
        print(f"{name:10} {means[-1]}", file=sys.stderr, flush=True)
    mine, theirs = means
    shown = "accuracy {accuracy:.4f}, AUROC {auroc:.4f}, accuracy at 90 % refused {at_90:.4f}"
    work = (
        f"banking77, five times a fifth of the intents outside: {shown.format(**mine)}; peer: {shown.format(**theirs)}"
    )
    level = mine["auroc"] >= theirs["auroc"] and mine["at_90"] >= theirs["at_90"]
    ratio = theirs["seconds"] / mine["seconds"]
    row = Row(
        "outside-banking77", work, "words, characters + LinearSVC", mine["seconds"], theirs["seconds"], ratio, level, 1
    )
    publish([row], __doc__ or "")


if __name__ == "__main__":
    main()
