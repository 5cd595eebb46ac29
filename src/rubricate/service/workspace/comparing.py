"""What a new model changes: it and the model in use on the same labelled documents, neither having seen them."""

from __future__ import annotations

import json
import math
from typing import Any

from sqlalchemy import select

from rubricate.categorizer import Categorizer
from rubricate.labels import label_matrix
from rubricate.service.workspace import tables
from rubricate.service.workspace.database import Database
from rubricate.service.workspace.documents import current_model
from rubricate.service.workspace.projects import Project
from rubricate.significance import compare
from rubricate.types import Decisions, Run

__all__ = ["changes"]


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
