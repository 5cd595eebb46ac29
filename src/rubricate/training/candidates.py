"""The classifiers that a procedure chooses among: by name or by default, and with what they must know of the data."""

from __future__ import annotations

import hashlib
import inspect
import warnings
from bisect import bisect_right
from collections.abc import Iterable, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate import registry
from rubricate.classifiers.category_names import name_texts
from rubricate.errors import InvalidInput
from rubricate.text.blocks import Blocks
from rubricate.text.representation import Representation, source_of
from rubricate.thresholds.base import Threshold
from rubricate.thresholds.fixed import Rcut
from rubricate.training.data import Target, TrainingData, count
from rubricate.training.representations import has_vectors
from rubricate.types import AnyClassifier, Documents, Sparse

if TYPE_CHECKING:
    from rubricate.classifiers.classic.construe import Construe
    from rubricate.classifiers.classic.word import WORD

__all__ = [
    "COSTS",
    "bare_target",
    "candidates_for",
    "centroids_for",
    "costs_for",
    "links_digest",
    "make_classifier",
    "placed",
    "shown",
    "start_among",
    "usual_cost",
]

COSTS = (0.5, 1.0, 2.0, 4.0)
"""The costs C among which the default classifier, a linear SVM, is chosen."""
WIDE_COSTS = (0.25, *COSTS)
"""The same for several blocks side by side: what they repeat of each other wants a smaller C."""
CENTROIDS = (4.0,)
"""What the default classifier also tries with rare categories: so many times the score of the centroid is added."""
RARE, RARE_CATEGORIES, RARE_SHARE = 2, 100, 0.25
"""That is done if at least 100 categories, and a quarter of all, have at most two documents: docs/decisions/0010."""
DENSE_COSTS = (1.0, 4.0, 8.0, 16.0)
"""The same for vectors of an encoder: texts are much more alike in them than in terms, so errors must cost more."""
DENSE_COST = 8.0
"""What these are compared with others at."""


def make_classifier(name: str, parameters: MutableMapping[str, Any] | None = None) -> AnyClassifier:
    """Return the classifier of this name; parameters without a default are taken out of `parameters`.

    >>> make_classifier("knn"), make_classifier("construe", {"rules": "reuters10"})
    (KNN(), Construe(rules='reuters10'))
    >>> make_classifier("construe")
    Traceback (most recent call last):
    rubricate.errors.InvalidInput: the classifier 'construe' needs a value for rules; give rules=VALUE (in a shell,
    --set rules=VALUE)
    """
    kind, values = registry.load("classifiers", name), {} if parameters is None else parameters
    known = inspect.signature(kind).parameters.values()
    needed = [each.name for each in known if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    missing = [each for each in needed if each not in values]
    if missing:
        how = f"{missing[0]}=VALUE (in a shell, --set {missing[0]}=VALUE)"
        raise InvalidInput(f"the classifier {name!r} needs a value for {missing[0]}; give {how}")
    return kind(**{each: values.pop(each) for each in needed})


def candidates_for(
    classifier: AnyClassifier | str | None,
    *,
    tuned: bool,
    costs: Sequence[float] = COSTS,
    centroids: Sequence[float] = (0.0,),
) -> tuple[AnyClassifier, ...]:
    """Return the candidates that a classifier, a name or None stands for; None is an SVM, `tuned` one of each cost.

    >>> candidates_for(None, tuned=True)
    (SVM(C=0.5), SVM(), SVM(C=2.0), SVM(C=4.0))
    >>> candidates_for(None, tuned=True, costs=(1.0,), centroids=(0.0, 4.0))
    (SVM(), SVM(centroid=4.0))
    """
    if classifier is None:
        svm = registry.load("classifiers", "svm")
        return tuple(svm(C=C, centroid=each) for C in costs for each in centroids) if tuned else (svm(),)
    if isinstance(classifier, str):
        return (make_classifier(classifier),)
    if isinstance(classifier, type) or not hasattr(classifier, "fit"):
        raise InvalidInput(f"expected a classifier such as rb.SVM(C=1) or a name such as 'svm', got {classifier!r}")
    return (classifier,)


def centroids_for(labels: Sparse, cut: Threshold) -> tuple[float, ...]:
    """Return how much of the centroid's score is tried beside none: where categories are rare and ranks decide.

    >>> rare = sparse.csr_array(np.eye(150, dtype=bool))
    >>> centroids_for(rare, Rcut(t=1)), centroids_for(rare[:50, :50], Rcut(t=1))
    ((0.0, 4.0), (0.0,))
    """
    if not isinstance(cut, Rcut):  # cuts of each category lose by it: docs/decisions/0010
        return (0.0,)
    held = np.bincount(labels.indices, minlength=labels.shape[1])
    known, few = np.count_nonzero(held), np.count_nonzero((held > 0) & (held <= RARE))
    return (0.0, *CENTROIDS) if few >= RARE_CATEGORIES and few >= RARE_SHARE * known else (0.0,)


def costs_for(representation: Representation | Blocks) -> tuple[float, ...]:
    """Return the costs that are tried with a representation.

    >>> costs_for(Representation()), costs_for(Blocks((Representation(), Representation())))
    ((0.5, 1.0, 2.0, 4.0), (0.25, 0.5, 1.0, 2.0, 4.0))
    """
    if has_vectors(representation):
        return DENSE_COSTS
    return WIDE_COSTS if isinstance(representation, Blocks) else COSTS


def usual_cost(representation: Representation | Blocks) -> float:
    """Return the C that representations are compared with, near the best on most corpora: 1 for each block of length 1.

    >>> usual_cost(Representation()), usual_cost(Blocks((Representation(), Representation())))
    (1.0, 2.0)
    """
    return DENSE_COST if has_vectors(representation) else float(len(getattr(representation, "parts", (0,))))


def start_among(costs: Sequence[float], cost: float) -> int:
    """Return the largest of ascending costs that is not above a cost; the first where all are.

    >>> start_among(WIDE_COSTS, 3.0), start_among(COSTS, 0.1)
    (3, 0)
    """
    return max(bisect_right(costs, cost) - 1, 0)


def bare_target(classifier: AnyClassifier | str | None, documents: Any, y: Any) -> Target | None:
    """Return an empty target over the categories that the classifier knows by itself; None where labels are needed."""
    labelled = isinstance(documents, Documents) and documents.labels.nnz
    chosen: AnyClassifier = make_classifier(classifier) if isinstance(classifier, str) else classifier
    if y is not None or labelled or not getattr(chosen, "names_categories", False):
        return None
    categories = chosen.known_categories()
    labels = sparse.csr_array((count(documents), len(categories)), dtype=bool)
    return Target(labels, categories, "sets", np.array(categories, dtype=object))


def placed(classifier: AnyClassifier, representation: Representation | Blocks, material: TrainingData) -> AnyClassifier:
    """Return the classifier with what it must know of the material before it is fitted.

    A hierarchical classifier gets the names of the columns, and the taxonomy of the material if it has none. One that
    matches the names of categories gets them, read as the documents are.
    """
    own = getattr(classifier, "taxonomy", None)
    taxonomy = material.taxonomy if own is None else own
    if taxonomy is not None and {"taxonomy", "categories"} <= classifier.get_params(deep=False).keys():
        categories = classifier.categories or material.categories
        classifier = clone(classifier).set_params(taxonomy=taxonomy, categories=categories)
    if not getattr(classifier, "names_categories", False):
        return classifier
    if isinstance(representation, Blocks):
        raise InvalidInput(
            f"{type(classifier).__name__} looks words up among the terms of the documents, and cannot read several "
            "blocks of them. Fix: leave out the representation, or give representation='terms'"
        )
    return (_ruled if hasattr(classifier, "rules") else _named)(classifier, representation, material)


def _named(classifier: WORD, representation: Representation, material: TrainingData) -> WORD:
    """Return the classifier with the counts of its names' terms, one row per category.

    One that already has counts, or whose columns are not terms, is taken as it is. Names without a known term are
    warned of here, once, and score 0. All terms are needed, so selection is refused.
    """
    if sparse.issparse(classifier.names) or source_of(representation.weights) != "counts":
        copy = clone(classifier)
        return copy.set_params(categories=material.categories) if copy.categories is None else copy
    if representation.select is not None:
        raise InvalidInput(
            f"{type(classifier).__name__} matches names to documents by all terms, but "
            f"select={representation.select!r} leaves some out; set select=None (min_df may be used)"
        )
    counts = material.raw(representation).of(name_texts(classifier.names, material.categories))
    _warn([material.categories[row] for row in np.flatnonzero(np.diff(counts.indptr) == 0)], len(material.categories))
    return clone(classifier).set_params(names=counts)


def _ruled(classifier: Construe, representation: Representation, material: TrainingData) -> Construe:
    """Return a classifier by hand-written rules, which looks words up among the terms of the documents."""
    changes = {"categories": classifier.categories or material.categories}
    if source_of(representation.weights) == "counts" and classifier.terms is None:
        if representation.select is not None:
            raise InvalidInput(
                f"rules may ask for any term, but select={representation.select!r} leaves some out; set select=None"
            )
        analyzer = classifier.analyzer or representation.reading_analyzer()
        changes |= {"terms": material.raw(representation).terms, "analyzer": analyzer}
    return clone(classifier).set_params(**changes)


def _warn(unmatched: list[str], categories: int) -> None:
    if unmatched:
        names = ", ".join(map(repr, unmatched[:5])) + (", …" if len(unmatched) > 5 else "")
        message = f"no word of {len(unmatched)} of {categories} names occurs in the documents ({names}): they score 0"
        remedy = "describe them in `names`, a mapping or a file (--set names=FILE)"
        warnings.warn(f"{message}; {remedy}", UserWarning, stacklevel=8)


def shown(classifier: AnyClassifier, given: AnyClassifier | str | None = None) -> str:
    """Describe a classifier in a signature; one that matches names as it was `given`, without the data's terms.

    A taxonomy is described by the number of its links and the start of their SHA-256, whatever their order.
    """
    if getattr(classifier, "names_categories", False) and given is not None:
        classifier = make_classifier(given) if isinstance(given, str) else given
    taxonomy = getattr(classifier, "taxonomy", None)
    if taxonomy is None:
        return " ".join(repr(classifier).split())
    text = " ".join(repr(clone(classifier).set_params(taxonomy=None, categories=None)).split())
    links = f"taxonomy={len(taxonomy)} links {links_digest(taxonomy)[:8]}"
    return f"{text[:-1]}{'' if text.endswith('()') else ', '}{links})"


def links_digest(taxonomy: Iterable[tuple[Any, Any]]) -> str:
    """Return the SHA-256 of (parent, child) pairs, whatever their order."""
    links = sorted(f"{parent}\t{child}\n" for parent, child in taxonomy)
    return hashlib.sha256("".join(links).encode("utf-8", "surrogatepass")).hexdigest()
