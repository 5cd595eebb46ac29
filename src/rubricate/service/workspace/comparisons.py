"""What a new model changes: it and the model in use on the same labelled documents, neither having seen them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sqlalchemy import exists, select

from rubricate.errors import RubricateError
from rubricate.estimation import learning_curve
from rubricate.estimation.estimating import machine_parts
from rubricate.labelling.population import population_estimates
from rubricate.labelling.population_categories import LabelledSample
from rubricate.labelling.predictions import Predictions
from rubricate.labelling.sample import Influence, strata_of
from rubricate.labels import label_matrix
from rubricate.service.workspace import database as tables
from rubricate.service.workspace.database import Database
from rubricate.service.workspace.documents import current_model
from rubricate.service.workspace.labels import consensus
from rubricate.service.workspace.models import STRATA, Prediction
from rubricate.service.workspace.projects import Project
from rubricate.significance import compare
from rubricate.training.categorizer import Categorizer
from rubricate.types import Decisions, Documents, Run, Scores

__all__ = ["changes", "curve_of", "measured", "with_turns"]


def changes(
    database: Database, project: Project, model: Categorizer, given: dict[str, tuple[str, ...]]
) -> dict[str, Any] | None:
    """Compare a model, out of fold, with the decisions of the model in use; None where there is none.

    The decisions that are kept for a model are on documents that it had not seen, so that the comparison is fair.
    """
    m, d = tables.decisions.c, tables.documents.c
    with database.read() as connection:
        used = current_model(connection, project.id)
        if used is None:
            return None
        query = select(d.name, m.labels).join(tables.documents, d.id == m.document).where(m.model == used)
        before = {name: tuple(json.loads(labels)) for name, labels in connection.execute(query) if name in given}
    run = model.out_of_fold_run("new")
    rows = [place for place, name in enumerate(run.documents) if name in before]
    if not rows or run.decisions is None or run.truth is None:
        return None
    names = [run.documents[place] for place in rows]
    columns = run.categories
    truth, _ = label_matrix([given[name] for name in names], columns)
    kept = [tuple(label for label in before[name] if label in columns) for name in names]
    runs = [
        Run(title, names, columns, decisions=Decisions(decisions, columns, names), truth=truth)
        for title, decisions in (("new", run.decisions.values[rows]), ("old", label_matrix(kept, columns)[0]))
    ]
    sign = next(iter(compare(runs, tests="s")))
    return {
        "documents": len(names),
        "better": {"a": "new", "b": "old"}.get(sign.better or ""),
        "p_value": None if math.isnan(sign.p_value) else float(sign.p_value),
        "test": "micro sign test (s) of Yang and Liu",
    }


LEAST = 32
"""With fewer documents there are too few sizes for a law."""
MOST = 4_000
"""A curve of more documents is made of so many, drawn at random: it costs six trainings."""
GAIN = 0.02


def curve_of(model: Categorizer, documents: Documents) -> dict[str, Any] | None:
    """Return sizes and estimates (xi-alpha), and how many more labels promise .02; None where there is no curve."""
    if len(documents) < LEAST:
        return None
    try:
        svm, vectors, labels, options = machine_parts(model, documents)
    except RubricateError:  # not an SVM, or one whose scores are not those of an SVM alone
        return None
    n = len(documents)
    sizes = sorted({size for size in (n >> k for k in range(6)) if 8 <= size <= MOST} | {min(n, MOST)})
    if len(sizes) < 3:
        return None
    curve = learning_curve(svm, vectors, labels, sizes=sizes, **options)
    ahead = curve.at(2 * n)
    needed = curve.needed(GAIN)
    return {
        "measure": "accuracy" if options["single"] else "micro-F1",
        "sizes": curve.sizes.tolist(),
        "values": [round(value, 4) for value in curve.mean("f1").tolist()],
        "gain": GAIN,
        "more": None if needed is None else max(1, needed - n),
        "double": [round(value, 4) for value in (ahead.value, ahead.low, ahead.high)],
    }


FIRST = 2
"""So many documents of each stratum come first: one is needed for an estimate, two for its variance."""
SHOWN = ("micro_precision", "micro_recall", "micro_f1", "macro_f1")


def with_turns(predictions: Sequence[Prediction], places: Sequence[int], categories: Sequence[str]) -> list[Prediction]:
    """Return what a model said, with stratum and turn for documents without labels (those with a usefulness).

    `places` are the random numbers of all documents; the largest come first, those of the queue `random` last.
    """
    rows = [row for row, each in enumerate(predictions) if each.useful is not None]
    if not rows:
        return list(predictions)
    strata = _strata([predictions[row] for row in rows], categories)
    numbers = np.array([places[row] for row in rows])
    order = np.lexsort((-numbers, strata))
    sizes = np.bincount(strata)
    rank = np.empty(len(rows), np.int64)
    rank[order] = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    share = (rank + 0.5) / sizes[strata]
    turn = np.empty(len(rows), np.int64)
    turn[np.lexsort((-numbers, share, rank >= FIRST))] = np.arange(len(rows))
    done = list(predictions)
    for row, stratum, place in zip(rows, strata.tolist(), turn.tolist(), strict=True):
        done[row] = predictions[row]._replace(stratum=stratum, turn=place)
    return done


def _strata(predictions: Sequence[Prediction], categories: Sequence[str]) -> Any:
    """Return strata by predicted category and confidence, as `rubricate sample --design stratified` makes them."""
    decided, columns = label_matrix([each.labels for each in predictions], tuple(categories))
    sure = np.array([0.5 if each.confidence is None else each.confidence for each in predictions])
    chances = sparse.csr_array(decided, dtype=float)
    chances.data = np.repeat(sure, np.diff(chances.indptr))
    names = [str(each.document) for each in predictions]
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
