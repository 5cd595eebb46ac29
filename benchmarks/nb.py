"""nb: naive Bayes of the 90 categories of ApteMod, each against the rest: fit, and posteriors of the test documents.

The same result: posteriors equal to 1e-8. The peer runs one category after the other, or on threads.
"""

from __future__ import annotations

import numpy as np
from joblib import parallel_config
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

import rubricate as rb
from benchmarks._timing import Row, publish, side_by_side


def compare(corpus, X, new, model, peer, *, work, threads) -> Row:
    labels = corpus.train.labels

    def ours():
        return rb.NB(model, against="rest").fit(X, labels).predict_proba(new)

    def theirs():
        with parallel_config("threading", n_jobs=threads):
            return OneVsRestClassifier(peer(), n_jobs=threads).fit(X, labels).predict_proba(new)

    return side_by_side(
        ours, theirs, id="nb" if model == "multinomial" else f"nb-{model}", work=work, threads=threads,
        peer_name=f"scikit-learn OneVsRest({peer.__name__})",
        same=lambda a, b: np.allclose(a, b, rtol=1e-8, atol=1e-14),
    )  # fmt: skip


def rows() -> list[Row]:
    corpus = rb.load("reuters21578", split="aptemod")
    found = []
    for name, select in (("all terms", None), ("2,415 terms", "chi2:2415")):
        flow = rb.text.Vectors(weights="nnn", select=select)
        X, new = flow.fit_transform(corpus.train), flow.transform(corpus.test)
        for model, peer in (("multinomial", MultinomialNB), ("bernoulli", BernoulliNB)):
            for threads in (1, 2):
                work = f"{model} NB, 90 categories, {name}: fit and score {new.shape[0]} documents"
                found.append(compare(corpus, X, new, model, peer, work=work, threads=threads))
    return found


if __name__ == "__main__":
    publish(rows(), __doc__ or "")
