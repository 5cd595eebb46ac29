"""What a new model says of every document of a project, and how much the label of each would teach.

The usefulness of a document is that of `rubricate next`: ties, the least gap between its two best categories. Documents
without labels also get their turn in the sample that measures the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rubricate.labelling.active_learning import usefulness
from rubricate.labelling.label_suspects import suspects
from rubricate.labels import label_matrix, label_tuples
from rubricate.service.workspace.comparisons import with_turns
from rubricate.service.workspace.documents import DocumentStore
from rubricate.service.workspace.models import Prediction
from rubricate.service.workspace.projects import Project
from rubricate.training import scoring
from rubricate.training.answers import answer
from rubricate.training.categorizer import Categorizer
from rubricate.types import Documents, Floats, Progress, Scores

__all__ = ["predict_all"]

PAGE = 1_000


class _Own(NamedTuple):
    """What the model said of a training document out of fold, and how wrong its labels look, if they do."""

    labels: tuple[str, ...]
    chance: float
    surprise: float | None


def predict_all(
    store: DocumentStore,
    project: Project,
    model: Categorizer,
    *,
    labelled: Documents | None,
    progress: Progress | None,
) -> list[Prediction]:
    """Return what the model says of every document; of those it was trained on here, what it said out of fold."""
    own = _out_of_fold(model, labelled)
    if progress is not None:
        progress(total=1 + store.count(project)["documents"] // PAGE, text="reading all documents")
    predictions: list[Prediction] = []
    places: list[int] = []
    after: int | None = 0
    while after is not None:
        rows, after = store.rows(project, after=after, n=PAGE)
        predictions += _page(model, rows, own)
        places += [row.place for row in rows]
        if progress is not None:
            progress(1)
    return with_turns(predictions, places, model.categories_)


def _out_of_fold(model: Categorizer, labelled: Documents | None) -> dict[str, _Own]:
    judged = model.model_.judged
    if judged is None or labelled is None:  # opened from a file
        return {}
    decided = label_tuples(judged.decided, model.categories_)
    chances = np.asarray(judged.chances, float).tolist()
    wrong = {each.document: each.score for each in suspects(labelled, limit=None)}
    surprises = [wrong.get(name) for name in model.ids_]
    return {name: _Own(*rest) for name, *rest in zip(model.ids_, decided, chances, surprises, strict=True)}


def _page(model: Categorizer, rows: Sequence[Any], own: dict[str, _Own]) -> Iterator[Prediction]:
    new = [row for row in rows if row.name not in own]
    answers: dict[str, tuple[Any, float]] = {}
    if new:
        fitted = model.model_
        vectors = fitted.vectors(_as_documents(new))
        useful = usefulness(_boundary_scores(model, vectors), "ties").tolist()
        answers = {row.name: pair for row, *pair in zip(new, answer(fitted, vectors), useful, strict=True)}  # type: ignore[misc]
    for row in rows:
        if row.name in own:
            yield Prediction(row.id, *own[row.name])
        else:
            reply, worth = answers[row.name]
            yield Prediction(row.id, reply.decided, reply.confidence, None, worth)


def _boundary_scores(model: Categorizer, vectors: Any) -> Floats:
    """Return scores that are 0 where the model decides, as `rubricate next` takes them."""
    fitted = model.model_
    found = scoring.score_all(fitted.classifier, vectors, columns=len(fitted.categories), limit=fitted.limit)
    scores = scoring.written_out(found) if isinstance(found, Scores) else found
    scores = np.where(np.isfinite(scores), scores, scores[np.isfinite(scores)].min(initial=0.0))
    cuts = getattr(fitted.threshold, "cuts_", None)
    return scores if cuts is None else scores - np.where(np.isfinite(cuts), cuts, 0.0)


def _as_documents(rows: Sequence[Any]) -> Documents:
    empty, _ = label_matrix([() for _ in rows], ())
    titles = [row.title or "" for row in rows]
    return Documents([row.name for row in rows], [row.text for row in rows], empty, (), titles=titles)
