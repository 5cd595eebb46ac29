"""The fitted model: everything that is needed to score, decide and explain, as one immutable object.

A training makes it, `Categorizer` holds it as `model_`, the model file stores it, and the command line and the service
ask it. Nothing else holds what was learned. scikit-learn is imported only by what needs its estimators: a model whose
parts are plain (`training.model_values.PLAIN`) scores, decides and answers without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rubricate import registry
from rubricate._version import __version__
from rubricate.errors import InvalidInput, UnknownName
from rubricate.training import scoring
from rubricate.training.answers import Answer, AnswerColumns, answer_columns, best_of, rows_in
from rubricate.training.confidence_scores import NO_CONFIDENCE, familiarity, offsets
from rubricate.training.parameters import Parameters
from rubricate.types import AnyClassifier, Decisions, Documents, Evidence, Floats, Ints, Run, Scores, Signature, Sparse

if TYPE_CHECKING:
    from rubricate.text.blocks import Blocks
    from rubricate.text.representation import Representation
    from rubricate.training.choosing import CrossValidationResult
    from rubricate.training.confidence import Confidence

__all__ = ["Model", "signature_of"]

STORED_NAMES = {"classifier": "aligned_", "threshold": "cut_", "figures": "cross_validation_", "documents": "kept_"}
"""Names in the model file; every other field goes there by its own name and an underscore."""
NOT_STORED = ("settings", "option", "selection_scores", "judged")
DOCUMENTS = ("ids", "bodies", "titles", "labels", "categories")
"""What a model file holds of training documents."""


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted representation, classifier and threshold, used together.

    Parameters
    ----------
    settings
        What the training was asked for; None where the model was opened only to predict.
    representation, classifier, threshold
        The fitted parts; the classifier scores every category.
    categories, classes, form
        The names of the columns, what `predict` answers with, and the form of y (`labels.Target`).
    ids, origin, train_counts, single_label
        Of the training documents: their ids, the corpus and split, the number in each category, and whether each has
        exactly one label.
    limit
        Only so many best scores of each document are kept; None for all.
    option, worths
        The number of the chosen option, and what each was worth (empty where there was one).
    judged
        Out-of-fold decisions on the training documents; None where there were no folds, or after opening a file.
    confidence, coverage, figures
        The chance that a decision is exactly right, the coverage–error curve, and the figures of the whole procedure
        on documents that it had not seen; None without folds.
    screening
        How the representation was chosen, where it was (`training.screening`).
    language
        What is known of the training documents' language (`training.languages`).
    sharpness
        What turns scores into chances of classes (`thresholds.class_probabilities`); None for several labels or no
        folds.
    reference
        Best scores of out-of-fold documents (`training.confidence_scores`); None without folds.
    neighbours
        Vectors of the training documents where an encoder takes part, to name the nearest (`training.evidence`).
    documents
        The training documents, where the model stores them so that it can be trained again with more.
    """

    representation: Representation | Blocks
    classifier: AnyClassifier
    threshold: Any
    categories: tuple[str, ...]
    ids: Sequence[str]
    classes: Any
    form: str
    train_counts: Ints
    single_label: bool
    settings: Parameters | None = None
    origin: tuple[str, str] = ("", "")
    limit: int | None = None
    option: int = 0
    selection_scores: tuple[float, ...] = ()
    judged: CrossValidationResult | None = None
    confidence: Confidence | None = None
    coverage: Mapping[str, Floats] | None = None
    figures: Mapping[str, Any] | None = None
    screening: Mapping[str, Any] | None = None
    language: Mapping[str, Any] | None = None
    sharpness: float | None = None
    reference: Floats | None = None
    neighbours: Any = None
    documents: Documents | None = None

    @property
    def name(self) -> str:
        """The name of the classifier."""
        kind = type(self.classifier.classifier)
        return registry.find("classifiers", kind) or kind.__name__

    @property
    def width(self) -> int | None:
        """The number of features of a model that takes vectors; None for one that takes texts."""
        return getattr(self.representation, "width_", None)

    def signature(self) -> Signature:
        """Return where the numbers of this model come from."""
        if self.settings is None:
            raise InvalidInput("the model was opened to predict, without its settings; open it with rubricate.open")
        return signature_of(
            self.settings,
            classifier=self.classifier.classifier,
            cut=self.threshold,
            representation=self.representation,
            origin=self.origin,
        )

    def state(self) -> dict[str, Any]:
        """Return what a model file stores, by the names there."""
        state = {key: getattr(self, name) for name, key in _stored_fields()}
        if self.documents is None:
            del state["kept_"]
        else:
            state["kept_"] = {name: getattr(self.documents, name) for name in DOCUMENTS}
        return state if self.width is None else state | {"n_features_in_": self.width}

    @classmethod
    def of_state(cls, settings: Parameters | None, state: Mapping[str, Any]) -> Self:
        """Return the model of what a file stores; fields that older files lack have their defaults."""
        values = {name: state[key] for name, key in _stored_fields() if key in state}
        if values.get("documents") is not None:
            values["documents"] = Documents(**{name: values["documents"][name] for name in DOCUMENTS})
        return cls(settings=settings, **values)

    def check(self) -> None:
        """Decide on two documents, one of them empty; raise where the parts do not fit together."""
        columns = len(self.categories)
        if self.classifier.constants_.shape != (columns,) or self.train_counts.shape != (columns,):
            raise ValueError(f"{columns} categories, but parts for another number of them")
        if len(self.classes) != columns or not all(isinstance(name, str) for name in self.categories):
            raise ValueError("the categories are not as they should be")
        few = ["", " ".join(self._some_terms())]
        if self.decide(few if self.width is None else np.zeros((2, self.width))).shape != (2, columns):
            raise ValueError("decisions of the wrong shape")

    def _some_terms(self) -> list[str]:
        first = getattr(self.representation, "parts_", (self.representation,))[0]
        vectors = getattr(first, "vectors_", None)
        names = (first.names() if vectors is None else vectors.vocabulary_) or ()
        return [str(name) for name in names[:3]]

    def vectors(self, X: Any) -> Any:
        """Return the vectors of documents, as the classifier gets them."""
        return self.representation.transform(X)

    def blocks(self, vectors: Any, limit: int | None = None) -> Iterator[Any]:
        """Score vectors block by block, with the limit of the model or this one."""
        columns = len(self.categories)
        return scoring.blocks(self.classifier, vectors, columns=columns, limit=self.limit or limit)

    def scores(self, X: Any) -> Floats:
        """Score documents; all categories, whatever the limit."""
        return scoring.score_all(self.classifier, self.vectors(X), columns=len(self.categories))

    def decide(self, X: Any) -> Sparse:
        """Return the categories of each document, documents × categories."""
        return scoring.decide(self.threshold, self.blocks(self.vectors(X)), len(self.categories))

    def rank(self, X: Any, k: int) -> list[list[tuple[str, float]]]:
        """Return the k best categories of each document with their scores, best first; equal scores by column."""
        if k < 1:
            raise InvalidInput(f"rank: k must be at least 1, got {k}")
        return [best_of(row, self.categories, k) for block in self.blocks(self.vectors(X)) for row in rows_in(block)]

    def best(self, X: Any) -> Ints:
        """Return the column of the best category of each document, the first of equal ones."""
        blocks = self.blocks(self.vectors(X), 1)
        parts = [np.maximum(block.best(), 0) for block in blocks]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def familiarity(self, X: Any) -> Floats:
        """Return how much each document looks like those for training."""
        if self.reference is None:
            raise InvalidInput(NO_CONFIDENCE)
        parts = [familiarity(block, self.reference, self.sharpness) for block in self.blocks(self.vectors(X))]
        return np.concatenate(parts) if parts else np.empty(0)

    def chances(self, X: Any) -> Floats:
        """Return the chance that exactly the true labels of each document are assigned."""
        if self.confidence is None:
            raise InvalidInput(NO_CONFIDENCE)
        parts = [self.confidence.predict(offsets(block, self.threshold)) for block in self.blocks(self.vectors(X))]
        return np.concatenate(parts) if parts else np.empty(0)

    def answers(
        self, X: Any, *, abstain: float | None = None, top: int | None = None, explain: int = 0
    ) -> list[Answer]:
        """Return labels, confidence, scores and evidence of each document; `Categorizer.answers` has the options."""
        return self.answer_columns(X, abstain=abstain, top=top, explain=explain).answers()

    def answer_columns(
        self,
        X: Any,
        *,
        abstain: float | None = None,
        top: int | None = None,
        explain: int = 0,
        confident: bool = True,
    ) -> AnswerColumns:
        """Return what `answers` returns by column; without `confident` confidences only where `abstain` needs them."""
        if abstain is not None and not 0 <= abstain <= 1:
            raise InvalidInput(f"abstain must be a probability from 0 to 1, got {abstain}")
        if abstain is not None and self.confidence is None:
            raise InvalidInput(NO_CONFIDENCE)
        options: dict[str, Any] = {"abstain": abstain, "top": top, "confident": confident}
        if not explain or not self._has_encoder():
            return answer_columns(self, self.vectors(X), explain=explain, **options)
        from rubricate.training.evidence import joined_texts, vector_evidence

        answers = answer_columns(self, self.vectors(X), **options)
        best = [[name for name, _ in row] for row in self.rank(X, 1)]
        evidence = [
            vector_evidence(self, text, own or first, explain)
            for own, text, first in zip(answers.label_names(), joined_texts(X), best, strict=True)
        ]
        return replace(answers, evidence=evidence)

    def explain(self, X: Any, category: str | None, limit: int) -> list[dict[str, Sequence[Evidence]]]:
        """Return the evidence for one category of each document, or for its labels."""
        if category is None:
            return [dict(each.evidence) for each in self.answers(X, explain=limit)]
        if self._has_encoder():
            from rubricate.training.evidence import joined_texts, vector_evidence

            if category not in self.categories:
                raise UnknownName("category", str(category), self.categories)
            return [dict(vector_evidence(self, text, [category], limit)) for text in joined_texts(X)]
        return [{category: reasons} for reasons in self.evidence(self.vectors(X), category, limit)]

    def _has_encoder(self) -> bool:
        from rubricate.training.representations import has_vectors

        return has_vectors(self.representation)

    def evidence(self, vectors: Any, category: str, limit: int) -> list[list[Evidence]]:
        """Return what spoke most for or against a category, for each row of some vectors."""
        if category not in self.categories:
            raise UnknownName("category", str(category), self.categories)
        from rubricate.training.evidence import explain_rows

        column, names = self.categories.index(category), self.representation.names()
        return explain_rows(self.classifier, vectors, column, limit=limit, names=names, ids=self.ids)

    def run(self, X: Any, name: str | None = None) -> Run:
        """Score and decide on documents; of very many scores only the best of each document are kept."""
        from rubricate.training.data import count, ids_of

        vectors, columns = self.vectors(X), len(self.categories)
        ids = ids_of(X, count(vectors))
        parts = list(self.blocks(vectors, scoring.limit_for(count(vectors), columns)))
        scores = scoring.stacked(parts, columns)
        named = (
            replace(scores, categories=self.categories, documents=ids)
            if isinstance(scores, Scores)
            else Scores(scores, self.categories, ids)
        )
        decided = Decisions(scoring.decide(self.threshold, iter(parts), columns), self.categories, ids)
        return self._run(name, ids, scores=named, decisions=decided)

    def out_of_fold_run(self, name: str | None = None) -> Run:
        """Return the out-of-fold decisions on the documents of the training; those learned later are left out."""
        if self.judged is None:
            raise InvalidInput(
                "out-of-fold decisions are there after fit with folds; this model was opened or had none"
            )
        ids = self.ids[: self.judged.decided.shape[0]]
        decided = Decisions(self.judged.decided, self.categories, ids)
        return self._run(name, ids, decisions=decided, truth=self.judged.labels)

    def _run(
        self,
        name: str | None,
        ids: Sequence[str],
        *,
        decisions: Decisions,
        scores: Scores | None = None,
        truth: Sparse | None = None,
    ) -> Run:
        return Run(
            name or self.name,
            ids,
            self.categories,
            scores=scores,
            decisions=decisions,
            truth=truth,
            train_counts=self.train_counts,
            signature=self.signature(),
        )


def signature_of(
    settings: Parameters,
    *,
    classifier: AnyClassifier | str | None,
    cut: Any,
    representation: Representation | Blocks,
    origin: tuple[str, str],
) -> Signature:
    """Return where numbers come from; what is None has not been decided and is as the settings say."""
    from rubricate.training.candidates import shown

    asked = settings.cut
    return Signature(
        corpus=origin[0],
        split=origin[1],
        classifier=shown(settings.classifier if classifier is None else classifier, settings.classifier),
        cut=asked if isinstance(asked, str) else " ".join(repr(asked if cut is None else cut).split()),
        seed=settings.seed,
        version=__version__,
        **representation.describe(),
    )


def _stored_fields() -> list[tuple[str, str]]:
    """Return the fields that a model file stores, and their names there."""
    names = [each.name for each in fields(Model) if each.name not in NOT_STORED]
    return [(name, STORED_NAMES.get(name, f"{name}_")) for name in names]
