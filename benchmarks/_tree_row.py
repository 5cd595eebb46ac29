"""tree: decision trees of the 90 categories of ApteMod, one per category: fit, and probabilities of the test documents.

Both get the same documents and the same 1,000 words. Ours is C4.5 with pruning; the peer grows by entropy with the same
two documents a leaf, on the sparse matrix in the order of columns that it likes best, and does not prune.
The same result: micro-F1 on the test documents not lower than the peer's.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.tree import DecisionTreeClassifier

import rubricate as rb
from benchmarks._timing import Row, publish, side_by_side
from rubricate.measures import counts, micro


def tree_row(*, repeats: int = 3) -> Row:
    """Return the row `tree` of `benchmarks/rules.py`."""
    corpus = rb.load("reuters21578", split="aptemod")
    vectors = rb.text.Vectors(weights="bnn", min_df=2, select="chi2:1000")
    X, new, labels = vectors.fit_transform(corpus.train), vectors.transform(corpus.test), corpus.train.labels
    columns, queries = X.tocsc().astype(np.float32), new.tocsr().astype(np.float32)
    peer = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)

    def ours():
        return rb.classifiers.DTree().fit(X, labels).decision_function(new)

    def theirs():
        return OneVsRestClassifier(peer).fit(columns, labels).predict_proba(queries)

    def f1(scores):
        return micro("f1", counts(corpus.test.labels, sparse.csr_array(scores > 0.5)))

    return side_by_side(
        ours, theirs, id="tree", repeats=repeats, peer_name="scikit-learn OneVsRest(DecisionTreeClassifier)",
        work=f"a tree for each of 90 categories, 1,000 words: fit {X.shape[0]} and score {new.shape[0]} documents",
        same=lambda a, b: f1(a) >= f1(b),
    )  # fmt: skip


if __name__ == "__main__":
    publish([tree_row()], __doc__ or "")
