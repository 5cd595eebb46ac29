"""Which labels look wrong: average precision of finding documents with a swapped label, beside cleanlab.

python -m benchmarks.suspects     a Markdown table on standard output
1, 5 and 10 % of the labels are replaced by another category, drawn by frequency; SVMs are trained on the noisy labels
and score each document out of fold; both tools get the same probabilities (a logistic curve per category). cleanlab
ranks by its default, the exponential moving average of self-confidences. `large`: time and memory of 200,000 × 5,000.
"""

from __future__ import annotations

import resource
import sys
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import average_precision_score

import rubricate as rb
from benchmarks._populations import corpus
from benchmarks._timing import measure
from rubricate.folds import assign_folds, fold_scores
from rubricate.labelling.label_suspects import document_surprise
from rubricate.labelling.predictions import logit
from rubricate.labelling.quantification import category_curves, chances_by
from rubricate.types import Run, Scores


def noisy_labels(labels: Any, share: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return labels with a share of them replaced, and which documents have a replaced label."""
    dense = labels.toarray()
    rows, columns = np.nonzero(dense)
    frequency = dense.sum(axis=0) / dense.sum()
    wrong = np.zeros(len(dense), bool)
    for place in rng.choice(len(rows), int(share * len(rows)), replace=False):
        row, column = rows[place], columns[place]
        other = int(rng.choice(dense.shape[1], p=frequency))
        if dense[row, column] and not dense[row, other]:
            dense[row, column], dense[row, other] = False, True
            wrong[row] = True
    return sparse.csr_array(dense), wrong


def row(name: str, X: Any, labels: Any, share: float) -> str:
    from cleanlab.multilabel_classification import get_label_quality_scores

    noisy, wrong = noisy_labels(labels, share, np.random.default_rng(0))
    scores = fold_scores(rb.SVM(), X, noisy, folds=assign_folds(noisy, 5), engine="serial")
    given = noisy.toarray().astype(float)
    chances = np.clip(chances_by(category_curves(scores, given), scores), 1e-6, 1 - 1e-6)
    ids, names = tuple(map(str, range(len(scores)))), tuple(map(str, range(labels.shape[1])))
    run = Run("out of fold", ids, names, Scores(logit(chances), names, ids), None, noisy)
    seconds, ours = measure(lambda: document_surprise(run))
    listed = [np.flatnonzero(cells).tolist() for cells in given]
    peer_s, peer = measure(lambda: get_label_quality_scores(listed, chances))
    values = [average_precision_score(wrong, ranking) for ranking in (ours, -peer)]
    return (
        f"| {name} | {share:.0%} | {wrong.sum()} | {values[0]:.3f} | {values[1]:.3f} | {seconds:.2f} | {peer_s:.2f} |"
    )


def large() -> str:
    rng = np.random.default_rng(0)
    documents, categories, stored = 200_000, 5_000, 20
    columns = rng.integers(0, categories, (documents, stored))
    scores = rng.random(columns.shape)
    starts = np.arange(0, documents * stored + 1, stored)
    matrix = sparse.csr_array((scores.ravel(), columns.ravel(), starts), shape=(documents, categories))
    matrix.sum_duplicates()
    truth = sparse.csr_array(matrix > 0.93)
    names, ids = tuple(map(str, range(categories))), tuple(map(str, range(documents)))
    seconds, _ = measure(lambda: document_surprise(Run("run", ids, names, Scores(matrix, names, ids), None, truth)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return f"200,000 × 5,000 with 20 scores per document: {seconds:.1f} s, {peak:.1f} GB at most"


def main() -> None:
    if sys.argv[1:] == ["large"]:
        print(large())
        return
    print("| corpus | swapped | documents | ours | cleanlab | ours (s) | cleanlab (s) |\n|---|--:|--:|--:|--:|--:|--:|")
    for name in sys.argv[1:] or ("newswire", "reuters"):
        if name == "newswire":
            train = rb.load("newswire", documents=3000).train
            texts, labels = train.texts, train.labels
        else:
            (texts, labels), _, _ = corpus("reuters")
        X = rb.text.Vectors(weights="ltc").fit_transform(texts)
        for share in (0.01, 0.05, 0.1):
            print(row(name, X, labels, share), flush=True)


if __name__ == "__main__":
    main()
