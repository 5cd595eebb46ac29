"""The models of a project: numbered, with their figures; one is in use, and the others can be put back."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select

from rubricate.errors import UnknownName
from rubricate.service.workspace import tables
from rubricate.service.workspace.database import Database, inserted_key
from rubricate.service.workspace.documents import current_model
from rubricate.service.workspace.projects import Project, add_event

__all__ = ["ProjectModels", "Said", "put_into_use"]


class Said(NamedTuple):
    """What a model says of a document that it was not trained on.

    `suspect` where its label looks wrong; `useful` is how much its label would teach.
    """

    document: int
    labels: Sequence[str]
    confidence: float | None
    suspect: float | None = None
    useful: float | None = None


class ProjectModels:
    """The models that were trained in a workspace."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database, self._folder = database, folder

    def next_number(self, project: Project) -> int:
        """Return the number of the next model."""
        m = tables.models.c
        with self._database.read() as connection:
            last = connection.execute(select(func.max(m.number)).where(m.project == project.id)).scalar()
        return int(last or 0) + 1

    def add(self, project: Project, number: int, file: str, *, summary: dict[str, Any], said: Iterable[Said]) -> int:
        """Keep a model that was written to a file of the workspace, with what it says of the documents."""
        with self._database.write() as connection:
            values = {
                "project": project.id,
                "number": number,
                "file": file,
                "summary": json.dumps(summary, ensure_ascii=False),
                "created": time.time(),
            }
            key = inserted_key(connection, insert(tables.models).values(values))
            rows = [
                {
                    "model": key,
                    "document": each.document,
                    "labels": json.dumps(list(each.labels), ensure_ascii=False),
                    "confidence": each.confidence,
                    "suspect": each.suspect,
                    "useful": each.useful,
                }
                for each in said
            ]
            for start in range(0, len(rows), 5000):
                connection.execute(insert(tables.decisions), rows[start : start + 5000])
            return key

    def all(self, project: Project) -> list[dict[str, Any]]:
        """Return the models of a project, newest first."""
        m = tables.models.c
        with self._database.read() as connection:
            used = current_model(connection, project.id)
            rows = connection.execute(select(tables.models).where(m.project == project.id).order_by(m.number.desc()))
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
            key = connection.execute(select(m.id).where(m.project == project.id, m.number == number)).scalar()
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


def put_into_use(connection: Connection, project: Project, key: int, *, number: int, who: str) -> None:
    """Put a model into use within a transaction, as an event."""
    u = tables.models_in_use.c
    connection.execute(delete(tables.models_in_use).where(u.project == project.id))
    connection.execute(insert(tables.models_in_use).values(project=project.id, model=key))
    add_event(connection, "use", project=project.id, annotator=who, data={"model": number})
