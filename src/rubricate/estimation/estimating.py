"""The system under estimation: what is in it, and how it is put before an estimator."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from sklearn.base import clone

from rubricate import registry
from rubricate._version import __version__
from rubricate.classifiers.svm import SVM
from rubricate.classifiers.svm_leave_one_out import has_dual
from rubricate.errors import InvalidInput, UnknownName
from rubricate.estimation.resampling import Learner
from rubricate.estimation.results import Estimate
from rubricate.text.representation import Representation
from rubricate.thresholds import resolve
from rubricate.thresholds.fixed import Rcut
from rubricate.training.candidates import candidates_for, make_classifier, placed
from rubricate.training.config import TrainingConfig
from rubricate.training.data import TrainingData, given_documents, take_target
from rubricate.types import Ints, Signature

__all__ = ["Machine", "Subject", "assigns_best", "estimate", "estimator_named", "machine_parts"]


@dataclass(frozen=True, eq=False)
class Machine:
    """An SVM, fitted or not, the vectors it learns from, and the columns of the categories that it can tell apart."""

    svm: SVM
    vectors: Any
    columns: Ints


class Subject:
    """A system and the documents that it is judged on.

    Parameters
    ----------
    system
        A `Categorizer` (anything with `settings()`), a classifier, or the name of one; fitted or not.
    X, y
        The training documents in any form.
    """

    def __init__(self, system: Any, X: Any, y: Any = None) -> None:
        self.system = make_classifier(system) if isinstance(system, str) else system
        known = getattr(system, "categories_", None) if self._is_trained else None
        target = take_target(given_documents(X), y, known)
        unlabelled = self.system.settings().leaves_out_unlabelled() if self._is_whole else target.form == "column"
        self.material = TrainingData(X, target, leave_out_unlabelled=unlabelled)

    @property
    def _is_whole(self) -> bool:
        """Whether the system takes documents and decides, as a `Categorizer` does."""
        return hasattr(self.system, "settings") and hasattr(self.system, "classify")

    @property
    def _is_trained(self) -> bool:
        return self._is_whole and hasattr(self.system, "model_")

    @cached_property
    def settings(self) -> TrainingConfig:
        """Settings of the system; a bare classifier gets those of the default `Categorizer`."""
        if self._is_whole:
            return self.system.settings()
        by_category = has_dual(self.system) and self.material.target.form != "column"
        return TrainingConfig(clone(self.system), cut=0.0 if by_category else None)

    @cached_property
    def single(self) -> bool:
        """Whether every document has one label and the system gives each its best category.

        A bare classifier does so for a column of labels; one that is given label sets decides on each category.
        """
        if not self.material.single_label or not (self._is_whole or self.material.target.form == "column"):
            return False
        cut = self.system.cut_ if self._is_trained else self.settings.cut
        return self.settings.outside is None and (cut is None or assigns_best(resolve(cut)))

    @cached_property
    def svm(self) -> SVM | None:
        """SVM in the system, fitted or not; None where there is none."""
        chosen = self.system
        if self._is_trained:
            chosen = self.system.classifier_
        elif self._is_whole:
            chosen = candidates_for(self.settings.classifier, tuned=False)[0]
        return chosen if has_dual(chosen) else None

    @property
    def _known_svm(self) -> SVM:
        """SVM of a system that has one: `estimate` asks for no machine of others."""
        return cast(SVM, self.svm)

    def machine(self) -> Machine:
        """Return the SVM with its vectors, made from terms and weights of all documents."""
        labels, counts = self.material.labels, self.material.train_counts
        columns = np.flatnonzero((counts > 0) & (counts < labels.shape[0]))
        if not len(columns):
            raise InvalidInput("every category has all or none of the documents: there is nothing to estimate")
        if self._is_trained:
            self._check_documents()
            return Machine(self._known_svm, self.system.features(self.material.documents), columns)
        if self._is_whole:
            return Machine(self._open_svm(), self._vectors(self._representation), columns)
        if hasattr(self._known_svm, "alpha_"):
            return Machine(self._known_svm, self.material.documents, columns)
        vectors = self.material.documents if self._has_vectors else self._vectors(Representation())
        return Machine(self._known_svm, vectors, columns)

    def learner(self) -> Any:
        """Return what the resampling estimators train anew: the whole procedure, or a classifier of vectors."""
        if not self._is_whole and self._has_vectors:
            return placed(self.system, Representation(weights=None), self.material)
        engine = self.system.engine if self._is_whole else "threads"
        return Learner(self.settings, self.material.categories, self.material.taxonomy, engine)

    def signature(self, seed: int | None) -> Signature:
        """Return where the numbers come from."""
        if self._is_whole and "_representation" in vars(self):
            svm, origin = self._open_svm(), self.material.origin
            return self.settings.signature(classifier=svm, representation=self._representation, origin=origin)
        if self._is_whole:
            return self.system.signature()
        corpus, split = self.material.origin
        text = " ".join(repr(self.system).split())
        return Signature(corpus, split, classifier=text, seed=seed, version=__version__)

    @cached_property
    def _representation(self) -> Any:
        """Representation that the settings give or that is chosen for them, not fitted."""
        procedure = self.settings.procedure(self.material)
        return self.settings.choose(procedure, self.material).representations[0]

    def _open_svm(self) -> SVM:
        """Return the SVM to train; where no classifier is named, C is 1 for each block, as representations are chosen.

        A training that tunes C may end with another one.
        """
        if self.settings.classifier is not None:
            return self._known_svm
        blocks = len(getattr(self._representation, "parts", (self._representation,)))
        return clone(self._known_svm).set_params(C=float(blocks))

    @property
    def _has_vectors(self) -> bool:
        return hasattr(self.material.documents, "shape") and len(self.material.documents.shape) == 2

    def _vectors(self, representation: Any) -> Any:
        return self.material.shaped(representation, None).X

    def _check_documents(self) -> None:
        if self._known_svm.alpha_.shape[0] != self.material.labels.shape[0] or self.system.ids_ != self.material.ids:
            raise InvalidInput("the model was learned from other documents; give those, or a model not yet fitted")


def assigns_best(cut: Any) -> bool:
    """Return whether a threshold gives every document its one best category.

    >>> assigns_best(resolve("rcut:1")), assigns_best(resolve("rcut:2")), assigns_best(resolve(0.0))
    (True, False, False)
    """
    return isinstance(cut, Rcut) and cut.t == 1


def machine_parts(system: Any, X: Any, y: Any = None) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Return an SVM to be fitted, the vectors of the documents, their labels, and options for learning curves.

    The options are `categories`, their names, and `single` where each document has one label, its best category.

    Terms and weights are those of all documents, at every size.
    """
    subject = Subject(clone(system), X, y)
    if subject.svm is None:
        raise InvalidInput("a learning curve by xi_alpha needs an SVM; give one, or learning_curve another estimator")
    machine = subject.machine()
    names = [subject.material.categories[c] for c in machine.columns]
    options = {"categories": names, "single": subject.single}
    return clone(machine.svm), machine.vectors, subject.material.labels[:, machine.columns], options


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

    >>> from rubricate.classifiers.svm import SVM
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
