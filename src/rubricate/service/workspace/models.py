"""The models of a project: numbered, with their figures; one is in use, and the others can be put back."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, update

from rubricate.errors import UnknownName
from rubricate.service.workspace import database as tables
from rubricate.service.workspace.database import Database, inserted_key
from rubricate.service.workspace.documents import current_model
from rubricate.service.workspace.projects import Project, add_event, take_turn

__all__ = ["STRATA", "ClaimedModel", "Prediction", "ProjectModels", "put_into_use"]


FOLDER = "models"
"""The folder of model files in the workspace."""
CHUNK = 5_000
"""Decisions that are kept in one step."""
STRATA = "strata"
"""Where the summary has the sizes of the strata of the sample that measures the model."""


class Prediction(NamedTuple):
    """What a model says of a document that it was not trained on.

    `suspect` where its label looks wrong; `useful` is how much its label would teach; `stratum` and `turn` are those of
    the sample that measures the model.
    """

    document: int
    labels: Sequence[str]
    confidence: float | None
    suspect: float | None = None
    useful: float | None = None
    stratum: int | None = None
    turn: int | None = None


class ClaimedModel(NamedTuple):
    """The number and the file of a model that is being made, and its key in the database."""

    key: int
    number: int
    path: Path


class ProjectModels:
    """The models that were trained in a workspace."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database, self._folder = database, folder

    def claim(self, project: Project) -> ClaimedModel:
        """Claim the number and the file of the next model; nobody else gets them, whatever becomes of the model.

        A number whose file is there already is passed over: no model file is ever written twice.
        """
        m, now = tables.models.c, time.time()
        (self._folder / FOLDER).mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._database.write() as connection:
            take_turn(connection, project)
            last = connection.execute(select(func.max(m.number)).where(m.project == project.id)).scalar()
            number = int(last or 0) + 1
            while (self._folder / _file(project, number)).exists():
                number += 1
            file = _file(project, number)
            values = {"project": project.id, "number": number, "file": file, "summary": "", "created": now}
            key = inserted_key(connection, insert(tables.models).values(values))
        return ClaimedModel(key, number, self._folder / file)

    def add(self, claimed: ClaimedModel, *, summary: dict[str, Any], predictions: Iterable[Prediction]) -> None:
        """Store a model that was written to its claimed file, with what it says of the documents.

        The decisions are stored some thousand at a time, so that people who label meanwhile do not wait for all of
        them; the model counts once its summary is there, at the end.
        """
        key = claimed.key
        rest, strata = iter(predictions), Counter[int]()
        while chunk := [_row(key, each) for each in islice(rest, CHUNK)]:
            strata.update(row["stratum"] for row in chunk if row["stratum"] is not None)
            with self._database.write() as connection:
                connection.execute(insert(tables.decisions), chunk)
        sizes = [strata[stratum] for stratum in sorted(strata)]
        with self._database.write() as connection:
            written = json.dumps(summary | {STRATA: sizes}, ensure_ascii=False)
            connection.execute(update(tables.models).where(tables.models.c.id == key).values(summary=written))

    def all(self, project: Project) -> list[dict[str, Any]]:
        """Return the models of a project, newest first."""
        m = tables.models.c
        with self._database.read() as connection:
            used = current_model(connection, project.id)
            query = select(tables.models).where(m.project == project.id, m.summary != "")
            rows = connection.execute(query.order_by(m.number.desc()))
            return [
                {
                    "number": row.number,
                    "created": row.created,
                    "in_use": row.id == used,
                    "summary": json.loads(row.summary),
                }
                for row in rows
            ]

    def use(self, project: Project, number: int, *, who: str) -> None:
        """Put a model into use."""
        m = tables.models.c
        with self._database.write() as connection:
            query = select(m.id).where(m.project == project.id, m.number == number, m.summary != "")
            key = connection.execute(query).scalar()
            if key is None:
                raise UnknownName("model", str(number), ())
            put_into_use(connection, project, key, number=number, who=who)

    def in_use(self) -> dict[str, Path]:
        """Return the file of the model in use of every project that has one."""
        p, m, u = tables.projects.c, tables.models.c, tables.models_in_use.c
        query = (
            select(p.name, m.file)
            .select_from(tables.models_in_use)
            .join(tables.projects, p.id == u.project)
            .join(tables.models, m.id == u.model)
        )
        with self._database.read() as connection:
            return {name: self._folder / file for name, file in connection.execute(query)}


def _file(project: Project, number: int) -> str:
    return f"{FOLDER}/{project.id}-{number}.rubric"


def _row(model: int, predictions: Prediction) -> dict[str, Any]:
    return {
        "model": model,
        "document": predictions.document,
        "labels": json.dumps(list(predictions.labels), ensure_ascii=False),
        "confidence": predictions.confidence,
        "suspect": predictions.suspect,
        "useful": predictions.useful,
        "stratum": predictions.stratum,
        "turn": predictions.turn,
    }


def put_into_use(connection: Connection, project: Project, key: int, *, number: int, who: str) -> None:
    """Put a model into use within a transaction, as an event."""
    u = tables.models_in_use.c
    connection.execute(delete(tables.models_in_use).where(u.project == project.id))
    connection.execute(insert(tables.models_in_use).values(project=project.id, model=key))
    add_event(connection, "use", project=project.id, annotator=who, data={"model": number})
