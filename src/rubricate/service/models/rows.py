"""Answers as rows: JSON objects with evidence by character offsets, and lines of CSV."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from rubricate.categorizer import Categorizer
from rubricate.readers.reading import Reading
from rubricate.text.analyzer import Analyzer
from rubricate.text.blocks import Blocks
from rubricate.text.places import TermFinder
from rubricate.text.representation import source_of
from rubricate.training.answers import Answer
from rubricate.types import Documents, Evidence, Sparse

__all__ = ["Question", "Questions", "RowMaker", "header"]

TRIED = 10
"""Words that are taken away, one after the other, to see what changes the answer."""
TITLE = "title:"
"""What the terms of titles are named with where they are counted apart."""


_Places: TypeAlias = dict[tuple[int, str], dict[str, list[tuple[int, int]]]]
"""By the number of a finder and the part of a document: each term and its places."""


class Question(NamedTuple):
    """A document to classify."""

    id: str
    text: str
    title: str = ""


@dataclass(frozen=True)
class Questions:
    """What is asked of a model; equal ones can be answered in one batch."""

    top: int | None = None
    explain: int = 0
    abstain: float | None = None
    form: Literal["json", "csv"] = "json"


class RowMaker:
    """Answers documents with one model, each as one row of bytes without a line break at the end."""

    def __init__(self, model: Categorizer) -> None:
        self.model = model
        shape = model.model_.representation
        parts = list(shape.parts_) if isinstance(shape, Blocks) else [shape]
        counted = [source_of(part.weights) == "counts" for part in parts]
        analyzers = [
            part.reading_analyzer() if known else Analyzer() for part, known in zip(parts, counted, strict=True)
        ]
        self._finders = [TermFinder(analyzer) for analyzer in analyzers]
        widths = [len(part.names() or ()) for part in parts] if len(parts) > 1 else []
        self._ends = np.cumsum(widths[:-1], dtype=np.int64) if widths else np.empty(0, np.int64)

    def rows(self, batch: Sequence[Question], questions: Questions) -> list[bytes]:
        """Return one row per document."""
        documents = as_documents(batch)
        answers = self.model.answers(documents, abstain=questions.abstain, top=questions.top, explain=questions.explain)
        if questions.form == "csv":
            return [_csv_row(question.id, answer, questions) for question, answer in zip(batch, answers, strict=True)]
        return [self._json(question, answer, questions) for question, answer in zip(batch, answers, strict=True)]

    def _json(self, question: Question, answer: Answer, questions: Questions) -> bytes:
        confidence = None if answer.confidence is None else round(answer.confidence, 6)
        row: dict[str, Any] = {
            "id": question.id,
            "labels": None if answer.labels is None else list(answer.labels),
            "confidence": confidence,
            "scores": {name: score if math.isfinite(score) else None for name, score in answer.scores},
            "evidence": [],
        }
        if questions.explain:
            row |= self._evidence(question, answer.evidence)
        return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace")

    def _evidence(self, question: Question, evidence: Mapping[str, Sequence[Evidence]]) -> dict[str, Any]:
        """Return the evidence by place in text and title; reasons without a place (rules, neighbours) by name."""
        named: dict[str, list[Any]] = {"evidence": [], "title_evidence": [], "reasons": []}
        found = self._places(question, [reason for reasons in evidence.values() for reason in reasons])
        for category, reasons in evidence.items():
            for reason in reasons:
                spans = self._spans(question, reason, found)
                count = sum(map(len, spans.values()))
                if not count:
                    named["reasons"].append(
                        {"category": category, "source": reason.source, "kind": reason.kind, "weight": reason.weight}
                    )
                for key, places in spans.items():
                    named[key] += [
                        {"category": category, "start": start, "end": end, "weight": reason.weight / count}
                        for start, end in places
                    ]
        return {key: items for key, items in named.items() if items or key == "evidence"}

    def explain(self, text: str, category: str, limit: int) -> dict[str, Any]:
        """Return the evidence for one category, whether it is a label or not."""
        question = Question("1", text)
        found = self._evidence(question, {category: self.model.explain(text, category, limit)[category]})
        return {"evidence": found["evidence"], "reasons": found.get("reasons", [])}

    def change(self, text: str, category: str, places: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
        """Return the fewest of the strongest words without which the labels would be others; None where ten are not
        enough. For a category that is a label the words that speak for it go, one after the other, the strongest first;
        for another those against it, until it becomes a label.
        """
        words: dict[str, float] = {}
        for place in places:
            word = text[place["start"] : place["end"]].lower()
            words[word] = words.get(word, 0.0) + place["weight"]
        (now,) = self.model.classify([text])
        sign = 1 if category in (now or ()) else -1
        strongest = [word for word in sorted(words, key=lambda word: -sign * words[word]) if sign * words[word] > 0]
        shorter = []
        last = list(text)
        for word in strongest[:TRIED]:
            for place in places:
                if text[place["start"] : place["end"]].lower() == word:  # blanks keep the other places where they are
                    last[place["start"] : place["end"]] = " " * (place["end"] - place["start"])
            shorter.append("".join(last))
        for count, labels in enumerate(self.model.classify(shorter) if shorter else [], 1):
            if (category in (labels or ())) != (sign > 0):
                return {"without": strongest[:count], "labels": list(labels or ())}
        return None

    def _places(self, question: Question, reasons: Sequence[Evidence]) -> _Places:
        """Return where the terms of all reasons are, by finder and part; a long text is read once for all of them."""
        terms: dict[int, set[str]] = {}
        for reason in reasons:
            if _is_term(reason):
                terms.setdefault(self._finder(reason), set()).add(reason.source.removeprefix(TITLE))
        parts = {"evidence": question.text, "title_evidence": question.title}
        return {
            (number, part): self._finders[number].find(text, sorted(names))
            for number, names in terms.items()
            for part, text in parts.items()
            if text
        }

    def _finder(self, reason: Evidence) -> int:
        return int(np.searchsorted(self._ends, reason.index, side="right"))

    def _spans(self, question: Question, reason: Evidence, places: _Places) -> dict[str, list[tuple[int, int]]]:
        if reason.kind == "part":  # a word that was left out, where an encoder decides
            word = re.compile(rf"(?i)(?<!\w){re.escape(reason.source)}(?!\w)")
            texts = {"evidence": question.text, "title_evidence": question.title}
            return {key: [match.span() for match in word.finditer(text)] for key, text in texts.items()}
        if not _is_term(reason):
            return {}
        number, term = self._finder(reason), reason.source.removeprefix(TITLE)
        parts = ("title_evidence", "evidence") if term == reason.source else ("title_evidence",)
        return {part: places[number, part][term] for part in parts if (number, part) in places}


def _is_term(reason: Evidence) -> bool:
    return reason.kind == "term" and isinstance(reason.index, int)


@lru_cache(maxsize=8)
def _no_labels(rows: int) -> Sparse:
    """Return a matrix without columns; making one takes a tenth of what a short document does."""
    return sparse.csr_array((rows, 0), dtype=bool)


def as_documents(batch: Sequence[Question]) -> Documents:
    """Make documents without labels."""
    return Documents(
        ids=[question.id for question in batch],
        bodies=[question.text for question in batch],
        labels=_no_labels(len(batch)),
        categories=(),
        titles=[question.title for question in batch] if any(question.title for question in batch) else None,
    )


def header(questions: Questions) -> bytes:
    """Return the first line of a CSV answer; the columns are those of `rubricate classify`."""
    columns = ["id", "category", "score", "decision"] if questions.top else ["id", "labels"]
    columns += ["confidence", "abstained"] if questions.abstain is not None else []
    return _line(columns + (["evidence"] if questions.explain else []))


def _csv_row(name: str, answer: Answer, questions: Questions) -> bytes:
    labels = answer.labels or ()
    confidence = "" if answer.confidence is None else f"{answer.confidence:.4f}"
    more = [confidence, str(int(answer.labels is None))] if questions.abstain is not None else []
    if not questions.top:
        why = [_reasons(answer, answer.evidence)] if questions.explain else []
        return _line([name, Reading.separator.join(labels), *more, *why])
    rows = []
    for category, score in answer.scores:
        why = [_reasons(answer, (category,))] if questions.explain else []
        rows.append(_line([name, category, repr(score), str(int(category in labels)), *more, *why]))
    return b"\n".join(rows)


def _reasons(answer: Answer, categories: Any) -> str:
    """Format evidence as `rubricate classify` does: `grain: wheat +0.556, export +0.147; trade: …`."""
    return "; ".join(
        f"{name}: " + ", ".join(f"{reason.source} {reason.weight:+.3f}" for reason in answer.evidence[name])
        for name in categories
        if name in answer.evidence
    )


def _line(cells: Sequence[str]) -> bytes:
    target = io.StringIO()
    csv.writer(target).writerow(cells)  # its line end, \r\n, makes it quote cells that hold one of both
    return target.getvalue().removesuffix("\r\n").encode("utf-8", "replace")
