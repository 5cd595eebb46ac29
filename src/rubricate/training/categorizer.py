"""The whole flow as one estimator: texts in, decisions out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rubricate.engines import Engine
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.labels import label_tuples
from rubricate.measures import counts, micro
from rubricate.text.representation import source_of
from rubricate.thresholds.class_probabilities import class_chances
from rubricate.training import model_file
from rubricate.training.answering import FittedAnswers
from rubricate.training.candidates import bare_target
from rubricate.training.confidence import Confidence
from rubricate.training.config import TrainingConfig, open_parts, parse_settings
from rubricate.training.data import TrainingData, given_documents
from rubricate.training.model import Model
from rubricate.training.parameters import Parameters
from rubricate.training.plan import TrainingPlan
from rubricate.training.representations import AnyRepresentation
from rubricate.training.run import TrainingRun
from rubricate.training.truth import with_truth
from rubricate.training.updates import join_documents, plain_documents, update_model
from rubricate.types import Corpus, Documents, Floats, Ints, Run, Signature

if TYPE_CHECKING:
    from rubricate.thresholds import Threshold
    from rubricate.types import AnyClassifier

__all__ = ["Categorizer", "configured"]


def configured(settings: Mapping[str, Any]) -> Categorizer:
    """Return a categorizer with plain settings, as a command line or a plan gives them; see `training.config`.

    >>> configured({"classifier": "knn", "k": 30, "select": "chi2:2415"})
    Categorizer(classifier=KNN(k=30), select='chi2:2415')
    """
    plain = {name: value for name, value in settings.items() if name != "engine"}
    return Categorizer(**vars(parse_settings(plain)), engine=settings.get("engine", "threads"))


Value = TypeVar("Value")


class _Learned(Generic[Value]):
    """An attribute that reads a field of the fitted model."""

    def __init__(self, field: str) -> None:
        self.field = field
        self.__doc__ = f"`{field}` of the fitted model."

    def __get__(self, categorizer: Categorizer, owner: type) -> Value:
        if categorizer is None:
            return cast(Value, self)
        if "model_" not in vars(categorizer):
            raise NotFittedError("this Categorizer is not fitted yet. Fix: call fit, or open a model file")
        return cast(Value, getattr(categorizer.model_, self.field))


def _knows_chances(model: Categorizer) -> bool:
    if getattr(model, "sharpness_", None) is None:
        raise AttributeError(
            "class probabilities need a model fitted with folds on documents of exactly one label each; "
            "confidence and decision_function are there for others"
        )
    return True


@dataclass(eq=False, repr=False, match_args=False, kw_only=True)
class Categorizer(FittedAnswers, ClassifierMixin, BaseEstimator, Parameters):
    """A text categorizer: analysis, selection, weights, classifier and threshold, learned together and used as one.

    Parameters
    ----------
    classifier
        One of ours or of scikit-learn's, a bare name such as "knn", or None: a linear SVM whose C is chosen among 0.5,
        1, 2, 4; a representation of several blocks also tries 0.25, one with an encoder tries 1, 4, 8, 16. Where many
        categories have one or two documents and the best category is assigned, each is also tried with the score of
        the centroid added (`SVM(centroid=4)`).
    analyzer
        An `Analyzer`; None for the default one, which counts the terms of titles twice.
    weights
        A SMART triple; a transformer of counts or of texts; None or "precomputed" for vectors of your own; "documents"
        for a classifier that reads documents itself, such as a stack of pipelines.
    select
        None, a shorthand such as "chi2:2415", or a selector.
    min_df
        Terms that occur in fewer training documents are left out.
    representation
        "terms", "words" (terms, and words in 1- and 2-grams), "characters" (such words, and character n-grams), "mixed"
        (all three side by side), or "auto": chosen among them, and terms without a stop list, by cross-validation on a
        sample of the documents. None: "auto" where classifier, analyzer, weights, select and min_df are left at their
        defaults, else "terms". With an encoder also "vectors", and "hybrid" (terms and vectors side by side).
    vectors
        An encoder whose vectors are considered besides terms: a folder, the name of a fetched encoder, or
        `rb.text.Embeddings`. None: the one that the variable RUBRICATE_ENCODER names, or none.
    language
        "auto": detected, and read accordingly where no analyzer is given (stop list, stemmer, character n-grams;
        several languages: neither stop list nor stemmer); a code or name such as "de"; "none". `language_` says what
        was found and whether it is sure.
    cut
        A threshold, its shorthand or a number; None: the best category where every training document has exactly one
        label (`single_label_`), else `MicroMacro()`.
    outside
        None, or a share such as 0.05: documents must have at most one label, and those that fit no category get none.
        Documents without a label are known to be outside. Without any, that share of the training documents may be
        refused (`thresholds.Refuse`).
    folds
        None: as many as the cut says (5); 0: none, which saves time and leaves no confidence.
    seed
        Seed of the folds.
    engine
        Where folds run: "threads", "serial", "dask", …; results do not depend on it.

    `fit` deals the documents to folds stratified by category (sechidis2011), scores each fold by classifiers trained on
    the others, and from these out-of-fold scores chooses C, learns the cut, and judges the result
    (`training.plan`). Text is read once; selection and weights are learned again in every fold, so that no
    document influences its own score (the vocabulary and `min_df`, which see no labels, are common). With fewer
    documents than folds, there are as many folds as documents. Beyond 2²³ scores (documents × categories) only the 64
    best categories of each document are kept and decided upon. A hierarchical classifier without a taxonomy gets that
    of the corpus.

    Learned: `model_`, all that was learned as one object (`training.model`), and what reads it: `categories_`;
    `classes_` (what `predict` answers with); `classifier_`, `cut_`, `representation_`; `single_label_`;
    `train_counts_`; `cross_validation_` (micro-F1, macro-F1, error, the share decided exactly right, documents, folds);
    `screening_` (how the representation was chosen, None where it was given); `confidence_` and the coverage–error
    curve (`coverage`), unless folds=0.

    Cost: (folds × candidates + 1) trainings. Reuters ApteMod-90 with all defaults: some seconds on two cores.

    >>> texts = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
    >>> model = Categorizer().fit(texts, ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3)
    >>> model.classify(["Exports of wheat", "oil prices"])
    [('grain',), ('fuel',)]
    """

    engine: Engine | str = "threads"

    if TYPE_CHECKING:  # the list of `Parameters` once more: checkers see no fields of dataclasses with untyped bases

        def __init__(
            self,
            classifier: AnyClassifier | str | None = None,
            *,
            analyzer: Any = None,
            weights: Any = "ltc",
            select: Any = None,
            min_df: int = 1,
            representation: str | None = None,
            vectors: Any = None,
            language: str = "auto",
            cut: str | float | Threshold | None = None,
            outside: float | None = None,
            folds: int | None = None,
            seed: int = 0,
            engine: Engine | str = "threads",
        ) -> None: ...

    origin_ = _Learned[tuple[str, str]]("origin")
    ids_ = _Learned[Sequence[str]]("ids")
    categories_ = _Learned[tuple[str, ...]]("categories")
    classes_ = _Learned[NDArray[Any]]("classes")
    form_ = _Learned[str]("form")
    train_counts_ = _Learned[Ints]("train_counts")
    single_label_ = _Learned[bool]("single_label")
    representation_ = _Learned[AnyRepresentation]("representation")
    aligned_ = _Learned[Any]("classifier")
    cut_ = _Learned[Any]("threshold")
    limit_ = _Learned[int | None]("limit")
    screening_ = _Learned[Mapping[str, Any] | None]("screening")
    language_ = _Learned[Mapping[str, Any] | None]("language")
    neighbours_ = _Learned[Any]("neighbours")
    confidence_ = _Learned[Confidence | None]("confidence")
    coverage_ = _Learned[Mapping[str, Floats] | None]("coverage")
    cross_validation_ = _Learned[Mapping[str, Any] | None]("figures")
    sharpness_ = _Learned[float | None]("sharpness")
    reference_ = _Learned[Floats | None]("reference")
    kept_ = _Learned[Documents | None]("documents")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from `Documents`, a `Corpus` (its training documents), or texts and their labels.

        Texts and labels may be lists or pandas, polars or Arrow columns; labels also label sets, or a matrix
        documents × categories. Documents without a label are learned as belonging nowhere, but if all others have
        exactly one label and they are few (one, or at most 5 %), they are left out with a warning, unless `cut` or
        `outside` says that a document may have none. Empty documents are fine; a category that all or none of the
        documents have cannot be learned and is always or never assigned. Classifiers that learn nothing from labels
        ("word" with names, "construe") take documents without any: the words are read, no figure is promised, and what
        scores above 0 is assigned.
        """
        X = X if isinstance(X, Corpus) else given_documents(X)
        known = bare_target(self.classifier, given_documents(X), y)
        material = TrainingData(
            X,
            y if known is None else known,
            leave_out_unlabelled=known is None and self.settings().leaves_out_unlabelled(),
        )
        if known is None:
            material.target.check()
        self.model_ = TrainingRun(self.settings().procedure(material), material, engine=self.engine).model()
        return self

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of a part that is left open or named by shorthand, too: `classifier__C`, `cut__fbr`.

        `classifier__C` of the default sets that of its SVM, and the representation is still chosen. So scikit-learn's
        searches can vary them.
        """
        opened = open_parts(self.settings(), params)
        return super().set_params(**opened, **{name: value for name, value in params.items() if name not in opened})

    def settings(self) -> TrainingConfig:
        """Return the parameters as settings of a training."""
        given = self.get_params(deep=False)
        del given["engine"]
        return TrainingConfig(**given)

    def procedure(self, material: TrainingData) -> TrainingPlan:
        """Return the training that `fit` runs on some material."""
        return self.settings().procedure(material)

    def recalibrated(self, model: Model, cut: Any) -> Self:
        """Return a copy that holds another fitted model, of this cut."""
        other = copy(self)
        other.cut = cut
        other.model_ = replace(model, settings=other.settings())
        return other

    def run(self, X: Any, name: str | None = None, *, y: Any = None) -> Run:
        """Score and decide on documents, with their truth where they have labels, for `evaluate` and `compare`.

        A category of the truth that was not learned is kept: it scores -inf and is never assigned.
        """
        documents = X.test if isinstance(X, Corpus) else X
        return with_truth(self.fitted.run(documents, name), documents, y)

    def out_of_fold_run(self, name: str | None = None) -> Run:
        """Return the out-of-fold decisions on the training documents, beside the truth.

        Known after `fit` with folds, not after `open`: the file keeps the figures, not the documents' outcomes. What
        `update` learned later is not part of it.
        """
        return self.fitted.out_of_fold_run(name)

    def update(self, X: Any, y: Any = None) -> Self:
        """Learn further documents where the classifier can (naive Bayes, kNN, Rocchio, sleeping experts).

        New categories stand where a training on all documents would have them (`training.updates`). Terms, weights
        and cuts of known categories stay: words unknown to the model are not learned. `retrained` learns all anew.
        """
        self.model_ = update_model(self.fitted, given_documents(X), y)
        return self

    def keep(self, documents: Any) -> Self:
        """Keep the training documents with the model, in its file too, so that `retrained` can add to them."""
        documents = given_documents(documents)
        if isinstance(documents, Documents) and self.single_label_:  # those without a label were left out
            documents = documents.take(np.flatnonzero(np.diff(documents.labels.indptr)))
        if not isinstance(documents, Documents) or tuple(map(str, documents.ids)) != tuple(self.fitted.ids):
            raise InvalidInput("keep takes the Documents or the Corpus that the model was fitted on")
        self.model_ = replace(self.fitted, documents=plain_documents(documents))
        return self

    def kept_documents(self) -> Documents | None:
        """Return the documents kept with the model; None where there are none."""
        return self.fitted.documents

    def retrained(self, X: Any) -> Self:
        """Return a model trained anew, with the same settings, on the documents kept and those given.

        New categories are allowed; those of a hierarchical classifier must be in its taxonomy. The new model keeps all
        documents.
        """
        old = self.kept_documents()
        if old is None:
            raise InvalidInput("the model keeps no documents; Fix: train it with --keep, or call keep after fit")
        taxonomy = getattr(self.aligned_.classifier, "taxonomy", None)
        documents = join_documents(old, given_documents(X))
        corpus = Corpus("", "", documents, documents.take([]), taxonomy=taxonomy)
        return clone(self).fit(corpus).keep(corpus)

    def predict(self, X: Any) -> Any:
        """Decide in the form of y: the best class for a column, a matrix for a matrix, else tuples of labels."""
        check_is_fitted(self)
        if self.form_ == "column":
            return self.classes_[self._best(X)]
        decided = self.decide(X)
        if self.form_ == "sets":
            sets = np.empty(decided.values.shape[0], dtype=object)
            sets[:] = label_tuples(decided.values, decided.categories)
            return sets
        return decided.values if self.form_ == "sparse" else decided.values.toarray().astype(np.int64)

    def decision_function(self, X: Any) -> Floats:
        """Score documents, documents × categories; for a column of two classes one vector, positive for the second."""
        scores = self._scores(X)
        if self.form_ == "column" and len(self.classes_) == 2:
            return scores[:, 1] - scores[:, 0]
        return scores

    @available_if(_knows_chances)
    def predict_proba(self, X: Any) -> Floats:
        """Return the calibrated chance of each class, documents × classes; rows add up to 1.

        Learned from out-of-fold scores (`thresholds.class_probabilities`), where every document has exactly one label
        and there are folds.
        """
        return class_chances(self._scores(X), cast(float, self.sharpness_))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy for a column of labels, else micro-F1."""
        check_is_fitted(self)
        if self.form_ == "column":
            return float(super().score(X, y, sample_weight))
        if sample_weight is not None:
            raise InvalidInput("micro-F1 takes no sample weights; weigh single labels, or leave them out")
        run = self.run(X, y=y)
        if run.truth is None or run.decisions is None:
            raise InvalidInput("score needs labels beside the documents")
        return micro("f1", counts(run.truth, run.decisions.values))

    def signature(self) -> Signature:
        """Return where the numbers of this model come from."""
        return self.model_.signature() if hasattr(self, "model_") else self.settings().signature()

    def save(self, path: str | Path) -> Path:
        """Write the model to one file, in one step; see docs/reference/model-file.md."""
        check_is_fitted(self)
        return model_file.save(self, path)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Read the model in a file that `save` wrote."""
        return cls.of(model_file.read_model(path))

    @classmethod
    def of(cls, stored: model_file.StoredModel) -> Self:
        """Return the model of a file that has been read."""
        model, path = stored.estimator(), stored.path
        if not isinstance(model, cls):
            raise InvalidFile(f"a {type(model).__name__}, not a Categorizer", path=path, remedy="use rubricate.open")
        return model

    @property
    def classifier_(self) -> Any:
        """Fitted classifier; None where every category is empty or full."""
        return self.fitted.classifier.classifier_

    @property
    def cross_validated(self) -> Mapping[str, Any] | None:
        """Figures of the whole procedure on documents it had not seen; None with folds=0."""
        return self.fitted.figures

    @property
    def n_features_in_(self) -> int:
        """The number of features of a model that takes vectors."""
        if self.fitted.width is None:
            raise AttributeError("the model takes texts")
        return self.fitted.width

    def stored_state(self) -> dict[str, Any]:
        """Return what a model file stores beside the parameters."""
        return self.model_.state() if hasattr(self, "model_") else {}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Take the fitted model from what a model file stores."""
        if state:
            self.model_ = Model.of_state(self.settings(), state)

    def try_out(self) -> None:
        """Decide on two documents; raise where the parts do not fit together."""
        self.fitted.check()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        vectors = source_of(self.weights) == "vectors"
        tags.input_tags.string = not vectors
        tags.input_tags.two_d_array = vectors
        tags.input_tags.sparse = vectors
        tags.classifier_tags.multi_label = True
        return tags
