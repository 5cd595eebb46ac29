"""The names of categories for a classifier that matches them to documents, read as the documents are."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.classifiers.words.names import name_texts
from rubricate.errors import InvalidInput
from rubricate.text.representation import source_of
from rubricate.training.making import make_classifier
from rubricate.training.targets import Target, count
from rubricate.types import Documents

__all__ = ["bare_target", "links_digest", "named", "shown"]


def bare_target(given: Any, documents: Any, y: Any) -> Target | None:
    """No labels, over the categories that the classifier knows by itself; None where it needs labels, or has some."""
    labelled = isinstance(documents, Documents) and documents.labels.nnz
    classifier = make_classifier(given) if isinstance(given, str) else given
    if y is not None or labelled or not getattr(classifier, "names_categories", False):
        return None
    categories = classifier.known_categories()
    labels = sparse.csr_array((count(documents), len(categories)), dtype=bool)
    return Target(labels, categories, "sets", np.array(categories, dtype=object))


def named(classifier: Any, model: Any) -> Any:
    """The classifier with the counts of its names' terms, a row a category of the model.

    One that got counts, or the terms of columns that the model does not name, is taken as it is. Names without a
    known term are warned of here, once, and score 0. All terms are needed, so selection is refused.
    """
    if hasattr(classifier, "rules"):
        return _ruled(classifier, model)
    if sparse.issparse(classifier.names) or source_of(model.weights) != "counts":
        given = clone(classifier)
        return given.set_params(categories=model.categories_) if given.categories is None else given
    if model.select is not None:
        raise InvalidInput(
            f"{type(classifier).__name__} matches names to documents by all terms, but select={model.select!r} leaves "
            "some out; set select=None (min_df may be used)"
        )
    counts = model.representation_.read_more(name_texts(classifier.names, model.categories_))
    _warn([model.categories_[row] for row in np.flatnonzero(np.diff(counts.indptr) == 0)], len(model.categories_))
    return clone(classifier).set_params(names=counts)


def shown(classifier: Any, model: Any) -> str:
    """A model's classifier in a signature; `named` ones as they were given, without the model's terms and names.

    A taxonomy is told by the number of its links and the start of their SHA-256, whatever their order.
    """
    if getattr(classifier, "names_categories", False):
        classifier = make_classifier(model.classifier) if isinstance(model.classifier, str) else model.classifier
    taxonomy = getattr(classifier, "taxonomy", None)
    if taxonomy is None:
        return " ".join(repr(classifier).split())
    text = " ".join(repr(clone(classifier).set_params(taxonomy=None, categories=None)).split())
    return (
        f"{text[:-1]}{'' if text.endswith('()') else ', '}taxonomy={len(taxonomy)} links {links_digest(taxonomy)[:8]})"
    )


def links_digest(taxonomy: Iterable[tuple[Any, Any]]) -> str:
    """The SHA-256 of (parent, child) pairs, whatever their order."""
    links = sorted(f"{parent}\t{child}\n" for parent, child in taxonomy)
    return hashlib.sha256("".join(links).encode("utf-8", "surrogatepass")).hexdigest()


def _ruled(classifier: Any, model: Any) -> Any:
    """A classifier by hand-written rules, which looks words up among the model's terms."""
    given = {"categories": classifier.categories or model.categories_}
    if source_of(model.weights) == "counts" and classifier.terms is None:
        if model.select is not None:
            raise InvalidInput(
                f"rules may ask for any term, but select={model.select!r} leaves some out; set select=None"
            )
        analyzer = classifier.analyzer or model.representation_._analyzer()
        given |= {"terms": model.representation_.terms_read(), "analyzer": analyzer}
    return clone(classifier).set_params(**given)


def _warn(unmatched: list[str], categories: int) -> None:
    if unmatched:
        shown = ", ".join(map(repr, unmatched[:5])) + (", …" if len(unmatched) > 5 else "")
        message = f"no word of {len(unmatched)} of {categories} names occurs in the documents ({shown}): they score 0"
        remedy = "describe them in `names`, a mapping or a file (--set names=FILE)"
        warnings.warn(f"{message}; {remedy}", UserWarning, stacklevel=7)
