"""`rubricate.estimate`: how well a system will do on documents nobody has labelled."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rubricate import registry
from rubricate.errors import InvalidInput, UnknownName
from rubricate.estimation.definition.estimate import Estimate
from rubricate.estimation.systems.subject import Subject

__all__ = ["estimate", "estimator_named"]

RESERVED = ("categories", "signature", "single")
"""Options that follow from the documents."""


def estimate(system: Any, X: Any, y: Any = None, *, method: str | None = None, **options: Any) -> Estimate:
    """Estimate error, recall, precision and F1, per category and averaged, from the training documents alone.

    Parameters
    ----------
    system
        A `Categorizer`, one of our classifiers or of scikit-learn's, a name such as "svm"; fitted or not.
    X, y
        The training documents: `Documents`, a `Corpus` (those for training), texts or vectors with labels.
    method
        A file of `rubricate.estimation`; by default "xi_alpha" for an SVM and "cross_validation" for the rest.
    options
        Those of the method: `rho=2`, `folds=5`, `samples=20`, …

    "xi_alpha" and, for SVMs, "leave_one_out" speak of the SVM itself, with terms and weights of all documents: it
    assigns a category where its score is positive; a learned cut and the selection of terms are not theirs to judge. A
    fitted SVM's solution is used, else one is trained. All other methods repeat everything, cuts included. A bare
    classifier gets texts by the default `Categorizer`'s terms and weights, vectors as they are. Where every document
    has one label (for a bare classifier: given as a column), all methods judge the best category of each document, and
    the estimate has an `accuracy`; a cut that was given, such as 0.0, is kept instead.

    >>> from rubricate.classifiers.svm.svm import SVM
    >>> texts = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
    >>> result = estimate(SVM(), texts, ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3)
    >>> result.method, result.categories, result.micro["f1"]
    ('xi_alpha', ('fuel', 'grain'), 1.0)
    """
    subject = Subject(system, X, y)
    default = "cross_validation" if subject.svm is None else "xi_alpha"
    name, plugin = estimator_named(default if method is None else method)
    takes = inspect.signature(plugin).parameters
    _check_options(name, options, takes)
    target = subject.material.target
    if getattr(plugin, "needs_svm", False) and subject.svm is not None:
        machine = subject.machine()
        names, labels = [target.categories[c] for c in machine.columns], target.labels[:, machine.columns]
        common = {"categories": names, "single": subject.single, **options}
        result = plugin(machine.svm, machine.vectors, labels, **common)
    else:
        common = {"categories": target.categories, **options}
        if "single" in takes:
            common["single"] = subject.single
        result = plugin(subject.learner(), subject.material.documents, target.labels, **common)
    return replace(result, signature=subject.signature(options.get("seed")))


def estimator_named(method: str) -> tuple[str, Any]:
    """Return the name of an estimator with underscores, and the estimator; a name with hyphens is deprecated."""
    name = method.replace("-", "_")
    if name != method:
        message = f"{method!r} is now {name!r}; the spelling with a hyphen goes with the next release"
        warnings.warn(message, DeprecationWarning, stacklevel=3)
    return name, registry.load("estimation", name)


KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "int": ((int, np.integer), "a whole number"),
    "float": ((int, float, np.integer, np.floating), "a number"),
    "bool": ((bool, np.bool_), "true or false"),
}


def _check_options(name: str, options: Mapping[str, Any], takes: Mapping[str, inspect.Parameter]) -> None:
    for option, value in options.items():
        if option not in takes or option in RESERVED:
            known = [each for each, how in takes.items() if how.kind == how.KEYWORD_ONLY and each not in RESERVED]
            raise UnknownName(f"option of {name}", option, known)
        _check_kind(name, option, value, annotation=str(takes[option].annotation))


def _check_kind(name: str, option: str, value: Any, *, annotation: str) -> None:
    """Check that numbers and flags of a method are what they are declared to be; others are left to the method."""
    declared = annotation.removesuffix(" | None")
    if declared not in KINDS or (value is None and declared != annotation):
        return
    kinds, noun = KINDS[declared]
    if not isinstance(value, kinds) or (isinstance(value, bool) and declared != "bool"):
        raise InvalidInput(f"{option} of {name} must be {noun}, got {value!r}")
