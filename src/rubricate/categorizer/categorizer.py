"""The whole flow as one estimator: texts in, decisions out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rubricate import registry
from rubricate._version import __version__
from rubricate.engines import Engine
from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.files.model import model_file
from rubricate.measures import Abstention, counts, micro
from rubricate.text.representation import Representation, source_of
from rubricate.thresholds import Threshold
from rubricate.training import scoring as _scoring
from rubricate.training.answers import Answer, answer, best_of, labels_of, rows_in
from rubricate.training.confidence import Confidence, offsets
from rubricate.training.explaining import explain_rows
from rubricate.training.learning import add_documents, learn
from rubricate.training.naming import bare_target, shown
from rubricate.training.targets import Target, count, given_documents, ids_of, take_target
from rubricate.training.truth import with_truth
from rubricate.types import Corpus, Decisions, Evidence, Floats, Run, Scores, Signature

__all__ = ["Categorizer"]


class Categorizer(ClassifierMixin, BaseEstimator):
    """Analysis, selection, weights, classifier and threshold, learned together and used as one.

    classifier   one of ours or of scikit-learn's, a bare name such as "knn", or None: a linear SVM whose C is chosen
                 among 0.5, 1, 2, 4
    analyzer     an `Analyzer`; None for the default one, which counts the terms of titles twice
    weights      a SMART triple; a transformer of counts or of texts; None or "precomputed" for vectors of your own
    select       None, a shorthand such as "chi2:2415", or a selector
    min_df       terms of fewer training documents are left out
    cut          a threshold, its shorthand or a number; None: the best category where every training document has
                 exactly one label (`single_label_`), else `MicroMacro()`
    folds        None: as many as the cut says (5); 0: none, which saves time and leaves no confidence
    seed         of the folds
    engine       where folds run: "threads", "serial", "dask", …; results do not depend on it

    `fit` deals the documents to folds stratified by category (sechidis2011), scores each fold by classifiers trained on
    the others, and from these out-of-fold scores chooses C, learns the cut, and judges the result. Text is read once;
    selection and weights are learned again in every fold, so that no document has a say in its own score (the
    vocabulary and `min_df`, which see no labels, are common). Where there are fewer documents than folds, as many
    folds as documents. Beyond 2²³ scores (documents × categories) C stays 1, and only the 64 best categories of each
    document are kept and decided upon. A hierarchical classifier without a taxonomy gets that of the corpus.

    Learned: `categories_`; `classes_` (what `predict` answers with); `classifier_`, `cut_`, `representation_`;
    `single_label_`; `train_counts_`; `cross_validation_` (micro-F1, macro-F1, error, the share decided exactly right,
    documents, folds); `confidence_` and the coverage–error curve (`coverage`), unless folds=0.

    Cost: (folds × candidates + 1) trainings. Reuters ApteMod-90 with all defaults: some seconds on two cores.

    >>> texts = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
    >>> model = Categorizer().fit(texts, ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3)
    >>> model.classify(["Exports of wheat", "oil prices"])
    [('grain',), ('fuel',)]
    """

    def __init__(
        self,
        classifier: Any = None,
        *,
        analyzer: Any = None,
        weights: Any = "ltc",
        select: Any = None,
        min_df: int = 1,
        cut: str | float | Threshold | None = None,
        folds: int | None = None,
        seed: int = 0,
        engine: Engine | str = "threads",
    ) -> None:
        self.classifier = classifier
        self.analyzer = analyzer
        self.weights = weights
        self.select = select
        self.min_df = min_df
        self.cut = cut
        self.folds = folds
        self.seed = seed
        self.engine = engine

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from `Documents`, a `Corpus` (its training documents), or texts and their labels.

        Texts and labels may be lists or pandas, polars or Arrow columns; labels also label sets, or a matrix
        documents × categories. Unlabelled and empty documents are fine; a category that all or none of the documents
        have cannot be learned and is always or never assigned. Classifiers that learn nothing from labels ("word" with
        names, "construe") take documents without any: the words are read, no figure is promised, and what scores
        above 0 is assigned.
        """
        documents = given_documents(X)
        target = bare_target(self.classifier, documents, y)
        if target is None:
            target = take_target(documents, y)
            self._check_target(target, count(documents))
        self.origin_ = (X.name, X.split) if isinstance(X, Corpus) else ("", "")
        self._taxonomy = X.taxonomy if isinstance(X, Corpus) else None
        self.categories_, self.classes_, self.form_ = target.categories, target.classes, target.form
        self.train_counts_ = np.bincount(target.labels.indices, minlength=len(target.categories))
        self.single_label_ = bool(np.all(np.diff(target.labels.indptr) == 1))
        self.ids_ = tuple(map(str, ids_of(documents, count(documents))))
        learn(self, documents, target.labels)
        return self

    def _check_target(self, target: Target, documents: int) -> None:
        held = np.bincount(target.labels.indices, minlength=len(target.categories))
        if target.labels.shape[0] != documents:
            raise InvalidInput(
                f"{documents} documents and {target.labels.shape[0]} label sets; give one set a document"
            )
        if documents < 2:
            raise InvalidInput(
                f"{documents} document to learn from (n_samples={documents}); a categorizer needs 2 or more"
            )
        if not held.any():
            raise InvalidInput("none of the documents has a label; there is nothing to learn")
        if np.all((held == 0) | (held == documents)):
            names = ", ".join(name for name, n in zip(target.categories, held, strict=True) if n)
            raise InvalidInput(
                f"all {documents} documents have the same labels (1 class, {names:.80}), so there is nothing to tell "
                "apart; give documents of other categories too, or without a label"
            )

    def vectors(self, X: Any) -> Any:
        """The vectors of documents, as the classifier gets them."""
        check_is_fitted(self)
        return self.representation_.transform(X.train if isinstance(X, Corpus) else X)

    def decide(self, X: Any) -> Decisions:
        """The categories of each document: a boolean sparse matrix with names."""
        vectors = self.vectors(X)
        values = _scoring.decide(self.cut_, self._blocks(vectors), len(self.categories_))
        return Decisions(values, self.categories_, ids_of(X, values.shape[0]))

    def answers(
        self, X: Any, *, abstain: float | None = None, top: int | None = None, explain: int = 0
    ) -> list[Answer]:
        """What there is to say of each document: labels, confidence, scores, evidence.

        abstain   labels are None (send it to a person) where the confidence is under this chance
        top       scores of so many best categories beside those of the labels
        explain   so many reasons for each label (for the best category where there is none)
        """
        if abstain is not None and not 0 <= abstain <= 1:
            raise InvalidInput(f"abstain must be a probability from 0 to 1, got {abstain}")
        if abstain is not None and self._sureness() is None:
            raise InvalidInput("the model was learned with folds=0 and knows no confidence; fit it with folds=5")
        return answer(self, self.vectors(X), abstain=abstain, top=top, explain=explain)

    def classify(self, X: Any, *, abstain: float | None = None) -> list[tuple[str, ...] | None]:
        """The labels of each document, none as (); None for a document whose confidence is below `abstain`."""
        if abstain is None:
            return labels_of(self.decide(X))
        return [one.labels for one in self.answers(X, abstain=abstain)]

    def rank(self, X: Any, k: int = 5) -> list[list[tuple[str, float]]]:
        """The k best categories of each document with their scores, best first; equal scores by column."""
        if k < 1:
            raise InvalidInput(f"rank: k must be at least 1, got {k}")
        return [best_of(row, self.categories_, k) for block in self._blocks(self.vectors(X)) for row in rows_in(block)]

    def confidence(self, X: Any) -> Floats:
        """For each document the chance that exactly its true labels are assigned, estimated by cross-validation."""
        sure = self._sureness()
        if sure is None:
            raise InvalidInput("the model was learned with folds=0 and knows no confidence; fit it with folds=5")
        parts = [sure.predict(offsets(block, self.cut_)) for block in self._blocks(self.vectors(X))]
        return np.concatenate(parts) if parts else np.empty(0)

    def coverage(self) -> Abstention:
        """The error among the documents answered, by how many are: answering where the confidence is high enough.

        Measured on out-of-fold documents; an answer is wrong unless all its labels are right and none is missing.
        At most 1,000 points are kept.
        """
        check_is_fitted(self)
        if self.coverage_ is None:
            raise InvalidInput(
                "the model was learned with folds=0 and has no coverage–error curve; fit it with folds=5"
            )
        return Abstention(**self.coverage_)

    def explain(self, X: Any, category: str | None = None, limit: int = 10) -> Any:
        """What spoke most for (> 0) or against (< 0) the labels of a text: category → evidence, words by name.

        `category` asks for that one. Without labels the best category is explained. One text gives a mapping, a list
        of texts a list of mappings. With kNN the evidence is neighbours, named by the ids of the training documents.
        """
        if isinstance(X, str):
            return self.explain([X], category, limit)[0]
        vectors = self.vectors(X)
        if category is None:
            return [dict(one.evidence) for one in answer(self, vectors, explain=limit)]
        return [{category: found} for found in self._evidence(vectors, self._column(category), limit)]

    def run(self, X: Any, name: str | None = None, *, y: Any = None) -> Run:
        """Scores and decisions on documents, with their truth where they have labels, for `evaluate` and `compare`.

        A category of the truth that was not learned is kept: it scores -inf and is never assigned.
        """
        documents = X.test if isinstance(X, Corpus) else X
        vectors = self.vectors(documents)
        parts = list(self._blocks(vectors, large=True))
        values = _scoring.decide(self.cut_, iter(parts), len(self.categories_))
        ids = ids_of(documents, values.shape[0])
        found = Run(
            name=name or self._name(),
            documents=ids,
            categories=self.categories_,
            scores=_named(_scoring.gathered(parts, len(self.categories_)), self.categories_, ids),
            decisions=Decisions(values, self.categories_, ids),
            train_counts=self.train_counts_,
            signature=self.signature(),
        )
        return with_truth(found, documents, y)

    def out_of_fold_run(self, name: str | None = None) -> Run:
        """What was decided of each training document by those who had not seen it, beside the truth.

        Known after `fit` with folds, not after `open`: the file keeps the figures, not the documents' outcomes.
        """
        check_is_fitted(self)
        if getattr(self, "_judged", None) is None:
            raise InvalidInput(
                "out-of-fold decisions are there after fit with folds; this model was opened or had none"
            )
        decided, labels = self._judged
        return Run(
            name=name or self._name(),
            documents=self.ids_,
            categories=self.categories_,
            decisions=Decisions(decided, self.categories_, self.ids_),
            truth=labels,
            train_counts=self.train_counts_,
            signature=self.signature(),
        )

    def update(self, X: Any, y: Any = None) -> Self:
        """Learn further documents where the classifier can (naive Bayes, kNN, Rocchio, sleeping experts).

        Categories, terms and cuts stay.
        """
        check_is_fitted(self)
        add_documents(self, given_documents(X), y)
        return self

    def predict(self, X: Any) -> Any:
        """Decisions in the form of y: the best class for a column, a matrix for a matrix, else tuples of labels."""
        check_is_fitted(self)
        if self.form_ == "column":
            return self.classes_[np.argmax(self._scores(X), axis=1)]
        decided = self.decide(X)
        if self.form_ == "sets":
            found = np.empty(decided.values.shape[0], dtype=object)
            found[:] = labels_of(decided)
            return found
        return decided.values if self.form_ == "sparse" else decided.values.toarray().astype(np.int64)

    def decision_function(self, X: Any) -> Floats:
        """Scores, documents × categories; for a column of two classes one vector, positive for the second."""
        scores = self._scores(X)
        if self.form_ == "column" and len(self.classes_) == 2:
            return scores[:, 1] - scores[:, 0]
        return scores

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy for a column of labels, else micro-F1."""
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
        """Where the numbers of this model come from."""
        parts: dict[str, Any] = Representation(
            self.analyzer, weights=self.weights, select=self.select, min_df=self.min_df
        ).describe()
        corpus, split = getattr(self, "origin_", ("", ""))
        chosen = self.aligned_.classifier if hasattr(self, "aligned_") else self.classifier
        cut = getattr(self, "cut_", self.cut)
        return Signature(
            corpus=corpus,
            split=split,
            classifier=shown(chosen, self),
            cut=" ".join(repr(cut).split()) if not isinstance(self.cut, str) else self.cut,
            seed=self.seed,
            version=__version__,
            **parts,
        )

    def save(self, path: str | Path) -> Path:
        """Write the model to one file, in one step; see docs/model-file.md."""
        check_is_fitted(self)
        return model_file.save(self, path)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """The model in a file that `save` wrote."""
        found = model_file.open(path)
        if not isinstance(found, cls):
            raise InvalidFile(f"a {type(found).__name__}, not a Categorizer", path=path, remedy="use rubricate.open")
        return found

    @property
    def classifier_(self) -> Any:
        """The fitted classifier; None where every category is empty or full."""
        check_is_fitted(self)
        return self.aligned_.classifier_

    @property
    def cross_validated(self) -> dict[str, Any] | None:
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
        found = self.decide(few if width is None else np.zeros((2, width)))
        if found.values.shape != (2, columns):
            raise ValueError("decisions of the wrong shape")

    def _blocks(self, vectors: Any, *, large: bool = False) -> Iterator[Any]:
        limit = self.limit_
        if large and limit is None and vectors.shape[0] * len(self.categories_) > _scoring.LARGE:
            limit = _scoring.LIMIT
        return _scoring.blocks(self.aligned_, vectors, limit)

    def _scores(self, X: Any) -> Floats:
        vectors = self.vectors(X)
        return _scoring.gathered(list(_scoring.blocks(self.aligned_, vectors)), len(self.categories_))

    def _evidence(self, vectors: Any, column: int, limit: int) -> list[list[Evidence]]:
        names = self.representation_.names()
        return explain_rows(self.aligned_, vectors, column, limit, names=names, ids=self.ids_)

    def _column(self, category: str) -> int:
        if category not in self.categories_:
            raise UnknownName("category", str(category), self.categories_)
        return self.categories_.index(category)

    def _sureness(self) -> Confidence | None:
        check_is_fitted(self)
        return self.confidence_

    def _name(self) -> str:
        kind = type(self.aligned_.classifier)
        return registry.find("classifiers", kind) or kind.__name__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = source_of(self.weights) == "vectors"
        tags.input_tags.string = not given
        tags.input_tags.two_d_array = given
        tags.input_tags.sparse = given
        tags.classifier_tags.multi_label = True
        return tags


def _named(scores: Any, categories: tuple[str, ...], ids: Sequence[str]) -> Scores:
    if isinstance(scores, Scores):
        return replace(scores, categories=categories, documents=ids)
    return Scores(scores, categories, ids)
