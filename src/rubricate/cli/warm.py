"""`rubricate warm`: compile everything now, so that no later run has to."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from rubricate.cli.options.printing import Json

if TYPE_CHECKING:
    from rubricate.types import Corpus

__all__ = ["warm"]

STORIES = 160
"""Synthetic stories that the kernels are tried on: as few as every classifier can learn from."""
COMMON = 8
"""Stories that a category must have to be left out one at a time."""


def warm(as_json: Json = False) -> None:
    """Compile every kernel and keep the machine code, for container images and continuous integration.

    Trains, classifies, measures and compares on a few synthetic stories with every system. The code is kept where later
    runs look for it: beside the package, or in the user's cache if that cannot be written. This is optional:
    anything that is not compiled yet, as for some rare settings, is compiled when it is first used.
    """
    import numpy as np

    from rubricate.cli.output.compiling import CompilationWatch
    from rubricate.corpora import load

    began = time.perf_counter()
    with CompilationWatch() as watch:
        corpus = load("newswire", documents=500)
        corpus = replace(corpus, train=corpus.train.take(np.arange(STORIES)), test=corpus.test.take(np.arange(20)))
        failed = [f"{name}: {error}" for name, use in _uses(corpus).items() if (error := _try(use))]
    summary = {"compiled": watch.compiled, "seconds": round(time.perf_counter() - began, 1), "left_out": failed}
    if as_json:
        typer.echo(json.dumps(summary, ensure_ascii=False))
        return
    typer.echo(f"{watch.compiled} functions compiled in {summary['seconds']} s")
    for line in failed:
        typer.echo(f"rubricate: left out {line}", err=True)


def _try(use: Callable[[], Any]) -> str:
    """Return why something cannot be used here, such as a missing extra; "" where it can."""
    import warnings

    from rubricate.errors import RubricateError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # so few stories are no training set
            use()
    except (ImportError, RubricateError) as error:
        return str(error)
    return ""


def _uses(corpus: Corpus) -> dict[str, Callable[[], Any]]:
    """Return one use of each part of the program, by name; the commonest first."""
    from functools import partial

    from rubricate import registry

    uses: dict[str, Callable[[], Any]] = {"defaults": partial(_defaults, corpus)}
    for name in registry.names("classifiers"):
        if not _needs_a_value(registry.load("classifiers", name)):
            uses[name] = partial(_classifier, name, corpus)
    for name in registry.names("thresholds"):
        uses[name] = partial(_threshold, name, corpus)
    uses |= {"estimates": partial(_estimates, corpus), "tests": partial(_tests, corpus)}
    return uses | {"many queries and categories": _many, "retraining": _retraining, "margins": _crowded_margins}


def _defaults(corpus: Corpus) -> None:
    """Train as `rubricate train` does: several labels, one label; classify, measure and compare."""
    import numpy as np

    from rubricate.categorizer import Categorizer
    from rubricate.evaluation import evaluate

    model = Categorizer(folds=2).fit(corpus)
    model.answers(corpus.test, top=2, explain=2, abstain=0.5)
    evaluate(model.run(corpus.test), bootstrap=20)
    single = np.flatnonzero(np.diff(corpus.train.labels.indptr) == 1)
    texts, labels = list(corpus.train.texts), corpus.train.labels.indices[corpus.train.labels.indptr[:-1][single]]
    Categorizer(folds=2).fit([texts[d] for d in single], labels.astype(str)).predict(texts[:9])


def _needs_a_value(kind: Any) -> bool:
    """Return whether a classifier cannot be made without something of the user's own, such as rules."""
    import inspect

    return any(each.default is each.empty for each in inspect.signature(kind).parameters.values())


def _classifier(name: str, corpus: Corpus) -> None:
    from rubricate import registry
    from rubricate.categorizer import Categorizer, configured

    by_name = getattr(registry.load("classifiers", name), "names_categories", False)  # such a one takes all terms
    settings = {"classifier": name, "folds": 2, "representation": "terms", "select": None if by_name else "chi2:60"}
    model: Categorizer = configured(settings)
    model.set_params(engine="serial").fit(corpus).answers(corpus.test, top=2, explain=2)


def _threshold(name: str, corpus: Corpus) -> None:
    from rubricate.categorizer import Categorizer

    Categorizer("nb", cut=name, folds=2).fit(corpus).decide(corpus.test)


def _estimates(corpus: Corpus) -> None:
    from rubricate.classifiers.svm.svm import SVM
    from rubricate.estimation import estimate
    from rubricate.text import Vectors

    X, labels = Vectors().fit_transform(corpus.train), corpus.train.labels
    labels = labels[:, labels.sum(axis=0) >= COMMON]
    for options in ({"kernel": "rbf"}, {"kernel": "poly"}, {"bias": "penalised"}, {"bias": None}):
        SVM(**options).fit(X, labels).decision_function(X)
    for method in ("xi_alpha", "leave_one_out"):
        estimate(SVM().fit(X, labels), X, labels, method=method)


def _tests(corpus: Corpus) -> None:
    from rubricate.categorizer import Categorizer
    from rubricate.evaluation import evaluate
    from rubricate.significance import compare

    runs = [Categorizer(name, folds=2).fit(corpus).run(corpus.test) for name in ("nb", "rocchio")]
    compare(runs)
    evaluate(runs[0], hierarchy=corpus.taxonomy)


def _many() -> None:
    """Search neighbours of many queries, sparse and dense, and the best of many categories."""
    import numpy as np
    from scipy import sparse

    from rubricate.classifiers import KNN, LabelTree, NNet, Rocchio

    X, draw = _random(200, 120, 0.1), np.random.default_rng(1)
    labels = sparse.csr_array(draw.random((200, 300)) < 0.02)
    for classifier in (KNN(5), Rocchio(), LabelTree(3)):
        classifier.fit(X, labels).top(X, 2)
    KNN(5).fit(X.toarray(), labels).top(X.toarray(), 2)
    NNet(epochs=1).fit(X.toarray(), labels[:, :3])


def _retraining() -> None:
    """Leave out each document of noise, of which many have to be trained again without it."""
    import numpy as np
    from scipy import sparse
    from sklearn.preprocessing import normalize

    from rubricate.classifiers.svm.svm import SVM
    from rubricate.estimation import estimate

    labels = sparse.csr_array(np.random.default_rng(2).random((320, 1)) < 0.3)
    X = _random(320, 400, 0.03)
    vectors = normalize(X)
    estimate(SVM().fit(vectors, labels), vectors, labels, method="leave_one_out")


def _crowded_margins() -> None:
    """Solve SVMs that most documents support, of words that mostly occur once."""
    import numpy as np
    from scipy import sparse

    from rubricate.classifiers.svm.svm import SVM

    labels = sparse.csr_array(np.random.default_rng(3).random((1000, 3)) < 0.3)
    SVM(C=0.001).fit(_random(1000, 40_000, 0.0016), labels)


def _random(documents: int, terms: int, density: float) -> Any:
    from numpy.random import default_rng
    from scipy import sparse

    return sparse.csr_array(sparse.random_array((documents, terms), density=density, rng=default_rng(0), format="csr"))
