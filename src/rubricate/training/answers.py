"""The answer on a document, and its best categories by their scores; arithmetic alone, without an estimator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse

from rubricate.folds import take_rows
from rubricate.native.measures import best_columns
from rubricate.training import scoring
from rubricate.training.confidence_scores import familiarity, offsets
from rubricate.types import Bools, Evidence, Floats, Ints, Scores, Sparse

if TYPE_CHECKING:
    from rubricate.training.model import Model

__all__ = ["Answer", "AnswerColumns", "answer", "answer_columns", "best_of", "rows_in", "shown_scores"]


@dataclass(frozen=True)
class Answer:
    """The labels of a document, None where the model abstains (a person should look at it).

    `confidence` is the estimated chance that exactly these labels are right, None where it is not known. `decided` are
    the labels it would have given. `scores` are the best first. `evidence` is by category. `familiarity` is the
    share of training documents that look no more familiar (`training.confidence_scores`), None where it is not known.
    """

    labels: tuple[str, ...] | None
    confidence: float | None
    decided: tuple[str, ...]
    scores: tuple[tuple[str, float], ...] = ()
    evidence: Mapping[str, Sequence[Evidence]] = field(default_factory=dict)
    familiarity: float | None = None


def best_of(row: tuple[Any, Floats], categories: Sequence[str], k: int) -> list[tuple[str, float]]:
    """Return the k best categories of a document, best first, without those that it can never have."""
    columns, scores = row
    order = np.argsort(-scores, kind="stable")[:k]
    return [(categories[columns[i]], float(scores[i])) for i in order if scores[i] > -np.inf]


@dataclass(frozen=True, eq=False)
class AnswerColumns:
    """Labels, confidence, scores and evidence of some documents; `Answer` explains each.

    Parameters
    ----------
    categories
        The names that `labels` and `scores` refer to by number.
    labels
        Starts and categories of the labels that were decided; document i has `labels[1][starts[i]:starts[i + 1]]`.
    scores
        Starts, categories and values of the scores to show, the best of each document first.
    confidence, familiarity
        One number per document; None where it is not known.
    withheld
        Documents whose labels are not given, as the model abstains.
    evidence
        By document and category; empty where it was not asked for.
    """

    categories: Sequence[str]
    labels: tuple[Ints, Ints]
    scores: tuple[Ints, Ints, Floats]
    confidence: Floats | None
    familiarity: Floats | None
    withheld: Bools
    evidence: Sequence[Mapping[str, Sequence[Evidence]]] = ()

    def __len__(self) -> int:
        return len(self.withheld)

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> Self:
        """Return answers on single documents by column."""
        numbers: dict[str, int] = {}

        def number(name: str) -> int:
            return numbers.setdefault(name, len(numbers))

        labels = [[number(name) for name in answer.decided] for answer in answers]
        scored = [[(number(name), value) for name, value in answer.scores] for answer in answers]
        confidence = [answer.confidence for answer in answers]
        familiarity = [answer.familiarity for answer in answers]
        return cls(
            categories=tuple(numbers),
            labels=(_starts(labels), np.array([each for row in labels for each in row], np.int64)),
            scores=(
                _starts(scored),
                np.array([column for row in scored for column, _ in row], np.int64),
                np.array([value for row in scored for _, value in row], np.float64),
            ),
            confidence=None if None in confidence else np.array(confidence, np.float64),
            familiarity=None if None in familiarity else np.array(familiarity, np.float64),
            withheld=np.array([answer.labels is None for answer in answers], bool),
            evidence=[answer.evidence for answer in answers],
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return several parts over the same categories as one."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            categories=parts[0].categories,
            labels=(_joined_starts([each.labels[0] for each in parts]), _end_to_end(each.labels[1] for each in parts)),
            scores=(
                _joined_starts([each.scores[0] for each in parts]),
                _end_to_end(each.scores[1] for each in parts),
                _end_to_end(each.scores[2] for each in parts),
            ),
            confidence=None if parts[0].confidence is None else _end_to_end(each.confidence for each in parts),
            familiarity=None if parts[0].familiarity is None else _end_to_end(each.familiarity for each in parts),
            withheld=_end_to_end(each.withheld for each in parts),
            evidence=[row for each in parts for row in each.evidence],
        )

    def without_labels(self, rows: Bools) -> AnswerColumns:
        """Return the same answers, with no labels for these documents; what else is said of them stays."""
        starts, columns = self.labels
        lengths = np.where(rows, 0, np.diff(starts))
        kept = np.repeat(~rows, np.diff(starts))
        return AnswerColumns(
            categories=self.categories,
            labels=(np.concatenate([[0], np.cumsum(lengths)]), columns[kept]),
            scores=self.scores,
            confidence=self.confidence,
            familiarity=self.familiarity,
            withheld=self.withheld & ~rows,
            evidence=self.evidence,
        )

    def label_names(self) -> list[tuple[str, ...]]:
        """Return the names of the labels that were decided, for each document."""
        return [tuple(row) for row in split_rows(self.labels[0], self._names(self.labels[1]))]

    def answers(self) -> list[Answer]:
        """Return one answer per document."""
        labels = self.label_names()
        starts, columns, values = self.scores
        pairs = split_rows(starts, list(zip(self._names(columns), values.tolist(), strict=True)))
        absent: list[Any] = [None] * len(self)
        return [
            Answer(None if withheld else own, confidence, own, tuple(scores), evidence, familiarity)
            for own, withheld, confidence, scores, evidence, familiarity in zip(
                labels,
                self.withheld.tolist(),
                absent if self.confidence is None else self.confidence.tolist(),
                pairs,
                self.evidence or [{}] * len(self),
                absent if self.familiarity is None else self.familiarity.tolist(),
                strict=True,
            )
        ]

    def _names(self, columns: Ints) -> list[str]:
        names = self.categories
        return [names[column] for column in columns.tolist()]


def split_rows(starts: Ints, values: list[Any]) -> list[list[Any]]:
    """Return a list of values as one list per document."""
    return [values[a:b] for a, b in pairwise(starts.tolist())]


def shown_scores(block: Any, decided: Sparse, top: int | None) -> tuple[Ints, Ints, Floats]:
    """Return the scores of the labels and of the `top` best categories, best first; of equal ones the earlier category.

    Given dense scores, or `Scores` of some categories of each document: labels whose score is not stored are left out.
    Scores of -inf are never shown.
    """
    rows, columns, values = (
        _stored_cells(block, decided, top) if isinstance(block, Scores) else _cells(np.asarray(block), decided, top)
    )
    kept = values > -np.inf
    rows, columns, values = rows[kept], columns[kept], values[kept]
    order = np.lexsort((columns, -values, rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=decided.shape[0]))])
    return starts, columns[order], values[order]


def _cells(scores: Floats, decided: Sparse, top: int | None) -> tuple[Ints, Ints, Floats]:
    rows = np.repeat(np.arange(decided.shape[0]), np.diff(decided.indptr))
    columns: Any = decided.indices
    if top is not None:
        best, kept = best_columns(np.ascontiguousarray(scores, np.float64), min(top, scores.shape[1]))
        wanted = np.zeros(scores.shape, bool)
        wanted[rows, columns] = True
        wanted[np.repeat(np.arange(len(kept)), kept), best[np.arange(best.shape[1]) < kept[:, None]]] = True
        rows, columns = np.nonzero(wanted)
    return rows, columns.astype(np.int64), scores[rows, columns]


def _stored_cells(scores: Scores, decided: Sparse, top: int | None) -> tuple[Ints, Ints, Floats]:
    values: Any = sparse.csr_array(scores.values)
    documents, categories = values.shape
    rows = np.repeat(np.arange(documents), np.diff(values.indptr))
    columns = values.indices.astype(np.int64)
    own = np.repeat(np.arange(documents), np.diff(decided.indptr)) * categories + decided.indices
    wanted = np.isin(rows * categories + columns, own)
    if top is not None:
        order = np.lexsort((np.arange(len(rows)), -values.data, rows))
        place = np.empty(len(rows), np.int64)
        place[order] = np.arange(len(rows)) - values.indptr[:-1][rows[order]]
        wanted |= place < top
    return rows[wanted], columns[wanted], values.data[wanted]


def _starts(rows: Sequence[Sequence[Any]]) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row) for row in rows], dtype=np.int64)])


def _joined_starts(starts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate([np.diff(each) for each in starts]))])


def _end_to_end(arrays: Any) -> Any:
    return np.concatenate(list(arrays))


def rows_in(block: Any) -> Iterator[tuple[Any, Floats]]:
    """Yield columns and scores of each document in a block."""
    values: Any = block.values if isinstance(block, Scores) else block
    if sparse.issparse(values):
        for a, b in zip(values.indptr[:-1], values.indptr[1:], strict=True):
            yield values.indices[a:b], values.data[a:b]
        return
    every = np.arange(values.shape[1])
    for row in values:
        yield every, row


def answer(
    model: Model, vectors: Any, *, abstain: float | None = None, top: int | None = None, explain: int = 0
) -> list[Answer]:
    """Return the answers on vectors; `Categorizer.answers` explains the options."""
    return answer_columns(model, vectors, abstain=abstain, top=top, explain=explain).answers()


def answer_columns(
    model: Model,
    vectors: Any,
    *,
    abstain: float | None = None,
    top: int | None = None,
    explain: int = 0,
    confident: bool = True,
) -> AnswerColumns:
    """Return the answers on vectors by column.

    Without `confident` the confidence is left out, unless `abstain` needs it.
    """
    blocks = model.blocks(vectors)
    if scoring.needs_whole_set(model.threshold):
        blocks = iter([scoring.stacked(list(blocks), len(model.categories))])
    confident = confident or abstain is not None
    parts: list[AnswerColumns] = []
    first = 0
    for block in blocks:
        part = _block_columns(model, block, abstain=abstain, top=top, confident=confident)
        if explain:
            rows = take_rows(vectors, np.arange(first, first + len(part)))
            part = replace(part, evidence=_evidence(model, rows, block, decided=part.label_names(), limit=explain))
        first += len(part)
        parts.append(part)
    return AnswerColumns.joined(parts) if parts else AnswerColumns.of([])


def _block_columns(
    model: Model, block: Any, *, abstain: float | None, top: int | None, confident: bool
) -> AnswerColumns:
    decided = model.threshold.decide(block)
    chances = _chances(model, block) if confident else None
    withheld = np.zeros(decided.shape[0], bool)
    if abstain is not None:
        withheld = ~(chances >= abstain) if chances is not None else ~withheld
    return AnswerColumns(
        categories=model.categories,
        labels=(decided.indptr, decided.indices),
        scores=shown_scores(block, decided, top),
        confidence=chances,
        familiarity=_familiarity(model, block),
        withheld=withheld,
    )


def _familiarity(model: Model, block: Any) -> Floats | None:
    return None if model.reference is None else familiarity(block, model.reference, model.sharpness)


def _chances(model: Model, block: Any) -> Floats | None:
    return None if model.confidence is None else model.confidence.predict(offsets(block, model.threshold))


def _evidence(
    model: Model, vectors: Any, block: Any, *, decided: Sequence[tuple[str, ...]], limit: int
) -> list[dict[str, list[Evidence]]]:
    """Return for each document the evidence for its labels, or for its best category, one category at a time."""
    wanted: dict[str, list[int]] = {}
    for place, (labels, row) in enumerate(zip(decided, rows_in(block), strict=True)):
        for name in labels or [name for name, _ in best_of(row, model.categories, 1)]:
            wanted.setdefault(name, []).append(place)
    reasons: list[dict[str, list[Evidence]]] = [{} for _ in decided]
    for name, places in wanted.items():
        for place, evidence in zip(
            places, model.evidence(take_rows(vectors, np.array(places)), name, limit), strict=True
        ):
            reasons[place][name] = evidence
    return reasons
