"""Measure the model in use by labels on a random sample: the queue `measure` and what its labels say.

The sample is that of `rubricate sample --design stratified`: strata by predicted category and confidence. Its
population are the documents that had no labels when the model was made. Every document has its turn: within a stratum
in the random order of the documents, the strata side by side in proportion to their sizes, the first two of each at the
front. Whoever labels in this order has at any moment a stratified sample with known inclusion probabilities n_h / N_h.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sqlalchemy import exists, select

from rubricate.labelling.population.estimates import population_estimates
from rubricate.labelling.population.labelled import LabelledSample
from rubricate.labelling.predictions import Predictions
from rubricate.labelling.sampling.influence import Influence
from rubricate.labelling.sampling.strata import strata_of
from rubricate.labels import label_matrix
from rubricate.service.workspace import tables
from rubricate.service.workspace.database import Database
from rubricate.service.workspace.documents import current_model
from rubricate.service.workspace.labels import consensus
from rubricate.service.workspace.models import STRATA, Said
from rubricate.service.workspace.projects import Project
from rubricate.types import Decisions, Run, Scores

__all__ = ["measured", "with_turns"]

FIRST = 2
"""So many documents of each stratum come first: one is needed for an estimate, two for its variance."""
SHOWN = ("micro_precision", "micro_recall", "micro_f1", "macro_f1")


def with_turns(said: Sequence[Said], places: Sequence[int], categories: Sequence[str]) -> list[Said]:
    """Return what a model said, with stratum and turn for documents without labels (those with a usefulness).

    `places` are the random numbers of all documents; the largest come first, those of the queue `random` last.
    """
    rows = [row for row, each in enumerate(said) if each.useful is not None]
    if not rows:
        return list(said)
    strata = _strata([said[row] for row in rows], categories)
    numbers = np.array([places[row] for row in rows])
    order = np.lexsort((-numbers, strata))
    sizes = np.bincount(strata)
    rank = np.empty(len(rows), np.int64)
    rank[order] = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    share = (rank + 0.5) / sizes[strata]
    turn = np.empty(len(rows), np.int64)
    turn[np.lexsort((-numbers, share, rank >= FIRST))] = np.arange(len(rows))
    done = list(said)
    for row, stratum, place in zip(rows, strata.tolist(), turn.tolist(), strict=True):
        done[row] = said[row]._replace(stratum=stratum, turn=place)
    return done


def _strata(said: Sequence[Said], categories: Sequence[str]) -> Any:
    """Return strata by predicted category and confidence, as `rubricate sample --design stratified` makes them."""
    decided, columns = label_matrix([each.labels for each in said], tuple(categories))
    sure = np.array([0.5 if each.confidence is None else each.confidence for each in said])
    chances = sparse.csr_array(decided, dtype=float)
    chances.data = np.repeat(sure, np.diff(chances.indptr))
    names = [str(each.document) for each in said]
    run = Run(
        "model",
        names,
        columns,
        decisions=Decisions(decided, columns, names),
        scores=Scores(chances, columns, names, floor=0.0),
    )
    none = np.empty(0)
    return strata_of(Predictions.of(run), "stratified", Influence(none, none))


def measured(database: Database, project: Project) -> dict[str, Any] | None:
    """Return weighted estimates of the model in use from the labels in turn; None without a model and its sample.

    What counts are the documents before the first in turn that nobody labelled: labels that were given for another
    reason, further behind, were not drawn at random. `more` documents are missing until every stratum has one.
    """
    m, s = tables.decisions.c, tables.labels.c
    with database.read() as connection:
        model = current_model(connection, project.id)
        drawn = (m.model == model) & m.turn.is_not(None)
        summary = connection.execute(select(tables.models.c.summary).where(tables.models.c.id == model)).scalar()
        sizes = np.array(json.loads(summary or "{}").get(STRATA, ()), np.int64)
        if not len(sizes):
            return None
        open_ = select(m.turn).where(drawn, ~exists().where(s.document == m.document)).order_by(m.turn).limit(1)
        first = connection.execute(open_).scalar()
        inside = drawn if first is None else drawn & (m.turn < first)
        rows = connection.execute(select(m.document, m.labels, m.stratum, m.turn).where(inside)).all()
        query = select(s.document, s.annotator, s.labels, s.event).join(
            tables.decisions, (m.document == s.document) & inside
        )
        given: dict[int, list[Any]] = {}
        for document, annotator, labels, event in connection.execute(query.order_by(s.event)):
            given.setdefault(document, []).append((annotator, tuple(json.loads(labels)), event))
    strata = np.array([row.stratum for row in rows], np.int64)
    facts = {"documents": int(sizes.sum()), "labelled": len(rows), "strata": len(sizes)}
    missing = int((np.bincount(strata, minlength=len(sizes)) == 0).sum())
    if missing:
        return facts | {"more": FIRST * len(sizes) - len(rows), "estimates": []}
    truth, _ = label_matrix([consensus(given[row.document]) for row in rows], project.categories)
    decided, _ = label_matrix([tuple(json.loads(row.labels)) for row in rows], project.categories)
    names = [str(row.document) for row in rows]
    run = Run("model", names, project.categories, decisions=Decisions(decided, project.categories, names))
    sample = LabelledSample(np.arange(len(rows)), strata, sizes, truth)
    shown = population_estimates(sample, run, labels_alone=True).to_dict()["estimates"]
    return facts | {"more": 0, "estimates": [each for each in shown if each["measure"] in SHOWN]}
