"""What a categorizer says of a document: labels, how sure it is, scores, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.training import scoring as _scoring
from rubricate.training.confidence import offsets
from rubricate.types import Decisions, Evidence, Floats, Scores

__all__ = ["Answer", "answer", "best_of", "labels_of", "rows_in"]


@dataclass(frozen=True)
class Answer:
    """The labels of a document, None where the categorizer abstains (a person should look at it).

    `confidence` is the estimated chance that exactly these labels are right, None where it is not known. `decided` are
    the labels it would have given. `scores` are the best first. `evidence` is by category.
    """

    labels: tuple[str, ...] | None
    confidence: float | None
    decided: tuple[str, ...]
    scores: tuple[tuple[str, float], ...] = ()
    evidence: Mapping[str, Sequence[Evidence]] = field(default_factory=dict)


def labels_of(decisions: Decisions) -> list[Any]:
    """The labels of each document, a tuple in the order of the categories."""
    starts, columns = decisions.values.indptr, decisions.values.indices
    names = decisions.categories
    return [tuple(names[c] for c in columns[a:b]) for a, b in pairwise(starts)]


def rows_in(block: Any) -> Iterator[tuple[Any, Floats]]:
    """Columns and scores of each document in a block."""
    values: Any = block.values if isinstance(block, Scores) else block
    if sparse.issparse(values):
        for a, b in zip(values.indptr[:-1], values.indptr[1:], strict=True):
            yield values.indices[a:b], values.data[a:b]
        return
    every = np.arange(values.shape[1])
    for row in values:
        yield every, row


def best_of(row: tuple[Any, Floats], categories: Sequence[str], k: int) -> list[tuple[str, float]]:
    """The k best categories of a document, best first, those that it can never have left out."""
    columns, scores = row
    order = np.argsort(-scores, kind="stable")[:k]
    return [(categories[columns[i]], float(scores[i])) for i in order if scores[i] > -np.inf]


def answer(
    model: Any, vectors: Any, *, abstain: float | None = None, top: int | None = None, explain: int = 0
) -> list[Answer]:
    """The answers of a fitted categorizer on vectors; its `answers` explains the options."""
    blocks = model._blocks(vectors)
    if _scoring.needs_whole_set(model.cut_):
        blocks = iter([_scoring.gathered(list(blocks), len(model.categories_))])
    found: list[Answer] = []
    for block in blocks:
        decided = labels_of(Decisions(model.cut_.decide(block), model.categories_, _Unnamed(block)))
        sure = _confidence(model, block, len(decided))
        scores = [
            _scores(row, model.categories_, labels, top) for row, labels in zip(rows_in(block), decided, strict=True)
        ]
        part = vectors[len(found) : len(found) + len(decided)]
        reasons = _evidence(model, part, decided, block, explain) if explain else [{}] * len(decided)
        found += [
            Answer(None if abstain is not None and (p is None or p < abstain) else labels, p, labels, s, why)
            for labels, p, s, why in zip(decided, sure, scores, reasons, strict=True)
        ]
    return found


class _Unnamed(Sequence[str]):
    """Ids that nobody will ask for."""

    def __init__(self, block: Any) -> None:
        self._length = (block.values if isinstance(block, Scores) else block).shape[0]

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        return str(index)


def _confidence(model: Any, block: Any, n: int) -> list[float | None]:
    sure = model._sureness()
    return [None] * n if sure is None else sure.predict(offsets(block, model.cut_)).tolist()


def _scores(
    row: tuple[Any, Floats], categories: Sequence[str], labels: tuple[str, ...], top: int | None
) -> tuple[tuple[str, float], ...]:
    """The scores of the labels, and of the best `top` categories."""
    if not labels and top is None:
        return ()
    ranked = best_of(row, categories, len(row[0]))
    return tuple(pair for place, pair in enumerate(ranked) if (top is not None and place < top) or pair[0] in labels)


def _evidence(
    model: Any, vectors: Any, decided: Sequence[tuple[str, ...]], block: Any, limit: int
) -> list[dict[str, list[Evidence]]]:
    """For each document the evidence for its labels, or for its best category; asked for category by category."""
    wanted: dict[str, list[int]] = {}
    for place, (labels, row) in enumerate(zip(decided, rows_in(block), strict=True)):
        for name in labels or [name for name, _ in best_of(row, model.categories_, 1)]:
            wanted.setdefault(name, []).append(place)
    found: list[dict[str, list[Evidence]]] = [{} for _ in decided]
    for name, places in wanted.items():
        for place, evidence in zip(places, model._evidence(vectors[places], model._column(name), limit), strict=True):
            found[place][name] = evidence
    return found
