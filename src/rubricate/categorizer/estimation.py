"""`rubricate.estimate`: how well a system will do on documents nobody has labelled."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from rubricate import registry
from rubricate._version import __version__
from rubricate.categorizer.categorizer import Categorizer
from rubricate.errors import InvalidInput, UnknownName
from rubricate.estimation import Estimate
from rubricate.text.representation import Representation
from rubricate.training.making import make_classifier
from rubricate.training.targets import count, given_documents, ids_of, take_target
from rubricate.types import Corpus, Signature, Sparse

__all__ = ["Suspect", "estimate", "machine_parts", "suspects", "svm_of"]

RESERVED = ("categories", "signature", "single")
"""Options that follow from the documents."""


def estimate(system: Any, X: Any, y: Any = None, *, method: str | None = None, **options: Any) -> Estimate:
    """Error, recall, precision and F1 to expect, per category and averaged, from the training documents alone.

    system    a `Categorizer`, one of our classifiers or of scikit-learn's, a name such as "svm"; fitted or not
    X, y      the training documents: `Documents`, a `Corpus` (those for training), texts or vectors with labels
    method    a file of `rubricate.estimation`; by default "xi_alpha" for an SVM and "cross_validation" for the rest
    options   those of the method: `rho=2`, `folds=5`, `samples=20`, …

    "xi_alpha" and, for SVMs, "leave_one_out" speak of the SVM itself, which assigns a category where its score is
    positive, with terms and weights of all documents; a learned cut and the selection of terms are not theirs to
    judge. A fitted SVM's solution is used, else one is trained. All other methods repeat everything, cuts included.
    A bare classifier gets texts by the default `Categorizer`'s terms and weights, vectors as they are. For a column of
    single labels, a classifier decides by its best class and an SVM under "xi_alpha" by each category.

    >>> texts = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
    >>> found = estimate(Categorizer("svm"), texts, ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3)
    >>> found.method, found.categories, found.micro["f1"]
    ('xi_alpha', ('fuel', 'grain'), 1.0)
    """
    documents = given_documents(X)
    target = take_target(documents, y, getattr(system, "categories_", None) if _is_fitted(system) else None)
    if target.labels.shape[0] != count(documents):
        raise InvalidInput(f"{count(documents)} documents and {target.labels.shape[0]} label sets; give one a document")
    system = _placed(make_classifier(system) if isinstance(system, str) else system, X, target.categories)
    name = (method or ("xi_alpha" if svm_of(system) is not None else "cross_validation")).replace("-", "_")
    plugin = registry.load("estimation", name)
    takes = inspect.signature(plugin).parameters
    for option in options:
        if option not in takes or option in RESERVED:
            known = [one for one, how in takes.items() if how.kind == how.KEYWORD_ONLY and one not in RESERVED]
            raise UnknownName(f"option of {name}", option, known)
        _check_kind(name, option, options[option], str(takes[option].annotation))
    common: dict[str, Any] = {"categories": target.categories, **options}
    if getattr(plugin, "needs_svm", False) and svm_of(system) is not None:
        svm, vectors, shown = _machine(system, documents, target.labels)
        common["categories"] = [target.categories[c] for c in shown]
        found = plugin(svm, vectors, target.labels[:, shown], **common)
    else:
        rows, whole = _learner(system, documents)
        single = target.form == "column" and not isinstance(whole, Categorizer)
        found = plugin(whole, rows, target.labels, **common, **({"single": single} if "single" in takes else {}))
    return replace(found, signature=_signature(system, X, options.get("seed")))


KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "int": ((int, np.integer), "a whole number"),
    "float": ((int, float, np.integer, np.floating), "a number"),
    "bool": ((bool, np.bool_), "true or false"),
}


def _check_kind(name: str, option: str, value: Any, annotation: str) -> None:
    """Numbers and flags of a method are what they are declared to be; other options are left to the method."""
    declared = annotation.removesuffix(" | None")
    if declared not in KINDS or (value is None and declared != annotation):
        return
    kinds, said = KINDS[declared]
    if not isinstance(value, kinds) or (isinstance(value, bool) and declared != "bool"):
        raise InvalidInput(f"{option} of {name} must be {said}, got {value!r}")


def _placed(system: Any, X: Any, categories: Sequence[str]) -> Any:
    """The system; a hierarchical classifier gets the names of the columns, and the corpus's taxonomy if it has none."""
    chosen = system.classifier if isinstance(system, Categorizer) else system
    chosen = make_classifier(chosen) if isinstance(chosen, str) else chosen
    own = getattr(chosen, "taxonomy", None)
    taxonomy = X.taxonomy if own is None and isinstance(X, Corpus) else own
    if taxonomy is None or not hasattr(chosen, "taxonomy"):
        return system
    placed = clone(chosen).set_params(taxonomy=taxonomy, categories=chosen.categories or tuple(categories))
    return clone(system).set_params(classifier=placed) if isinstance(system, Categorizer) else placed


def _is_fitted(system: Any) -> bool:
    return isinstance(system, Categorizer) and hasattr(system, "aligned_")


def svm_of(system: Any) -> Any:
    """The SVM in a system, fitted or not; None where there is none."""
    from rubricate.classifiers.svm.svm import SVM

    if isinstance(system, Categorizer):
        chosen = system.classifier_ if _is_fitted(system) else system.classifier
        chosen = "svm" if chosen is None and not _is_fitted(system) else chosen
        chosen = make_classifier(chosen) if isinstance(chosen, str) else chosen
        return chosen if isinstance(chosen, SVM) else None
    return system if isinstance(system, SVM) else None


def _machine(system: Any, documents: Any, labels: Sparse) -> tuple[Any, Any, list[int]]:
    """The SVM, the vectors it learns from, and the categories that it can tell apart."""
    svm = svm_of(system)
    held = np.bincount(labels.indices, minlength=labels.shape[1])
    shown = [int(c) for c in np.flatnonzero((held > 0) & (held < labels.shape[0]))]
    if not shown:
        raise InvalidInput("every category has all or none of the documents: there is nothing to estimate")
    if isinstance(system, Categorizer):
        if _is_fitted(system):
            if svm.alpha_.shape[0] != labels.shape[0] or list(system.ids_) != list(
                map(str, ids_of(documents, labels.shape[0]))
            ):
                raise InvalidInput("the model was learned from other documents; give those, or a model not yet fitted")
            return svm, system.vectors(documents), shown
        parts = (system.analyzer, system.weights, system.select, system.min_df)
        made = Representation(parts[0], weights=parts[1], select=parts[2], min_df=parts[3])
        return svm, made.settle(made.read(documents), labels), shown
    if hasattr(svm, "alpha_"):
        return svm, documents, list(range(labels.shape[1])) if len(shown) == labels.shape[1] else shown
    rows, _ = _learner(svm, documents)
    if not hasattr(rows, "shape"):
        made = Representation()
        rows = made.settle(made.read(rows), labels)
    return svm, rows, shown


def machine_parts(system: Any, X: Any, y: Any = None) -> tuple[Any, Any, Sparse, list[str]]:
    """An SVM to be fitted, the vectors of the documents, their labels, and the categories: for learning curves.

    Terms and weights are those of all documents, at every size.
    """
    documents = given_documents(X)
    target = take_target(documents, y)
    if svm_of(system) is None:
        raise InvalidInput("a learning curve by xi-alpha needs an SVM; give one, or learning_curve another estimator")
    svm, vectors, shown = _machine(clone(system), documents, target.labels)
    return clone(svm), vectors, target.labels[:, shown], [target.categories[c] for c in shown]


def _learner(system: Any, documents: Any) -> tuple[Any, Any]:
    """(rows, classifier) for methods that train anew: a bare classifier of texts becomes a `Categorizer`."""
    if isinstance(system, Categorizer) or (hasattr(documents, "shape") and len(documents.shape) == 2):
        return documents, system
    return documents, Categorizer(clone(system), cut=0.0 if svm_of(system) is not None else None)


def _signature(system: Any, X: Any, seed: int | None) -> Signature:
    if isinstance(system, Categorizer):
        return system.signature()
    corpus, split = (X.name, X.split) if isinstance(X, Corpus) else ("", "")
    return Signature(corpus, split, classifier=" ".join(repr(system).split()), seed=seed, version=__version__)


@dataclass(frozen=True)
class Suspect:
    """A document whose label the classifier that had not seen it contradicts: `labelled` says what it is now."""

    document: str
    category: str
    score: float
    labelled: bool


def suspects(found: Estimate, X: Any, y: Any = None, *, limit: int = 20) -> list[Suspect]:
    """Documents that may be mislabelled: those that leave-one-out decides otherwise, the surest contradiction first.

    `found` is an estimate with scores, that is of "leave_one_out" for an SVM, and X, y are the documents it was
    made from. Equal scores in the order of documents.
    """
    if found.scores is None:
        raise InvalidInput(f"{found.method} keeps no scores of documents; take method='leave_one_out' with an SVM")
    documents = given_documents(X)
    target = take_target(documents, y)
    place = {name: c for c, name in enumerate(target.categories)}
    labels = target.labels[:, [place[name] for name in found.categories]].toarray()
    against = np.where(labels, -found.scores, found.scores)
    rows, columns = np.nonzero(against > 0)
    order = np.argsort(-against[rows, columns], kind="stable")[:limit]
    ids = ids_of(documents, labels.shape[0])
    return [
        Suspect(str(ids[i]), found.categories[c], float(found.scores[i, c]), bool(labels[i, c]))
        for i, c in zip(rows[order], columns[order], strict=True)
    ]
