"""Settings of a training as objects, and the one place where plain settings become them.

Command lines, plans and reproductions say settings as plain values:

    classifier, analyzer, weights, select, min_df, cut, folds, seed,
    representation, vectors, outside, language                          themselves
    analyzer__stem, classifier__C, cut__fbr, select__by                 parameters of a part
    stem, title, tokens, …                                              parameters of the analyzer
    by                                                                  how selection joins categories
    cut_fbr, cut_fallback, …                                            parameters of the threshold
    C, k, alpha, …                                                      parameters of the classifier

A parameter that the classifier has is the classifier's. As TOML has no null, "none" stands for None in `select` and in
parameters of the analyzer, whose `ngrams` may be "1,2".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from rubricate import registry
from rubricate.engines import Engine
from rubricate.errors import InvalidInput, UnknownName
from rubricate.text.analyzer import Analyzer
from rubricate.text.embeddings import Embeddings
from rubricate.text.encoder_folder import ENCODER_VARIABLE
from rubricate.text.options import plain_option
from rubricate.text.representation import Representation, source_of
from rubricate.text.selection import Select
from rubricate.thresholds import Threshold, resolve
from rubricate.training.candidates import (
    candidates_for,
    centroids_for,
    costs_for,
    make_classifier,
    start_among,
    usual_cost,
)
from rubricate.training.data import TrainingData
from rubricate.training.languages import DetectedLanguage, check_language, detect_for
from rubricate.training.memory import check_memory
from rubricate.training.model import signature_of
from rubricate.training.parameters import Parameters
from rubricate.training.plan import TrainingPlan
from rubricate.training.representations import (
    AUTO,
    HYBRID,
    VECTORS,
    AnyRepresentation,
    candidate_representations,
    encoder_of,
    hybrid,
    named_representation,
    vector_representation,
)
from rubricate.training.scoring import limit_for
from rubricate.training.screening import screen
from rubricate.types import AnyClassifier, Signature

__all__ = ["TrainingConfig", "open_parts", "parse_settings", "read_setting"]

FEWEST_TO_CHOOSE = 12
"""Documents from which on a representation is chosen: three folds of fewer say nothing."""
ABOVE_ZERO = 1e-9
"""The cut where there are no labels: a score of 0 says that no word of a name, and no rule, was found."""


class TrainingConfig(Parameters):
    """The parameters of a `Categorizer`, which explains them, and the training that they stand for."""

    def shape(self) -> AnyRepresentation:
        """Return how documents become vectors, unfitted; the terms where that is to be chosen."""
        if isinstance(self.min_df, bool) or not isinstance(self.min_df, Integral) or self.min_df < 1:
            raise InvalidInput(f"min_df must be a whole number of documents, 1 or more, got {self.min_df!r}")
        terms = Representation(self.analyzer, weights=self.weights, select=self.select, min_df=self.min_df)
        if self.representation in (None, AUTO):
            return terms
        if self.representation in (VECTORS, HYBRID):
            encoder = self._needed_encoder()
            return vector_representation(encoder) if self.representation == VECTORS else hybrid(terms, encoder)
        return named_representation(self.representation, terms)

    def encoder(self) -> Embeddings | None:
        """Return the encoder whose vectors are considered: the one given, or that of the environment."""
        encoder = encoder_of(self.vectors)
        if self.vectors is not None and not self.chooses() and self.representation not in (VECTORS, HYBRID):
            raise InvalidInput(
                f"vectors={self.vectors!r} is considered only where the representation is chosen. "
                "Fix: leave out weights and representation, or give representation='hybrid' or 'vectors'"
            )
        return encoder

    def _needed_encoder(self) -> Embeddings:
        encoder = encoder_of(self.vectors)
        if encoder is None:
            raise InvalidInput(
                f"representation={self.representation!r} needs an encoder. Fix: give vectors=FOLDER (in a shell, "
                f"--vectors model:FOLDER), or set {ENCODER_VARIABLE}"
            )
        return encoder

    def leaves_out_unlabelled(self) -> bool:
        """Return whether documents without a label may be an oversight: nothing says that a document may have none."""
        return self.cut is None and self.outside is None

    def chooses(self) -> bool:
        """Return whether the representation is left to cross-validation: nothing of it, and no classifier, is given."""
        if self.representation is not None:
            return self.representation in (AUTO, HYBRID)
        if self.vectors is not None:
            return isinstance(self.weights, str) and self.weights not in ("precomputed", "documents")
        open_ = self.classifier is None and self.analyzer is None and self.select is None
        return open_ and isinstance(self.weights, str) and self.weights == "ltc" and self.min_df == 1

    def procedure(self, material: TrainingData) -> TrainingPlan:
        """Return the training that these settings stand for, given the labels; `choose` looks at the documents."""
        cut = self._cut(material)
        folds = self._folds(cut, len(material.ids)) if material.labels.nnz else 0
        self.encoder()
        check_language(self.language)
        return TrainingPlan(
            representations=(),
            candidates=(),
            cut=cut,
            folds=folds,
            seed=self.seed,
            seeds=cut.seeds if folds and cut.needs_scores else 1,
            limit=limit_for(*material.labels.shape),
            single_label=material.single_label,
            held_out="folds" if folds else "none",
            settings=self,
        )

    def choose(
        self, procedure: TrainingPlan, material: TrainingData, *, engine: Engine | str = "threads"
    ) -> TrainingPlan:
        """Return the procedure with representation and candidates: detect the language, try representations."""
        detected = detect_for(self.language, material, self.analyzer) if self._counts() else None
        settled, folds = self._reading(detected), procedure.folds
        screened = folds > 0 and self.chooses()
        chosen = settled._chosen(material, procedure.cut, engine) if screened else (settled.shape(), None, ())
        shape, screening, costs = chosen
        check_memory(shape, material)
        centroids, costs = centroids_for(material.labels, procedure.cut), costs or costs_for(shape)
        tuned = folds > 0 and self.classifier is None
        return replace(
            procedure,
            representations=(shape,),
            candidates=candidates_for(self.classifier, tuned=folds > 0, costs=costs, centroids=centroids),
            climbs_from=start_among(costs, usual_cost(shape)) if tuned and len(centroids) == 1 else None,
            screening=screening,
            language=None if detected is None else detected.facts,
        )

    def _counts(self) -> bool:
        """Return whether terms are counted, so that the language matters."""
        return self.representation != VECTORS and source_of(self.weights) == "counts"

    def _reading(self, detected: DetectedLanguage | None) -> Self:
        """Return the settings with the analyzer that the language asks for, where none is given."""
        if detected is None or detected.analyzer is None or self.analyzer is not None:
            return self
        named = AUTO if self.representation is None and self.chooses() else self.representation
        return replace(self, analyzer=detected.analyzer, representation=named)

    def _chosen(
        self, material: TrainingData, cut: Threshold, engine: Engine | str
    ) -> tuple[AnyRepresentation, Mapping[str, Any], tuple[float, ...]]:
        """Return the representation that does best on a sample, how the others did, and the costs left to try."""
        shape = self.shape()
        if len(material.ids) < FEWEST_TO_CHOOSE:
            return shape, {"chosen": self.representation or "terms", "documents": 0, "tried": []}, ()
        terms = replace(self, representation=None, vectors=None).shape()
        assert isinstance(terms, Representation)
        encoder, only = self.encoder(), HYBRID if self.representation == HYBRID else None
        screening = material.screened(
            (terms.key(), repr(cut), self.seed, repr(encoder), only, self.classifier is None),
            lambda: screen(
                candidate_representations(terms),
                material,
                cut=cut,
                seed=self.seed,
                engine=engine,
                encoder=encoder,
                only=only,
                tuned=self.classifier is None,
            ),
        )
        return screening.representation, screening.to_dict(), screening.costs

    def signature(
        self,
        *,
        classifier: AnyClassifier | str | None = None,
        cut: Any = None,
        representation: AnyRepresentation | None = None,
        origin: tuple[str, str] = ("", ""),
    ) -> Signature:
        """Return where numbers come from; `classifier`, `cut`, `representation` are what a training settled on."""
        shape = self.shape() if representation is None else representation
        return signature_of(self, classifier=classifier, cut=cut, representation=shape, origin=origin)

    def _cut(self, material: TrainingData) -> Threshold:
        if not material.labels.nnz:
            return self._cut_without_labels()
        if self.outside is not None:
            return self._refusing(material)
        if self.cut is not None:
            return resolve(self.cut)
        return resolve("rcut:1") if material.single_label else resolve("micro_macro")

    def _refusing(self, material: TrainingData) -> Threshold:
        """Return the cut that assigns the best category or none."""
        most = int(np.diff(material.labels.indptr).max(initial=0))
        if self.cut is not None or most > 1:
            problem = f"cut={self.cut!r}" if self.cut is not None else f"documents of {most} labels"
            raise InvalidInput(
                f"outside={self.outside!r} assigns one category or none, which does not go with {problem}. "
                "Fix: leave out one of them"
            )
        share = self.outside
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share < 1:
            raise InvalidInput(f"outside must be a share of documents from 0 to below 1, such as 0.05; got {share!r}")
        return resolve(f"refuse:{float(share)!r}")

    def _cut_without_labels(self) -> Threshold:
        """Return a cut that learns nothing: what scores above 0 is assigned, unless another one is given."""
        cut = resolve(ABOVE_ZERO if self.cut is None else self.cut)
        if cut.needs_labels or self.folds:
            asked = f"folds={self.folds!r}" if self.folds else f"cut={self.cut!r}"
            raise InvalidInput(
                f"{asked} learns from labels, and these documents have none; give a cut such as 0.1 or rcut:1"
            )
        return cut

    def _folds(self, cut: Threshold, documents: int) -> int:
        folds = cut.folds if self.folds is None else self.folds
        if not isinstance(folds, (int, np.integer)) or folds < 0 or folds == 1:
            raise InvalidInput(f"folds must be 0 (none) or from 2 on, got {self.folds!r}")
        if folds == 0 and cut.needs_scores:
            raise InvalidInput(
                f"{cut!r} learns from out-of-fold scores; give folds=5, or a cut such as 'rcut:1' or 0.0"
            )
        if not (isinstance(self.seed, (int, np.integer)) and self.seed >= 0):
            raise InvalidInput(
                f"seed, by which documents are dealt to folds, must be a whole number from 0 on; got {self.seed!r}"
            )
        return min(int(folds), documents)


KNOWN = tuple(each.name for each in fields(TrainingConfig))
PARTS = ("classifier", "analyzer", "cut", "select")
"""Settings that have parameters of their own."""


def read_setting(pair: str) -> tuple[str, Any]:
    """Read NAME=VALUE; a value that reads as JSON (a number, true, null, a list) is that, else text.

    >>> read_setting("C=2"), read_setting("analyzer__stem=porter2"), read_setting("select=null")
    (('C', 2), ('analyzer__stem', 'porter2'), ('select', None))
    """
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise InvalidInput(f"expected NAME=VALUE, such as C=2, got {pair!r}")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value


def parse_settings(settings: Mapping[str, Any]) -> TrainingConfig:
    """Return plain settings as objects; the module describes their names.

    Parameters of a classifier that is not named are those of the default one, an SVM, whose C is then not tuned.

    >>> parse_settings({"classifier": "knn", "k": 30, "cut": "scut:0.3", "cut_fallback": "infinity"}).cut
    Scut(fallback='infinity', fbr=0.3)
    """
    own = {name: value for name, value in settings.items() if name in KNOWN}
    own |= {"select": None} if own.get("select") == "none" else {}
    parts: dict[str, dict[str, Any]] = {}
    taken = _parameters_of(own.get("classifier"))
    for name, value in settings.items():
        if name not in KNOWN:
            part, parameter = _place(name, taken)
            parts.setdefault(part, {})[parameter] = plain_option(parameter, value) if part == "analyzer" else value
    parsed = TrainingConfig(**own)
    for part, parameters in parts.items():
        if part not in KNOWN:
            raise UnknownName("setting", part, KNOWN)
        parsed = replace(parsed, **{part: _with(part, getattr(parsed, part), parameters)})
    return parsed


def open_parts(settings: TrainingConfig, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts whose parameters are about to be set (`classifier__C`) as objects, where they are not yet.

    A default whose classifier gets parameters still chooses its representation.

    >>> open_parts(TrainingConfig(), {"classifier__C": 2.0})
    {'classifier': SVM(), 'representation': 'auto'}
    """
    opened: dict[str, Any] = {}
    for part in dict.fromkeys(name.partition("__")[0] for name in params if "__" in name):
        value = params.get(part, getattr(settings, part, None))
        if part not in PARTS or hasattr(value, "get_params") or (value is None and part in ("cut", "select")):
            continue
        opened[part] = _object(part, value, {})
    if "classifier" in opened and "representation" not in params and settings.representation is None:
        opened |= {"representation": AUTO} if settings.chooses() and params.get("classifier") is None else {}
    return opened


def _parameters_of(classifier: AnyClassifier | str | None) -> frozenset[str]:
    """Return the names of the parameters of a classifier, given itself, by name, or None for an SVM."""
    if classifier is None or isinstance(classifier, str):
        import inspect

        return frozenset(inspect.signature(registry.load("classifiers", classifier or "svm")).parameters)
    return frozenset(classifier.get_params(deep=False) if hasattr(classifier, "get_params") else ())


def _place(name: str, taken: frozenset[str]) -> tuple[str, str]:
    """Return the part that a setting belongs to, and its name there."""
    part, mark, rest = name.partition("__")
    if mark:
        return part, rest
    if name in taken:
        return "classifier", name
    if name.startswith("cut_"):
        return "cut", name.removeprefix("cut_")
    if name == "by":
        return "select", name
    return ("analyzer" if name in Analyzer().get_params() else "classifier"), name


def _with(part: str, value: Any, parameters: dict[str, Any]) -> Any:
    """Return a part with some of its parameters set."""
    if part == "select" and value is None:
        return None
    changed = _object(part, value, parameters)
    if not hasattr(changed, "get_params"):
        raise InvalidInput(f"{part}__{next(iter(parameters))}: {part}={changed!r} has no parameters of its own")
    known = changed.get_params(deep=False)
    for name in parameters:
        if name.partition("__")[0] not in known:
            raise UnknownName(f"parameter of the {part}", name, known)
    try:
        return changed.set_params(**parameters)
    except AttributeError:  # `analyzer__stem__x`: a parameter of something that has none
        raise InvalidInput(f"{', '.join(parameters)}: a value of the {part} has no parameters of its own") from None


def _object(part: str, value: Any, parameters: dict[str, Any]) -> Any:
    """Return a part as an object of its own; shorthand is resolved, what a classifier needs leaves `parameters`."""
    if part == "classifier" and (value is None or isinstance(value, str)):
        return make_classifier(value or "svm", parameters)
    if part == "analyzer" and value is None:
        return Analyzer(title=2)
    if part == "cut" and value is not None:
        return resolve(value)
    if part == "select" and isinstance(value, str):
        return Select(value)
    return clone(value) if hasattr(value, "get_params") else value
