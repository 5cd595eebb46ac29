"""Responses to requests for labels and for reasons: rows of answers, and which words would change one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rubricate.categorizer import Categorizer
from rubricate.files.answers import AnswerFormat
from rubricate.files.scorer.scorer import FileScorer
from rubricate.readers.document_batches import as_documents
from rubricate.readers.record import Record
from rubricate.text.evidence import EvidenceLocator, Located
from rubricate.training.answer_columns import AnswerColumns
from rubricate.types import Documents

__all__ = ["ClassifyOptions", "ResponseWriter"]

MAX_REMOVED_WORDS = 10
"""Words that are taken away, one after the other, to see what changes the answer."""
MAX_SCORER_CHARACTERS = 4_000
"""Characters up to which plain arithmetic is quicker than sparse matrices: 80 words take 0.4 ms instead of 1."""


@dataclass(frozen=True)
class ClassifyOptions:
    """What is asked of a model; requests with equal options can be answered in one batch."""

    top: int | None = None
    explain: int = 0
    abstain: float | None = None
    form: Literal["json", "csv"] = "json"

    @property
    def format(self) -> AnswerFormat:
        """What is written for each document."""
        return AnswerFormat(
            as_json=self.form == "json",
            top=bool(self.top),
            explain=bool(self.explain),
            abstaining=self.abstain is not None,
        )


class ResponseWriter:
    """Answers documents with one model, each as bytes without a line break at the end.

    A `scorer` of the same file answers a document alone if that is quicker, with the same answer to the last bit.
    """

    def __init__(self, model: Categorizer, scorer: FileScorer | None = None) -> None:
        self.model = model
        self._scorer = scorer if scorer is not None and _is_quick(scorer) else None
        self._trained = model.trained()  # putting it together takes a tenth of what a short text does
        self._locator = EvidenceLocator(self._trained.representation)

    def rows(self, batch: Sequence[Record], options: ClassifyOptions) -> list[bytes]:
        """Return the row of each document."""
        documents = as_documents(batch)
        answers = self._answers(documents, options)
        evidence: list[Located] = []
        if options.explain and options.form == "json":
            evidence = self._locator.locate(documents, answers.evidence)
        rows = options.format.rows(documents.ids, answers, evidence)
        return [row.encode("utf-8", "replace") for row in rows]

    def explain(self, text: str, category: str, limit: int) -> Located:
        """Return the evidence for one category, whether it is a label or not."""
        reasons = self.model.explain(text, category, limit)[category]
        return {"reasons": [], **self._locator.locate_one({category: reasons}, text=text)}

    def change(self, text: str, category: str, spans: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
        """Return the fewest of the strongest words without which the labels would be others; None if ten are too few.

        For a category that is a label the words that speak for it are removed, one after the other, the strongest
        first; for another those against it, until it becomes a label.
        """
        words: dict[str, float] = {}
        for span in spans:
            word = text[span["start"] : span["end"]].lower()
            words[word] = words.get(word, 0.0) + span["weight"]
        (now,) = self.model.classify([text])
        sign = 1 if category in (now or ()) else -1
        strongest = [word for word in sorted(words, key=lambda word: -sign * words[word]) if sign * words[word] > 0]
        shorter = _without(text, strongest[:MAX_REMOVED_WORDS], spans)
        for count, labels in enumerate(self.model.classify(shorter) if shorter else [], 1):
            if (category in (labels or ())) != (sign > 0):
                return {"without": strongest[:count], "labels": list(labels or ())}
        return None

    def _answers(self, documents: Documents, options: ClassifyOptions) -> AnswerColumns:
        if self._scorer is not None and _is_short(documents) and not options.explain:
            return AnswerColumns.of(self._scorer.answers(documents, abstain=options.abstain, top=options.top))
        return self._trained.answer_columns(
            documents, abstain=options.abstain, top=options.top, explain=options.explain
        )


def _without(text: str, words: Sequence[str], spans: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the text without the first word, without the first two, …; blanks keep the other words where they are."""
    shorter = []
    signs = list(text)
    for word in words:
        for span in spans:
            if text[span["start"] : span["end"]].lower() == word:
                signs[span["start"] : span["end"]] = " " * (span["end"] - span["start"])
        shorter.append("".join(signs))
    return shorter


def _is_short(documents: Documents) -> bool:
    return len(documents) == 1 and len(documents.bodies[0]) <= MAX_SCORER_CHARACTERS


def _is_quick(scorer: FileScorer) -> bool:
    """Return whether texts are read by words alone: character n-grams are quicker by compiled code."""
    return all(reader.tokens != "characters" for reader in scorer.readers)
