"""Answers by a model that goes to other processes as data: arrays and JSON, opened where it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubricate.files.model.model_file import StoredModel
    from rubricate.text.evidence import EvidenceLocator, Located
    from rubricate.training.answer_columns import AnswerColumns
    from rubricate.training.trained import Trained
    from rubricate.types import Documents, Evidence

__all__ = ["ModelAnswers"]


class ModelAnswers:
    """A function from documents to answers. In another process the model is opened when the first batch comes.

    Parameters
    ----------
    stored
        The model file that was read.
    options
        Those of `Trained.answer_columns`.
    """

    def __init__(self, stored: StoredModel, options: dict[str, Any], trained: Trained | None = None) -> None:
        self.stored, self.options = stored, options
        self._trained, self._lock = trained, Lock()

        self._locator: EvidenceLocator | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelAnswers, (self.stored, self.options)

    def __call__(self, batch: Documents) -> AnswerColumns:
        """Answer a batch of documents."""
        return self.trained().answer_columns(batch, **self.options)

    def locate(self, batch: Documents, evidence: Sequence[Mapping[str, Sequence[Evidence]]]) -> list[Located]:
        """Find evidence in the texts of a batch."""
        from rubricate.text.evidence import EvidenceLocator

        trained = self.trained()
        with self._lock:
            self._locator = self._locator or EvidenceLocator(trained.representation)
        return self._locator.locate(batch, evidence)

    def trained(self) -> Trained:
        """Return the model, opened once."""
        from rubricate.categorizer import Categorizer

        with self._lock:
            if self._trained is None:
                self._trained = Categorizer.of(self.stored).trained()
            return self._trained
