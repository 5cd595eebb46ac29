"""What a fitted categorizer answers: decisions, scores, confidence, evidence, each from its trained parts alone."""

from __future__ import annotations

import warnings
from typing import Any, cast

from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from rubricate.errors import InvalidInput, UnknownName
from rubricate.labels import label_tuples
from rubricate.measures import Abstention
from rubricate.training.answers import Answer
from rubricate.training.data import ids_of
from rubricate.training.evidence import nearest_documents, top_terms
from rubricate.training.model import Model
from rubricate.training.notebook import fitted_html
from rubricate.types import Corpus, Decisions, FittedModel, Floats, Ints

__all__ = ["FittedAnswers"]


def _answered(X: Any) -> Any:
    """Return the documents to answer: those for training of a corpus, else what was given."""
    return X.train if isinstance(X, Corpus) else X


class FittedAnswers:
    """The questions that a categorizer answers once it is fitted, by its `model_`."""

    model_: Model

    @property
    def fitted(self) -> Model:
        """The fitted model; an error where there is none."""
        check_is_fitted(self, "model_")
        return self.model_

    def trained(self) -> Model:
        """Return the fitted model; deprecated, `model_` is the same."""
        warnings.warn("Categorizer.trained() is now the attribute model_", DeprecationWarning, stacklevel=2)
        return self.fitted

    def features(self, X: Any) -> Any:
        """Return the vectors of documents, as the classifier gets them."""
        return self.fitted.vectors(_answered(X))

    def decide(self, X: Any) -> Decisions:
        """Decide on each document: a boolean sparse matrix with names."""
        model = self.fitted
        values = model.decide(_answered(X))
        return Decisions(values, model.categories, ids_of(X, values.shape[0]))

    def answers(
        self, X: Any, *, abstain: float | None = None, top: int | None = None, explain: int = 0
    ) -> list[Answer]:
        """Return what there is to say of each document: labels, confidence, scores, evidence.

        Parameters
        ----------
        abstain
            Labels are None (send it to a person) where the confidence is under this chance.
        top
            Scores of so many best categories beside those of the labels.
        explain
            So many reasons for each label (for the best category where there is none).
        """
        return self.fitted.answers(_answered(X), abstain=abstain, top=top, explain=explain)

    def classify(self, X: Any, *, abstain: float | None = None) -> list[tuple[str, ...] | None]:
        """Return the labels of each document, none as (); None for a document whose confidence is below `abstain`."""
        if abstain is None:
            decided = self.decide(X)
            return list(label_tuples(decided.values, decided.categories))
        return [each.labels for each in self.answers(X, abstain=abstain)]

    def rank(self, X: Any, k: int = 5) -> list[list[tuple[str, float]]]:
        """Return the k best categories of each document with their scores, best first; equal scores by column."""
        return self.fitted.rank(_answered(X), k)

    def confidence(self, X: Any) -> Floats:
        """Estimate for each document the chance that exactly its true labels are assigned."""
        return self.fitted.chances(_answered(X))

    def familiarity(self, X: Any) -> Floats:
        """Return the share of training documents that look no more familiar than each document, by their best scores.

        Near 0 for documents unlike those for training. Needs folds.
        """
        return self.fitted.familiarity(_answered(X))

    def coverage(self) -> Abstention:
        """Return the error among the documents answered, by how many are: answering where the confidence is enough.

        Measured on out-of-fold documents; an answer is wrong unless all its labels are right and none is missing.
        At most 1,000 points are kept.
        """
        coverage = self.fitted.coverage
        if coverage is None:
            raise InvalidInput(
                "the model was learned with folds=0 and has no coverage–error curve; fit it with folds=5"
            )
        return Abstention(**coverage)

    def explain(self, X: Any, category: str | None = None, limit: int = 10) -> Any:
        """Return what spoke most for (> 0) or against (< 0) the labels of a text: category → evidence, words by name.

        `category` asks for that one. Without labels the best category is explained. One text gives a mapping, a list
        of texts a list of mappings. With kNN the evidence is neighbours, named by the ids of the training documents.
        With vectors of an encoder: what the score loses when a word is left out, then the nearest training documents.
        """
        if isinstance(X, str):
            return self.explain([X], category, limit)[0]
        return self.fitted.explain(_answered(X), category, limit)

    def nearest(self, X: Any, k: int = 5) -> list[list[tuple[str, float]]]:
        """Return the ids of the k training documents that mean most nearly the same, with their cosine, nearest first.

        Only a model with vectors of an encoder, of at most 20,000 training documents, knows them.
        """
        model = self.fitted
        if model.neighbours is None:
            raise InvalidInput(
                "the model keeps no vectors of its training documents; Fix: train it with vectors=FOLDER and "
                "representation='hybrid' or 'vectors'"
            )
        near = nearest_documents(model, [X] if isinstance(X, str) else _answered(X), k)
        return [[(each.source, each.weight) for each in row] for row in near]

    def top_terms(self, category: str, limit: int = 10) -> list[str]:
        """Return the terms that speak most for a category in general; none where the classifier is not linear."""
        model = self.fitted
        if category not in model.categories:
            raise UnknownName("category", str(category), model.categories)
        column = model.categories.index(category)
        return top_terms(model.classifier, column, limit, model.representation.names())

    def _repr_html_(self) -> str:
        """Return what was chosen, its figures and its largest categories, for notebooks; unfitted, its parameters."""
        if not hasattr(self, "model_"):
            return str(estimator_html_repr(self))
        return fitted_html(cast(FittedModel, self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the forms that a notebook chooses from."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _scores(self, X: Any) -> Floats:
        return self.fitted.scores(_answered(X))

    def _best(self, X: Any) -> Ints:
        return self.fitted.best(_answered(X))
