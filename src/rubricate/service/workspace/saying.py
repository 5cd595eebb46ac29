"""What a new model says of every document of a project, and how much the label of each would teach.

The usefulness of a document is that of `rubricate next`: ties, the least gap between its two best categories. Documents
without labels also get their turn in the sample that measures the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rubricate.categorizer import Categorizer
from rubricate.labelling.choosing.strategies import usefulness
from rubricate.labels import label_matrix
from rubricate.service.workspace.documents import DocumentStore
from rubricate.service.workspace.measuring import with_turns
from rubricate.service.workspace.models import Said
from rubricate.service.workspace.projects import Project
from rubricate.training import scoring
from rubricate.training.answers import answer, labels_of
from rubricate.types import Decisions, Documents, Floats, Progress, Scores

__all__ = ["all_said"]

PAGE = 1_000


class _Own(NamedTuple):
    """What the model said of a training document out of fold."""

    labels: tuple[str, ...]
    chance: float


def all_said(
    store: DocumentStore,
    project: Project,
    model: Categorizer,
    *,
    given: dict[str, tuple[str, ...]],
    progress: Progress | None,
) -> list[Said]:
    """Return what the model says of every document; of those it was trained on here, what it said out of fold."""
    own = _out_of_fold(model)
    if progress is not None:
        progress(total=1 + store.count(project)["documents"] // PAGE, text="reading all documents")
    said: list[Said] = []
    places: list[int] = []
    after: int | None = 0
    while after is not None:
        rows, after = store.rows(project, after=after, n=PAGE)
        said += _page(model, rows, own, given)
        places += [row.place for row in rows]
        if progress is not None:
            progress(1)
    return with_turns(said, places, model.categories_)


def _out_of_fold(model: Categorizer) -> dict[str, _Own]:
    judged = model.trained().judged
    if judged is None:  # opened from a file
        return {}
    decided = labels_of(Decisions(judged.decided, model.categories_, model.ids_))
    chances = np.asarray(judged.chances, float).tolist()
    return {name: _Own(*pair) for name, *pair in zip(model.ids_, decided, chances, strict=True)}


def _page(
    model: Categorizer, rows: Sequence[Any], own: dict[str, _Own], given: dict[str, tuple[str, ...]]
) -> Iterator[Said]:
    new = [row for row in rows if row.name not in own]
    answers: dict[str, tuple[Any, float]] = {}
    if new:
        trained = model.trained()
        vectors = trained.vectors(_as_documents(new))
        useful = usefulness(_boundary_scores(model, vectors), "ties").tolist()
        answers = {row.name: pair for row, *pair in zip(new, answer(trained, vectors), useful, strict=True)}  # type: ignore[misc]
    for row in rows:
        if row.name in own:
            labels, chance = own[row.name]
            wrong = row.name in given and set(labels) != set(given[row.name])
            yield Said(row.id, labels, chance, chance if wrong else None)
        else:
            reply, worth = answers[row.name]
            yield Said(row.id, reply.decided, reply.confidence, None, worth)


def _boundary_scores(model: Categorizer, vectors: Any) -> Floats:
    """Return scores that are 0 where the model decides, as `rubricate next` takes them."""
    trained = model.trained()
    found = scoring.score_all(trained.classifier, vectors, columns=len(trained.categories), limit=trained.limit)
    scores = scoring.written_out(found) if isinstance(found, Scores) else found
    scores = np.where(np.isfinite(scores), scores, scores[np.isfinite(scores)].min(initial=0.0))
    cuts = getattr(trained.cut, "cuts_", None)
    return scores if cuts is None else scores - np.where(np.isfinite(cuts), cuts, 0.0)


def _as_documents(rows: Sequence[Any]) -> Documents:
    empty, _ = label_matrix([() for _ in rows], ())
    titles = [row.title or "" for row in rows]
    return Documents([row.name for row in rows], [row.text for row in rows], empty, (), titles=titles)
