"""What a procedure leaves behind: everything that is needed to score, decide and explain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rubricate.errors import InvalidInput, UnknownName
from rubricate.text.blocks import Blocks
from rubricate.text.representation import Representation
from rubricate.training import scoring
from rubricate.training.answer_columns import AnswerColumns
from rubricate.training.answers import Answer, answer_columns, best_of, rows_in
from rubricate.training.choosing import Judged
from rubricate.training.confidence import Confidence
from rubricate.training.explaining import explain_rows
from rubricate.training.familiarity import familiarity
from rubricate.training.offsets import NO_CONFIDENCE, offsets
from rubricate.training.representations import has_vectors
from rubricate.training.targets import count, ids_of
from rubricate.training.vector_evidence import joined_texts, vector_evidence
from rubricate.types import AnyClassifier, Decisions, Evidence, Floats, Ints, Run, Scores, Sparse

__all__ = ["Trained"]


@dataclass(frozen=True, eq=False)
class Trained:
    """A fitted representation, classifier and cut, used together.

    Parameters
    ----------
    representation, classifier, cut
        The fitted parts; the classifier scores every category.
    categories, ids
        The names of the columns, and of the training documents.
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
        What turns scores into chances of classes (`thresholds.cutting.class_chances`); None for several labels or no
        folds.
    reference
        Best scores of out-of-fold documents (`training.familiarity`); None without folds.
    neighbours
        Vectors of the training documents where an encoder takes part, to name the nearest (`training.vector_evidence`).
    """

    representation: Representation | Blocks
    classifier: AnyClassifier
    cut: Any
    categories: tuple[str, ...]
    ids: Sequence[str]
    limit: int | None = None
    option: int = 0
    worths: tuple[float, ...] = ()
    judged: Judged | None = None
    confidence: Confidence | None = None
    coverage: Mapping[str, Floats] | None = None
    figures: Mapping[str, Any] | None = None
    screening: Mapping[str, Any] | None = None
    language: Mapping[str, Any] | None = None
    sharpness: float | None = None
    reference: Floats | None = None
    neighbours: Any = None

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
        return scoring.decide(self.cut, self.blocks(self.vectors(X)), len(self.categories))

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
        parts = [self.confidence.predict(offsets(block, self.cut)) for block in self.blocks(self.vectors(X))]
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
        if not explain or not has_vectors(self.representation):
            return answer_columns(self, self.vectors(X), explain=explain, **options)
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
        if has_vectors(self.representation):
            if category not in self.categories:
                raise UnknownName("category", str(category), self.categories)
            return [dict(vector_evidence(self, text, [category], limit)) for text in joined_texts(X)]
        return [{category: reasons} for reasons in self.evidence(self.vectors(X), category, limit)]

    def evidence(self, vectors: Any, category: str, limit: int) -> list[list[Evidence]]:
        """Return what spoke most for or against a category, for each row of some vectors."""
        if category not in self.categories:
            raise UnknownName("category", str(category), self.categories)
        column, names = self.categories.index(category), self.representation.names()
        return explain_rows(self.classifier, vectors, column, limit=limit, names=names, ids=self.ids)

    def run(self, X: Any, name: str) -> Run:
        """Score and decide on documents; of very many scores only the best of each document are kept."""
        vectors, columns = self.vectors(X), len(self.categories)
        ids = ids_of(X, count(vectors))
        parts = list(self.blocks(vectors, scoring.limit_for(count(vectors), columns)))
        scores = scoring.stacked(parts, columns)
        named = (
            replace(scores, categories=self.categories, documents=ids)
            if isinstance(scores, Scores)
            else Scores(scores, self.categories, ids)
        )
        decided = Decisions(scoring.decide(self.cut, iter(parts), columns), self.categories, ids)
        return Run(name, ids, self.categories, scores=named, decisions=decided)

    def out_of_fold_run(self, name: str) -> Run:
        """Return the out-of-fold decisions on the documents of the training; those learned later are left out."""
        if self.judged is None:
            raise InvalidInput(
                "out-of-fold decisions are there after fit with folds; this model was opened or had none"
            )
        ids = self.ids[: self.judged.decided.shape[0]]
        decided = Decisions(self.judged.decided, self.categories, ids)
        return Run(name, ids, self.categories, decisions=decided, truth=self.judged.labels)
