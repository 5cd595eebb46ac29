"""What a fitted model says of a document: labels, confidence, scores, and evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from rubricate.folds import take_rows
from rubricate.training import scoring
from rubricate.training.answer_columns import AnswerColumns, shown_scores
from rubricate.training.familiarity import familiarity
from rubricate.training.offsets import offsets
from rubricate.training.ranked import Answer, best_of
from rubricate.types import Evidence, Floats, Scores

if TYPE_CHECKING:
    from rubricate.training.model import Model

__all__ = ["Answer", "answer", "answer_columns", "best_of", "rows_in"]


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
