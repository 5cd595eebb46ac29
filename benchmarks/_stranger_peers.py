"""What people reach for on their own documents: tf-idf with `LinearSVC` from scikit-learn, and fastText.

Each peer learns from the training documents of a corpus and decides on its test documents. C is chosen among .25, 1
and 4 by three folds of a stratified sample of about 2,000 documents, vectors made anew in each fold; the peer is then
trained on all.
"""

from __future__ import annotations

import re
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from joblib import parallel_config
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_union
from sklearn.svm import LinearSVC

from rubricate.folds import assign_folds
from rubricate.types import Corpus, Documents, Sparse

__all__ = ["PEERS", "Decided", "fasttext_there"]

Decided = tuple[Sparse, str]
COSTS = (0.25, 1.0, 4.0)
FOLDS = 3
MOST = 2000
"""Documents in which C is searched: three folds of all would take most of an hour on the long ones."""
SHORT = 400
"""Mean characters of documents below which fastText also gets characters of words; on long ones they take minutes."""


def words() -> Any:
    return TfidfVectorizer(sublinear_tf=True)


def words_and_characters() -> Any:
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True, min_df=2)
    return make_union(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), characters)


def linear_svm(corpus: Corpus, vectorizer: Callable[[], Any]) -> Decided:
    """Decide by scikit-learn's linear SVM: the best class, or all classes above zero."""
    texts, labels = np.array(list(corpus.train.texts), dtype=object), corpus.train.labels
    single = bool(np.all(np.diff(labels.indptr) == 1))
    y = labels.indices if single else labels.toarray().astype(int)
    cost = _best_cost(vectorizer, texts, y, labels, single=single)
    vectors = vectorizer()
    decided = (
        _machine(cost, single).fit(vectors.fit_transform(texts), y).predict(vectors.transform(list(corpus.test.texts)))
    )
    if not single:
        return sparse.csr_array(decided, dtype=bool), f"C={cost:g}"
    return _one_each(decided, corpus.test.labels.shape), f"C={cost:g}"


def _machine(cost: float, single: bool) -> Any:
    return LinearSVC(C=cost) if single else OneVsRestClassifier(LinearSVC(C=cost), n_jobs=2)


def _best_cost(vectorizer: Callable[[], Any], texts: Any, y: Any, labels: Sparse, *, single: bool) -> float:
    """Return the C with the best micro-F1 over the folds."""
    sample = (
        np.flatnonzero(assign_folds(labels, max(1, len(texts) // MOST), seed=0) == 0)
        if len(texts) >= 2 * MOST
        else None
    )
    rows = np.arange(len(texts)) if sample is None else sample
    fold_ids, scores = assign_folds(labels[rows], FOLDS, seed=0), np.zeros(len(COSTS))
    for fold in range(FOLDS):
        kept, held = rows[fold_ids != fold], rows[fold_ids == fold]
        vectors = vectorizer()
        X, Z = vectors.fit_transform(texts[kept]), vectors.transform(texts[held])
        for at, cost in enumerate(COSTS):
            machine = _machine(cost, single).fit(X, y[kept])
            scores[at] += f1_score(y[held], machine.predict(Z), average="micro", zero_division=0)
    return COSTS[int(np.argmax(scores))]


def _one_each(classes: Any, shape: tuple[int, int]) -> Sparse:
    n = len(classes)
    return sparse.csr_array((np.ones(n, bool), np.asarray(classes, np.int64), np.arange(n + 1)), shape=shape)


def with_threads(decide: Callable[[], Decided]) -> Decided:
    """Run a peer with its parallel parts in threads: LIBLINEAR gives up the interpreter's lock."""
    with parallel_config(backend="threading"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of categories that a fold lacks
        return decide()


def fasttext_there() -> bool:
    """Return whether fastText is installed (the extra `bench`)."""
    try:
        import fasttext  # noqa: F401
    except ImportError:
        return False
    return True


def fasttext_model(corpus: Corpus) -> Decided:
    """Decide by fastText: words in 1- and 2-grams, characters of short texts; several labels over a chance of .5."""
    import fasttext

    labels = corpus.train.labels
    single = bool(np.all(np.diff(labels.indptr) == 1))
    short = sum(map(len, corpus.train.texts)) < SHORT * len(corpus.train)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        path.write_text("".join(_lines(corpus.train)), encoding="utf-8")
        model = fasttext.train_supervised(
            str(path), loss="softmax" if single else "ova", epoch=25, lr=0.5, wordNgrams=2, minn=3 if short else 0,
            maxn=5 if short else 0, dim=50, bucket=200_000, thread=2, verbose=0,
        )  # fmt: skip
    lines = [_plain(text) + "\n" for text in corpus.test.texts]
    most, least = (1, 0.0) if single else (-1, 0.5)
    names, _ = model.f.multilinePredict(lines, most, least, "strict")
    rows = [[int(name.removeprefix("__label__")) for name in each] for each in names]
    starts = np.cumsum([0, *map(len, rows)])
    columns = np.array([column for each in rows for column in sorted(each)], np.int64)
    return sparse.csr_array((np.ones(len(columns), bool), columns, starts), shape=corpus.test.labels.shape), "defaults"


def _lines(documents: Documents) -> list[str]:
    starts, columns = documents.labels.indptr, documents.labels.indices
    texts = documents.texts
    return [
        " ".join([*(f"__label__{c}" for c in columns[starts[i] : starts[i + 1]]), _plain(text)]) + "\n"
        for i, text in enumerate(texts)
        if starts[i] < starts[i + 1]
    ]


def _plain(text: str) -> str:
    """Return a text as fastText is taught to want it: one line, lower case, punctuation apart."""
    return re.sub(r"\s+", " ", re.sub(r"([^\w\s'])", r" \1 ", text.lower())).strip()


PEERS: dict[str, Callable[[Corpus], Decided]] = {
    "words + LinearSVC": lambda corpus: with_threads(lambda: linear_svm(corpus, words)),
    "words, characters + LinearSVC": lambda corpus: with_threads(lambda: linear_svm(corpus, words_and_characters)),
}
if fasttext_there():
    PEERS["fastText"] = fasttext_model
