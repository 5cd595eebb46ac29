"""Answers as rows of CSV, as JSON lines and as columns; written by `classify`, `rules run` and the service."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from rubricate.errors import InvalidInput
from rubricate.io.reading import Reading
from rubricate.io.text_files import inert

if TYPE_CHECKING:
    from rubricate.text.evidence import Located
    from rubricate.training.answers import AnswerColumns
    from rubricate.types import Evidence

__all__ = ["AnswerFormat"]

_quoted = json.encoder.encode_basestring  # as json.dumps(…, ensure_ascii=False) does


@dataclass(frozen=True)
class AnswerFormat:
    """What is written for each document.

    Parameters
    ----------
    as_json
        One JSON object per document: `id`, `labels` (null if withheld), `confidence` (null if not known), `scores`,
        `evidence`, and `title_evidence` and `reasons` if there are any (`text.evidence` explains them). Else CSV.
    top
        CSV has one row per category with `category`, `score` and `decision`, instead of one row with the `labels`.
    explain
        CSV has the column `evidence`: `grain: wheat +0.556, export +0.147; trade: …`.
    abstaining
        CSV has the columns `confidence` and `abstained`.
    separator
        What separates the labels in a cell of CSV.
    escape_formulas
        Put `'` before cells of CSV that a spreadsheet would run as a formula.
    """

    as_json: bool = False
    top: bool = False
    explain: bool = False
    abstaining: bool = False
    separator: str = Reading.separator
    escape_formulas: bool = False

    def header(self) -> list[str]:
        """Return the names of the columns of CSV and Parquet."""
        names = ["id", "category", "score", "decision"] if self.top else ["id", "labels"]
        names += ["confidence", "abstained"] if self.abstaining else []
        return names + (["evidence"] if self.explain else [])

    def rows(self, ids: Sequence[str], answers: AnswerColumns, evidence: Sequence[Located] = ()) -> list[str]:
        """Return the text for each document, without a line break at its end.

        With `top` it has one line per category, and is empty for a document without scores. `evidence` are the
        fields of JSON that explain each document, as `EvidenceLocator` returns them.
        """
        if self.as_json:
            return _json_rows(ids, answers, evidence)
        lines = self.csv_lines(zip(*self._cells(ids, answers).values(), strict=True))
        return _split(answers.scores[0], lines, "\n".join) if self.top else lines

    def csv_lines(self, rows: Iterable[Sequence[Any]]) -> list[str]:
        """Return one line for each row of cells."""
        lines: list[str] = []
        # The line end \r\n makes the writer quote cells that hold either sign, which some readers take for a line end.
        writer = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n")
        writer.writerows((map(inert, row) for row in rows) if self.escape_formulas else rows)
        return [line[:-2] for line in lines]

    def columns(self, ids: Sequence[str], answers: AnswerColumns) -> dict[str, Any]:
        """Return the values of each column as Parquet holds them."""
        return self._pairs(ids, answers) if self.top else self._label_sets(ids, answers, list)

    def _cells(self, ids: Sequence[str], answers: AnswerColumns) -> dict[str, Any]:
        """Return the cells of each column as CSV has them."""
        cells = self._pairs(ids, answers) if self.top else self._label_sets(ids, answers, self.separator.join)
        if self.top:
            cells["decision"] = [int(given) for given in cells["decision"]]
        else:
            cells["labels"] = [own or "" for own in cells["labels"]]
        if self.abstaining:
            cells["confidence"] = [f"{value:.4f}" for value in cells["confidence"]]
            cells["abstained"] = [int(held) for held in cells["abstained"]]
        return cells

    def _label_sets(
        self, ids: Sequence[str], answers: AnswerColumns, join: Callable[[list[str]], Any]
    ) -> dict[str, Any]:
        starts, columns = answers.labels
        labels = _split(starts, [answers.categories[column] for column in columns.tolist()], join)
        if answers.withheld.any():
            labels = [None if held else own for own, held in zip(labels, answers.withheld.tolist(), strict=True)]
        cells: dict[str, Any] = {"id": ids, "labels": labels}
        if self.abstaining:
            cells |= {"confidence": _confidences(answers), "abstained": answers.withheld.tolist()}
        if self.explain:
            cells["evidence"] = [_evidence_text(evidence, evidence) for evidence in answers.evidence]
        return cells

    def _pairs(self, ids: Sequence[str], answers: AnswerColumns) -> dict[str, Any]:
        import numpy as np

        starts, columns, values = answers.scores
        row = np.repeat(np.arange(len(ids)), np.diff(starts))
        width = len(answers.categories)
        own = np.repeat(np.arange(len(ids)), np.diff(answers.labels[0])) * width + answers.labels[1]
        given = np.isin(row * width + columns, own) & ~answers.withheld[row]
        rows = row.tolist()
        names = [answers.categories[column] for column in columns.tolist()]
        cells: dict[str, Any] = {"id": [ids[i] for i in rows], "category": names}
        cells |= {"score": values.tolist(), "decision": given.tolist()}
        if self.abstaining:
            confidences = _confidences(answers)
            cells |= {"confidence": [confidences[i] for i in rows], "abstained": answers.withheld[row].tolist()}
        if self.explain:
            pairs = zip(rows, names, strict=True)
            cells["evidence"] = [_evidence_text(answers.evidence[i], (name,)) for i, name in pairs]
        return cells


def _json_rows(ids: Sequence[str], answers: AnswerColumns, evidence: Sequence[Located]) -> list[str]:
    """Return JSON objects, put together by column: a dictionary for each document would take three times as long."""
    names = [_quoted(name) for name in answers.categories]
    labels = _split(answers.labels[0], [names[column] for column in answers.labels[1].tolist()], ", ".join)
    given = ["null" if held else f"[{own}]" for own, held in zip(labels, answers.withheld.tolist(), strict=True)]
    starts, columns, values = answers.scores
    pairs = [f"{names[column]}: {value}" for column, value in zip(columns.tolist(), _numbers(values), strict=True)]
    known = answers.confidence
    confidences = repeat("null") if known is None else [repr(round(value, 6)) for value in known.tolist()]
    explained = [_json_fields(fields) for fields in evidence] if evidence else repeat('"evidence": []')
    return [
        f'{{"id": {_quoted(name)}, "labels": {own}, "confidence": {confidence}, "scores": {{{scores}}}, {why}}}'
        for name, own, confidence, scores, why in zip(
            ids, given, confidences, _split(starts, pairs, ", ".join), explained, strict=False
        )
    ]


def _split(starts: Any, values: list[Any], join: Callable[[list[Any]], Any]) -> list[Any]:
    """Return what `join` makes of the values of each document."""
    return [join(values[a:b]) for a, b in pairwise(starts.tolist())]


def _confidences(answers: AnswerColumns) -> list[float]:
    if answers.confidence is None:
        raise InvalidInput("the model knows no confidence; fit it with folds=5")
    return list(answers.confidence.tolist())


def _numbers(values: Any) -> Sequence[str]:
    """Return numbers as JSON has them; null for what is not finite."""
    return [repr(value) if math.isfinite(value) else "null" for value in values.tolist()]


def _json_fields(fields: Located) -> str:
    return json.dumps(fields, ensure_ascii=False)[1:-1]


def _evidence_text(evidence: Mapping[str, Sequence[Evidence]], categories: Iterable[str]) -> str:
    """Format evidence as `grain: wheat +0.556, export +0.147; trade: …`."""
    return "; ".join(
        f"{name}: " + ", ".join(f"{reason.source} {reason.weight:+.3f}" for reason in evidence[name])
        for name in categories
        if name in evidence
    )
