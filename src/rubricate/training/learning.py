"""How a categorizer learns: representation, candidates, cut, confidence; and how it learns more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from rubricate import registry
from rubricate.errors import InvalidInput
from rubricate.folds import stratified_folds
from rubricate.measures import abstention_curve, counts, macro, micro
from rubricate.text.representation import Representation, source_of
from rubricate.thresholds import resolve
from rubricate.thresholds._aligned import Aligned, Form
from rubricate.training import scoring as _scoring
from rubricate.training.choosing import Judged, choose, fit_cut, judge, out_of_fold
from rubricate.training.confidence import Confidence
from rubricate.training.making import make_classifier
from rubricate.training.naming import named
from rubricate.training.targets import count, ids_of, take_target
from rubricate.types import Sparse

__all__ = ["add_documents", "learn"]

COSTS = (0.5, 1.0, 2.0, 4.0)
"""The costs C among which the default classifier, a linear SVM, is chosen."""
ABOVE_ZERO = 1e-9
"""The cut where there are no labels: a score of 0 says that no word of a name, and no rule, was found."""
POINTS = 1000
"""Points of the coverage–error curve that are kept."""


def learn(model: Any, documents: Any, labels: Sparse) -> None:
    """Learn everything from documents whose labels were checked."""
    n, m = labels.shape
    model.representation_ = Representation(
        model.analyzer, weights=model.weights, select=model.select, min_df=model.min_df
    )
    model.limit_ = _scoring.LIMIT if n * m > _scoring.LARGE else None
    cut, folds = _without_labels(model) if labels.nnz == 0 else _with_labels(model, n)
    rows = model.representation_.read(documents)
    if count(rows) != n:
        raise InvalidInput(f"{count(rows)} documents and {n} label sets; give one set a document")
    if source_of(model.weights) == "vectors":
        model.n_features_in_ = int(rows.shape[1])
    candidates = _candidates(model, labels, tuned=folds > 0 and model.limit_ is None)
    if folds:
        chosen = _learn_cut(model, cut, rows, labels, candidates, folds)
    else:
        chosen, model.cut_ = 0, fit_cut(cut, None, labels)
        model.confidence_ = model.coverage_ = model.cross_validation_ = model._judged = None
    vectors = model.representation_.settle(rows, labels)
    model.aligned_ = clone(candidates[chosen]).fit(vectors, labels)


def _with_labels(model: Any, documents: int) -> tuple[Any, int]:
    cut = _cut(model)
    return cut, _folds(model, cut, documents)


def _without_labels(model: Any) -> tuple[Any, int]:
    """What scores above 0 is assigned, or what a cut says that learns nothing."""
    cut = resolve(ABOVE_ZERO if model.cut is None else model.cut)
    if cut.needs_labels or model.folds:
        asked = f"folds={model.folds!r}" if model.folds else f"cut={model.cut!r}"
        raise InvalidInput(
            f"{asked} learns from labels, and these documents have none; give a cut such as 0.1 or rcut:1"
        )
    return cut, 0


def _cut(model: Any) -> Any:
    if model.cut is not None:
        return resolve(model.cut)
    return resolve("rcut:1") if model.single_label_ else resolve("micro_macro")


def _folds(model: Any, cut: Any, documents: int) -> int:
    folds = cut.folds if model.folds is None else model.folds
    if not isinstance(folds, (int, np.integer)) or folds < 0 or folds == 1:
        raise InvalidInput(f"folds must be 0 (none) or from 2 on, got {model.folds!r}")
    if folds == 0 and cut.needs_scores:
        raise InvalidInput(f"{cut!r} learns from out-of-fold scores; give folds=5, or a cut such as 'rcut:1' or 0.0")
    if not (isinstance(model.seed, (int, np.integer)) and model.seed >= 0):
        raise InvalidInput(
            f"seed, by which documents are dealt to folds, must be a whole number from 0 on; got {model.seed!r}"
        )
    return min(int(folds), documents)


def _candidates(model: Any, labels: Sparse, *, tuned: bool) -> list[Aligned]:
    form: Form = "classes" if model.single_label_ else "matrix"
    return [
        Aligned(each, form=form, classes=np.arange(labels.shape[1]))
        for each in _placed(_classifiers(model.classifier, tuned=tuned), model)
    ]


def _classifiers(given: Any, *, tuned: bool) -> Sequence[Any]:
    if given is None:
        svm = registry.load("classifiers", "svm")
        return [svm(C=C) for C in COSTS] if tuned else [svm()]
    if isinstance(given, str):
        return [make_classifier(given)]
    if isinstance(given, type) or not hasattr(given, "fit"):
        raise InvalidInput(f"expected a classifier such as rb.SVM(C=1) or a name such as 'svm', got {given!r}")
    return [given]


def _placed(classifiers: Sequence[Any], model: Any) -> list[Any]:
    """The classifiers, hierarchical ones with the names of the columns, and the corpus's taxonomy if they have none.

    Those that match the names of categories get them, read as the documents were.
    """
    found = []
    for each in classifiers:
        own = getattr(each, "taxonomy", None)
        taxonomy = getattr(model, "_taxonomy", None) if own is None else own
        if taxonomy is not None and {"taxonomy", "categories"} <= each.get_params(deep=False).keys():
            each = clone(each).set_params(taxonomy=taxonomy, categories=each.categories or model.categories_)
        found.append(named(each, model) if getattr(each, "names_categories", False) else each)
    return found


def _learn_cut(model: Any, cut: Any, rows: Any, labels: Sparse, candidates: Sequence[Aligned], folds: int) -> int:
    part = model.representation_.part()
    dealt = stratified_folds(labels, folds, seed=model.seed)
    options = {"engine": model.engine, "limit": model.limit_}
    scores = out_of_fold(part, rows, labels, candidates, folds=dealt, **options)
    chosen, model.cut_ = choose(cut, scores, labels)
    if cut.needs_scores and cut.seeds > 1:
        fits = [model.cut_]
        for more in range(1, cut.seeds):
            other = stratified_folds(labels, folds, seed=model.seed + more)
            again = out_of_fold(part, rows, labels, [candidates[chosen]], folds=other, **options)
            fits.append(fit_cut(cut, again[0], labels))
        model.cut_ = clone(cut).merge(fits)
    _keep_figures(model, judge(cut, scores, labels, dealt), labels, folds)
    return chosen


def _keep_figures(model: Any, judged: Judged, labels: Sparse, folds: int) -> None:
    table = counts(labels, judged.decided)
    model.cross_validation_ = {
        "micro_f1": micro("f1", table),
        "macro_f1": macro("f1", table),
        "error": micro("error", table),
        "exactly_right": float(np.mean(judged.right)),
        "documents": int(labels.shape[0]),
        "folds": folds,
    }
    model.confidence_ = Confidence().fit(judged.offsets, labels, judged.right)
    curve = abstention_curve(judged.confidence, np.where(judged.right, 0.0, 1.0))
    kept = np.unique(np.linspace(0, len(curve.error) - 1, POINTS).round().astype(int))
    model.coverage_ = {name: getattr(curve, name)[kept] for name in ("confidence", "coverage", "error")}
    model._judged = (judged.decided, labels)


def add_documents(model: Any, documents: Any, y: Any) -> None:
    """Teach the classifier further documents of the categories that it knows."""
    classifier = model.aligned_.classifier_
    method = getattr(classifier, "update", None) or getattr(classifier, "partial_fit", None)
    if method is None:
        raise InvalidInput(
            f"{type(classifier).__name__} cannot learn further documents; fit it anew with all of them, "
            "or use one that can: nb, knn, rocchio, experts"
        )
    labels = take_target(documents, y, model.categories_).labels
    if labels.shape[0] != count(documents):
        raise InvalidInput(f"{count(documents)} documents and {labels.shape[0]} label sets; give one set a document")
    _check_learnable(model, labels)
    method(model.representation_.transform(documents), model.aligned_._target(labels))
    model.train_counts_ = model.train_counts_ + np.bincount(labels.indices, minlength=labels.shape[1])
    model.ids_ = (*model.ids_, *map(str, ids_of(documents, labels.shape[0], len(model.ids_))))


def _check_learnable(model: Any, labels: Sparse) -> None:
    lengths, aligned = np.diff(labels.indptr), model.aligned_
    if aligned.form == "classes" and np.any(lengths != 1):
        row = int(np.flatnonzero(lengths != 1)[0])
        raise InvalidInput(
            f"document {row} has {lengths[row]} labels; this model was learned from one label a document"
        )
    held = np.bincount(labels.indices, minlength=labels.shape[1])
    strange = np.where(aligned.constants_ > 0, held != labels.shape[0], held > 0)
    strange[aligned.columns_] = False
    if strange.any():
        name = model.categories_[int(np.flatnonzero(strange)[0])]
        raise InvalidInput(f"{name!r} had all or none of the training documents and was not learned; fit anew")
