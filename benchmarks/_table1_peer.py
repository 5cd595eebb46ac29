"""Table 1 of Yang and Liu 1999 assembled from scikit-learn: the steps of `table1.py` with its own parts.

CountVectorizer with the same tokens, stop words and stemmer; chi-square of presence by category with `chi2`, joined by
maximum or weighted mean; TfidfTransformer; OneVsRest(LinearSVC), NearestNeighbors(brute, cosine), TruncatedSVD(arpack)
with least squares, OneVsRest(MultinomialNB), MLPClassifier; thresholds from precision_recall_curve.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import Stemmer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import chi2
from sklearn.metrics import f1_score, precision_recall_curve
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import NearestNeighbors
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC

from rubricate.folds import assign_folds
from rubricate.text.stop_lists import stop_words
from rubricate.types import Corpus, Documents


def analyzer() -> Callable[[str], list[str]]:
    """Analyse text as `Analyzer()` does: two or more letters, no stop words, Porter's stemmer."""
    stem, stop = Stemmer.Stemmer("porter"), stop_words("smart")
    tokens = CountVectorizer(token_pattern=r"[a-z]{2,}").build_analyzer()
    return lambda text: stem.stemWords([word for word in tokens(text) if word not in stop])


class Peer:
    """The corpus as scikit-learn sees it, and one method per row of the table."""

    def __init__(self, corpus: Corpus) -> None:
        self.train, self.test = corpus.train, corpus.test
        self.Y = corpus.train.labels.toarray().astype(np.int64)
        self.folds = assign_folds(corpus.train.labels, 5, seed=0)
        self.thirds = assign_folds(corpus.train.labels, 3, seed=0)

    def table(self) -> dict[str, Any]:
        """Return the decisions of every row."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {"SVM": self.svm(), "kNN": self.knn(), "LLSF": self.llsf(), "NNet": self.nnet(), "NB": self.nb()}

    def vectors(self, terms: int, by: str, *, weigh: bool = True) -> tuple[Any, Any]:
        """Return counts, selection and weights of the training and test documents."""
        counter = CountVectorizer(analyzer=analyzer())
        A, B = counter.fit_transform(_texts(self.train)), counter.transform(_texts(self.test))
        scores = np.array([_two_sided(A > 0, y) for y in self.Y.T])
        joined = np.max(scores, axis=0) if by == "max" else self.Y.mean(axis=0) @ scores
        chosen = np.sort(np.argsort(-joined, kind="stable")[:terms])
        A, B = A[:, chosen], B[:, chosen]
        if not weigh:
            return A, B
        tfidf = TfidfTransformer(sublinear_tf=True, smooth_idf=False).fit(A)
        tfidf.idf_ = tfidf.idf_ - 1.0
        return tfidf.transform(A), tfidf.transform(B)

    def svm(self) -> Any:
        A, B = self.vectors(10_000, "max")
        model = OneVsRestClassifier(LinearSVC(C=100.0, loss="hinge", max_iter=20_000, tol=1e-3)).fit(A, self.Y)
        return model.decision_function(B) >= 0

    def knn(self) -> Any:
        A, B = self.vectors(2415, "max")
        return self._cut(_neighbours, A, B, held="folds", fbr=0.7, infinite=False)

    def llsf(self) -> Any:
        A, B = self.vectors(2415, "avg")
        return self._cut(_least_squares, A, B, held="third", fbr=0.1, infinite=True)

    def nb(self) -> Any:
        A, B = self.vectors(2000, "avg", weigh=False)
        return self._cut(_bayes, A, B, held="folds", fbr=0.3, infinite=True)

    def nnet(self) -> Any:
        A, B = self.vectors(1000, "max")
        return self._cut(_network, A, B, held="third", fbr=0.7, infinite=True)

    def _cut(self, fit: Any, A: Any, B: Any, *, held: str, fbr: float, infinite: bool) -> Any:
        score = fit(A, self.Y)
        parts = self.folds if held == "folds" else self.thirds
        out = [(np.flatnonzero(parts == k), np.flatnonzero(parts != k)) for k in np.unique(parts)]
        scores = [(rows, fit(A[kept], self.Y[kept])(A[rows])) for rows, kept in (out if held == "folds" else out[:1])]
        rows, unseen = np.concatenate([r for r, _ in scores]), np.vstack([s for _, s in scores])
        cuts = [_best_cut(unseen[:, c], self.Y[rows, c], fbr, infinite) for c in range(self.Y.shape[1])]
        return score(B) >= np.array(cuts)


def _texts(documents: Documents) -> list[str]:
    return list(documents.texts)


def _two_sided(present: Any, y: Any) -> Any:
    """Compute χ² of presence and absence of a term with a category: that of presence over the share of absence."""
    absent = 1.0 - np.asarray(present.mean(axis=0)).ravel()
    return np.nan_to_num(chi2(present, y)[0] / np.where(absent > 0, absent, 1.0))


def _best_cut(scores: Any, y: Any, fbr: float, infinite: bool) -> float:
    """Return the cut with the best F1 by precision_recall_curve, or none where that F1 is below `fbr`."""
    none = np.inf if infinite else np.nextafter(scores.max(), np.inf)
    if not y.any():
        return none
    precision, recall, cuts = precision_recall_curve(y, scores)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    best = int(np.argmax(f1[:-1]))
    below = scores[scores < cuts[best]]
    return none if f1[best] < fbr else float((cuts[best] + below.max()) / 2 if len(below) else cuts[best])


def _neighbours(A: Any, Y: Any) -> Callable[[Any], Any]:
    index = NearestNeighbors(n_neighbors=45, metric="cosine", algorithm="brute").fit(A)

    def score(B: Any) -> Any:
        apart, found = index.kneighbors(B)
        return np.einsum("ik,ikc->ic", 1.0 - apart, Y[found].astype(float))

    return score


def _least_squares(A: Any, Y: Any) -> Callable[[Any], Any]:
    svd = TruncatedSVD(500, algorithm="arpack").fit(A)
    weights = np.linalg.lstsq(svd.transform(A), Y.astype(float), rcond=None)[0]
    return lambda B: svd.transform(B) @ weights


def _bayes(A: Any, Y: Any) -> Callable[[Any], Any]:
    """Score one mixture of all categories, as in the paper: joint log-likelihoods of MultinomialNB on repeated rows."""
    rows, labels = np.nonzero(Y)
    known = np.unique(labels)
    model = MultinomialNB().fit(A[rows], labels)

    def score(B: Any) -> Any:
        log_p = np.full((B.shape[0], Y.shape[1]), -1e3)
        log_p[:, known] = model.predict_log_proba(B)
        p = np.exp(log_p)
        return log_p - np.log(np.maximum(1.0 - p, 1e-300))

    return score


def _network(A: Any, Y: Any) -> Callable[[Any], Any]:
    """Train with our number of passes and batch size; early stopping by subset accuracy would end at once."""
    model = MLPClassifier(
        (64,), activation="logistic", learning_rate_init=0.01, batch_size=32, max_iter=9, random_state=0
    )
    return model.fit(A, Y).predict_proba


def micro_macro(truth: Any, decided: Any) -> tuple[float, float]:
    """Return micro- and macro-F1."""
    return (
        float(f1_score(truth, decided, average="micro", zero_division=0)),
        float(f1_score(truth, decided, average="macro", zero_division=0)),
    )
