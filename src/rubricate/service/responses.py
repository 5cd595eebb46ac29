"""Responses to requests for labels and for reasons: rows of answers, and which words would change one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rubricate.io.batches import as_documents
from rubricate.io.reader import Record
from rubricate.text.evidence import EvidenceLocator, Located
from rubricate.training.answer_files import AnswerFormat
from rubricate.training.categorizer import Categorizer

__all__ = ["ClassifyOptions", "ResponseWriter"]

MAX_REMOVED_WORDS = 10
"""Words that are taken away, one after the other, to see what changes the answer."""


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
    """Answers documents with one model, each as bytes without a line break at the end."""

    def __init__(self, model: Categorizer) -> None:
        self.model = model
        self._locator = EvidenceLocator(model.model_.representation)

    def rows(self, batch: Sequence[Record], options: ClassifyOptions) -> list[bytes]:
        """Return the row of each document."""
        documents = as_documents(batch)
        answers = self.model.model_.answer_columns(
            documents, abstain=options.abstain, top=options.top, explain=options.explain
        )
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
