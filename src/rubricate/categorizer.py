"""The whole flow as one estimator: texts in, decisions out."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rubricate import registry
from rubricate.engines import Engine
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.files.model import model_file
from rubricate.labels import label_tuples
from rubricate.measures import counts, micro
from rubricate.text.representation import source_of
from rubricate.thresholds import Threshold
from rubricate.thresholds.cutting.class_chances import class_chances
from rubricate.training.answering import FittedAnswers
from rubricate.training.candidates import bare_target
from rubricate.training.keeping import joined_corpus, kept_documents, kept_with, plain_documents
from rubricate.training.learning_on import growth_of, learned_on
from rubricate.training.material import Material
from rubricate.training.procedure import Procedure
from rubricate.training.settings import Settings, open_parts, parse_settings
from rubricate.training.targets import further_target, given_documents
from rubricate.training.trained import Trained
from rubricate.training.truth import with_truth
from rubricate.types import AnyClassifier, Corpus, Documents, Floats, Run, Signature

__all__ = ["Categorizer", "configured"]


def configured(settings: Mapping[str, Any]) -> Categorizer:
    """Return a categorizer with plain settings, as a command line or a plan gives them; see `training.settings`.

    >>> configured({"classifier": "knn", "k": 30, "select": "chi2:2415"})
    Categorizer(classifier=KNN(k=30), select='chi2:2415')
    """
    plain = {name: value for name, value in settings.items() if name != "engine"}
    return Categorizer(**vars(parse_settings(plain)), engine=settings.get("engine", "threads"))


def _knows_chances(model: Categorizer) -> bool:
    if getattr(model, "sharpness_", None) is None:
        raise AttributeError(
            "class probabilities need a model fitted with folds on documents of exactly one label each; "
            "confidence and decision_function are there for others"
        )
    return True


class Categorizer(FittedAnswers, ClassifierMixin, BaseEstimator):
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
    (`training.procedure`). Text is read once; selection and weights are learned again in every fold, so that no
    document influences its own score (the vocabulary and `min_df`, which see no labels, are common). With fewer
    documents than folds, there are as many folds as documents. Beyond 2²³ scores (documents × categories) only the 64
    best categories of each document are kept and decided upon. A hierarchical classifier without a taxonomy gets that
    of the corpus.

    Learned: `categories_`; `classes_` (what `predict` answers with); `classifier_`, `cut_`, `representation_`;
    `single_label_`; `train_counts_`; `cross_validation_` (micro-F1, macro-F1, error, the share decided exactly right,
    documents, folds); `screening_` (how the representation was chosen, None where it was given); `confidence_` and the
    coverage–error curve (`coverage`), unless folds=0.

    Cost: (folds × candidates + 1) trainings. Reuters ApteMod-90 with all defaults: some seconds on two cores.

    >>> texts = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
    >>> model = Categorizer().fit(texts, ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3)
    >>> model.classify(["Exports of wheat", "oil prices"])
    [('grain',), ('fuel',)]
    """

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
    ) -> None:
        self.classifier = classifier
        self.analyzer = analyzer
        self.weights = weights
        self.select = select
        self.min_df = min_df
        self.representation = representation
        self.vectors = vectors
        self.language = language
        self.cut = cut
        self.outside = outside
        self.folds = folds
        self.seed = seed
        self.engine = engine

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
        material = Material(
            X, y if known is None else known, leave_out_strays=known is None and self.settings().leaves_out_strays()
        )
        if known is None:
            material.target.check()
        return self._keep(material, self.procedure(material).run(material, engine=self.engine))

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of a part that is left open or named by shorthand, too: `classifier__C`, `cut__fbr`.

        `classifier__C` of the default sets that of its SVM, and the representation is still chosen. So scikit-learn's
        searches can vary them.
        """
        opened = open_parts(self.settings(), params)
        return super().set_params(**opened, **{name: value for name, value in params.items() if name not in opened})

    def settings(self) -> Settings:
        """Return the parameters as settings of a training."""
        return Settings(**{name: value for name, value in self.get_params(deep=False).items() if name != "engine"})

    def procedure(self, material: Material) -> Procedure:
        """Return the training that `fit` runs on some material."""
        return self.settings().procedure(material, engine=self.engine)

    def trained(self) -> Trained:
        """Return the fitted parts as one object."""
        check_is_fitted(self, "aligned_")
        return Trained(
            representation=self.representation_,
            classifier=self.aligned_,
            cut=self.cut_,
            categories=self.categories_,
            ids=self.ids_,
            limit=self.limit_,
            judged=getattr(self, "_judged", None),
            confidence=self.confidence_,
            coverage=self.coverage_,
            figures=self.cross_validation_,
            screening=getattr(self, "screening_", None),
            language=getattr(self, "language_", None),
            neighbours=getattr(self, "neighbours_", None),
            sharpness=getattr(self, "sharpness_", None),
            reference=getattr(self, "reference_", None),
        )

    def recalibrated(self, trained: Trained, cut: Any) -> Self:
        """Return a copy with another cut, and the confidence and figures that go with it."""
        other = copy(self)
        other.cut = cut
        return other._keep_judged(trained)

    def _keep(self, material: Material, trained: Trained) -> Self:
        target = material.target
        self.origin_, self.ids_ = material.origin, material.ids
        self.categories_, self.classes_, self.form_ = target.categories, target.classes, target.form
        self.train_counts_, self.single_label_ = material.train_counts, material.single_label
        self.representation_, self.aligned_, self.limit_ = trained.representation, trained.classifier, trained.limit
        self.screening_, self.language_ = trained.screening, trained.language
        self.neighbours_ = trained.neighbours
        if hasattr(trained.representation, "width_"):
            self.n_features_in_ = trained.representation.width_
        return self._keep_judged(trained)

    def _keep_judged(self, trained: Trained) -> Self:
        self.cut_, self.confidence_, self.coverage_ = trained.cut, trained.confidence, trained.coverage
        self.cross_validation_, self._judged = trained.figures, trained.judged
        self.sharpness_, self.reference_ = trained.sharpness, trained.reference
        return self

    def run(self, X: Any, name: str | None = None, *, y: Any = None) -> Run:
        """Score and decide on documents, with their truth where they have labels, for `evaluate` and `compare`.

        A category of the truth that was not learned is kept: it scores -inf and is never assigned.
        """
        documents = X.test if isinstance(X, Corpus) else X
        run = self.trained().run(documents, name or self._name())
        return with_truth(replace(run, train_counts=self.train_counts_, signature=self.signature()), documents, y)

    def out_of_fold_run(self, name: str | None = None) -> Run:
        """Return the out-of-fold decisions on the training documents, beside the truth.

        Known after `fit` with folds, not after `open`: the file keeps the figures, not the documents' outcomes. What
        `update` learned later is not part of it.
        """
        run = self.trained().out_of_fold_run(name or self._name())
        return replace(run, train_counts=self.train_counts_, signature=self.signature())

    def update(self, X: Any, y: Any = None) -> Self:
        """Learn further documents where the classifier can (naive Bayes, kNN, Rocchio, sleeping experts).

        New categories stand where a training on all documents would have them (`training.learning_on`). Terms, weights
        and cuts of known categories stay: words unknown to the model are not learned. `retrained` learns all anew.
        """
        documents = given_documents(X)
        target = further_target(documents, y, categories=self.categories_, classes=self.classes_)
        kept = kept_with(getattr(self, "kept_", None), documents, y)
        growth = growth_of(target, self.categories_, self.train_counts_)
        trained = learned_on(self.trained(), documents, growth, categories=target.categories)
        self.train_counts_ = growth.held + growth.more
        self.categories_, self.classes_, self.ids_ = target.categories, target.classes, tuple(trained.ids)
        self.cut_, self.confidence_, self._judged = trained.cut, trained.confidence, trained.judged
        if kept is not None:
            self.kept_ = kept
        return self

    def keep(self, documents: Any) -> Self:
        """Keep the training documents with the model, in its file too, so that `retrained` can add to them."""
        check_is_fitted(self)
        documents = given_documents(documents)
        if isinstance(documents, Documents) and self.single_label_:  # those without a label were left out
            documents = documents.take(np.flatnonzero(np.diff(documents.labels.indptr)))
        if not isinstance(documents, Documents) or tuple(map(str, documents.ids)) != tuple(self.ids_):
            raise InvalidInput("keep takes the Documents or the Corpus that the model was fitted on")
        self.kept_ = plain_documents(documents)
        return self

    def kept_documents(self) -> Documents | None:
        """Return the documents kept with the model; None where there are none."""
        kept = getattr(self, "kept_", None)
        return None if kept is None else kept_documents(kept)

    def retrained(self, X: Any) -> Self:
        """Return a model trained anew, with the same settings, on the documents kept and those given.

        New categories are allowed; those of a hierarchical classifier must be in its taxonomy. The new model keeps all
        documents.
        """
        old = self.kept_documents()
        if old is None:
            raise InvalidInput("the model keeps no documents; Fix: train it with --keep, or call keep after fit")
        taxonomy = getattr(self.aligned_.classifier, "taxonomy", None)
        corpus = joined_corpus(old, given_documents(X), taxonomy=taxonomy)
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

        Learned from out-of-fold scores (`thresholds.cutting.class_chances`), where every document has exactly one label
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
        chosen = self.aligned_.classifier if hasattr(self, "aligned_") else None
        origin = getattr(self, "origin_", ("", ""))
        shape = getattr(self, "representation_", None)
        cut = getattr(self, "cut_", None)
        return self.settings().signature(classifier=chosen, cut=cut, representation=shape, origin=origin)

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
        check_is_fitted(self)
        return self.aligned_.classifier_

    @property
    def cross_validated(self) -> Mapping[str, Any] | None:
        """Figures of the whole procedure on documents it had not seen; None with folds=0."""
        check_is_fitted(self)
        return self.cross_validation_

    def try_out(self) -> None:
        """Decide on two documents, one of them empty; raises where the parts do not fit together."""
        columns = len(self.categories_)
        if self.aligned_.constants_.shape != (columns,) or self.train_counts_.shape != (columns,):
            raise ValueError(f"{columns} categories, but parts for another number of them")
        if len(self.classes_) != columns or not all(isinstance(name, str) for name in self.categories_):
            raise ValueError("the categories are not as they should be")
        width = getattr(self.representation_, "width_", None)
        few = ["", " ".join(map(str, (self.representation_.names() or ())[:3]))]
        decided = self.decide(few if width is None else np.zeros((2, width)))
        if decided.values.shape != (2, columns):
            raise ValueError("decisions of the wrong shape")

    def _name(self) -> str:
        kind = type(self.aligned_.classifier)
        return registry.find("classifiers", kind) or kind.__name__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        vectors = source_of(self.weights) == "vectors"
        tags.input_tags.string = not vectors
        tags.input_tags.two_d_array = vectors
        tags.input_tags.sparse = vectors
        tags.classifier_tags.multi_label = True
        return tags
