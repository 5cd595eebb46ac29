"""What a trained model says of a document: labels, confidence, scores, and evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from rubricate.folds import take_rows
from rubricate.training import scoring
from rubricate.training.familiarity import familiarity
from rubricate.training.offsets import offsets
from rubricate.training.ranked import Answer, best_of, scores_shown
from rubricate.types import Decisions, Evidence, Floats, Scores

if TYPE_CHECKING:
    from rubricate.training.trained import Trained

__all__ = ["Answer", "answer", "best_of", "labels_of", "rows_in"]


def labels_of(decisions: Decisions) -> list[Any]:
    """Return the labels of each document, a tuple in the order of the categories."""
    starts, columns = decisions.values.indptr, decisions.values.indices
    names = decisions.categories
    return [tuple(names[c] for c in columns[a:b]) for a, b in pairwise(starts)]


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
    trained: Trained, vectors: Any, *, abstain: float | None = None, top: int | None = None, explain: int = 0
) -> list[Answer]:
    """Return the answers on vectors; `Categorizer.answers` explains the options."""
    blocks = trained.blocks(vectors)
    if scoring.needs_whole_set(trained.cut):
        blocks = iter([scoring.stacked(list(blocks), len(trained.categories))])
    answers: list[Answer] = []
    for block in blocks:
        decided = labels_of(Decisions(trained.cut.decide(block), trained.categories, _Unnamed(block)))
        chances = _chances(trained, block, len(decided))
        scores = [
            scores_shown(row, trained.categories, labels, top=top)
            for row, labels in zip(rows_in(block), decided, strict=True)
        ]
        reasons: list[dict[str, list[Evidence]]] = [{}] * len(decided)
        if explain:
            part = take_rows(vectors, np.arange(len(answers), len(answers) + len(decided)))
            reasons = _evidence(trained, part, block, decided=decided, limit=explain)
        known = _familiarity(trained, block, len(decided))
        answers += [
            Answer(None if abstain is not None and (p is None or p < abstain) else labels, p, labels, s, why, near)
            for labels, p, s, why, near in zip(decided, chances, scores, reasons, known, strict=True)
        ]
    return answers


class _Unnamed(Sequence[str]):
    """Ids that nobody will ask for."""

    def __init__(self, block: Any) -> None:
        self._length = (block.values if isinstance(block, Scores) else block).shape[0]

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        return str(index)


def _familiarity(trained: Trained, block: Any, n: int) -> list[float | None]:
    return (
        [None] * n if trained.reference is None else familiarity(block, trained.reference, trained.sharpness).tolist()
    )


def _chances(trained: Trained, block: Any, n: int) -> list[float | None]:
    if trained.confidence is None:
        return [None] * n
    return trained.confidence.predict(offsets(block, trained.cut)).tolist()


def _evidence(
    trained: Trained, vectors: Any, block: Any, *, decided: Sequence[tuple[str, ...]], limit: int
) -> list[dict[str, list[Evidence]]]:
    """Return for each document the evidence for its labels, or for its best category, one category at a time."""
    wanted: dict[str, list[int]] = {}
    for place, (labels, row) in enumerate(zip(decided, rows_in(block), strict=True)):
        for name in labels or [name for name, _ in best_of(row, trained.categories, 1)]:
            wanted.setdefault(name, []).append(place)
    reasons: list[dict[str, list[Evidence]]] = [{} for _ in decided]
    for name, places in wanted.items():
        for place, evidence in zip(
            places, trained.evidence(take_rows(vectors, np.array(places)), name, limit), strict=True
        ):
            reasons[place][name] = evidence
    return reasons
