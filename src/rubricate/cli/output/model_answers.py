"""Answers by a model that goes to other processes as data: arrays and JSON, opened where it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubricate.files.model.model_file import StoredModel
    from rubricate.text.evidence import EvidenceLocator, Located
    from rubricate.training.answer_columns import AnswerColumns
    from rubricate.training.model import Model
    from rubricate.types import Documents, Evidence

__all__ = ["ModelAnswers"]


class ModelAnswers:
    """A function from documents to answers. In another process the model is opened when the first batch comes.

    Parameters
    ----------
    stored
        The model file that was read.
    options
        Those of `Model.answer_columns`.
    """

    def __init__(self, stored: StoredModel, options: dict[str, Any], model: Model | None = None) -> None:
        self.stored, self.options = stored, options
        self._model, self._lock = model, Lock()

        self._locator: EvidenceLocator | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelAnswers, (self.stored, self.options)

    def __call__(self, batch: Documents) -> AnswerColumns:
        """Answer a batch of documents."""
        return self.model().answer_columns(batch, **self.options)

    def locate(self, batch: Documents, evidence: Sequence[Mapping[str, Sequence[Evidence]]]) -> list[Located]:
        """Find evidence in the texts of a batch."""
        from rubricate.text.evidence import EvidenceLocator

        model = self.model()
        with self._lock:
            self._locator = self._locator or EvidenceLocator(model.representation)
        return self._locator.locate(batch, evidence)

    def model(self) -> Model:
        """Return the model, opened once."""
        with self._lock:
            if self._model is None:
                self._model = self.stored.model(estimators=bool(self.options.get("explain")))
            return self._model
