"""Projects: a name, categories (flat or a taxonomy), one label per document or several."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import IntegrityError

from rubricate.errors import InvalidInput, UnknownName
from rubricate.hierarchy.structure import find_cycle
from rubricate.service.workspace import database as tables
from rubricate.service.workspace.database import Database, inserted_key
from rubricate.types import Edges

__all__ = ["Conflict", "NotAllowed", "Project", "Projects", "UnknownCategory", "add_event", "find_project", "take_turn"]


class Conflict(InvalidInput):
    """What is asked contradicts what is there."""


class NotAllowed(InvalidInput):
    """What is asked is another person's, and only that person or an admin may change it."""


@dataclass(frozen=True)
class Project:
    """A project as it is in the database."""

    id: int
    name: str
    kind: Literal["single", "multi"]
    created: float
    categories: tuple[str, ...]
    taxonomy: Edges

    def check(self, labels: Sequence[str]) -> None:
        """Refuse labels that are no categories, that repeat, or that are too many or too few."""
        for label in labels:
            if label not in self.categories:
                raise UnknownCategory("category", label, self.categories)
        if len(set(labels)) < len(labels):
            raise InvalidInput(f"a label is given twice: {', '.join(labels)}")
        if self.kind == "single" and len(labels) != 1:
            raise InvalidInput(f"a document of this project has one label, got {len(labels)}")


class UnknownCategory(UnknownName, InvalidInput):
    """A label that is not a category of the project."""


class Projects:
    """The projects of a workspace."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self,
        name: str,
        categories: Sequence[str],
        *,
        kind: Literal["single", "multi"],
        taxonomy: Edges = (),
        who: str = "",
    ) -> Project:
        """Create a project; the categories of a taxonomy that are not listed are added in its order."""
        names = list(dict.fromkeys([*categories, *(name for edge in taxonomy for name in edge)]))
        _check_names(name, names)
        cycle = find_cycle(taxonomy)
        if cycle is not None:
            raise InvalidInput(f"the taxonomy has a cycle: {' → '.join(cycle)}; Fix: remove one of these links")
        with self._database.write() as connection:
            values = {"name": name, "kind": kind, "created": time.time()}
            if connection.execute(select(tables.projects.c.id).where(tables.projects.c.name == name)).first():
                raise Conflict(f"there is a project named {name!r} already")
            try:
                key = inserted_key(connection, insert(tables.projects).values(values))
            except IntegrityError:
                raise Conflict(f"there is a project named {name!r} already") from None
            if names:
                rows = [{"project": key, "position": i, "name": category} for i, category in enumerate(names)]
                connection.execute(insert(tables.categories), rows)
            if taxonomy:
                edges = [
                    {"project": key, "parent": parent, "child": child} for parent, child in dict.fromkeys(taxonomy)
                ]
                connection.execute(insert(tables.edges), edges)
            data = {"name": name, "kind": kind, "categories": names, "taxonomy": [list(edge) for edge in taxonomy]}
            add_event(connection, "project", project=key, annotator=who, data=data)
            return find_project(connection, name)

    def get(self, name: str) -> Project:
        """Return the project of a name."""
        with self._database.read() as connection:
            return find_project(connection, name)

    def all(self) -> list[dict[str, Any]]:
        """Return all projects with the numbers of their documents and of those with labels."""
        p, d, s = tables.projects.c, tables.documents.c, tables.labels.c
        documents = select(func.count()).where(d.project == p.id).scalar_subquery()
        labelled = select(func.count(func.distinct(s.document))).where(s.project == p.id).scalar_subquery()
        with self._database.read() as connection:
            rows = connection.execute(
                select(p.name, p.kind, documents.label("documents"), labelled.label("labelled")).order_by(p.id)
            )
            return [dict(row._mapping) for row in rows]


def find_project(connection: Connection, name: str) -> Project:
    """Return the project of a name, with its categories in order."""
    p, c, e = tables.projects.c, tables.categories.c, tables.edges.c
    row = connection.execute(select(p.id, p.name, p.kind, p.created).where(p.name == name)).first()
    if row is None:
        raise UnknownName("project", name, connection.execute(select(p.name).limit(1000)).scalars())
    names = connection.execute(select(c.name).where(c.project == row.id).order_by(c.position)).scalars()
    edges = connection.execute(select(e.parent, e.child).where(e.project == row.id).order_by(e.parent, e.child))
    return Project(row.id, row.name, row.kind, row.created, tuple(names), tuple((a, b) for a, b in edges))


def take_turn(connection: Connection, project: Project) -> None:
    """Let transactions that claim something of a project follow each other; documents and labels do not wait."""
    if connection.dialect.name == "postgresql":  # on SQLite there is one writer at a time
        p = tables.projects.c
        connection.execute(select(p.id).where(p.id == project.id).with_for_update(key_share=True))


def add_event(
    connection: Connection,
    kind: str,
    *,
    project: int | None,
    annotator: str,
    data: Any,
    document: int | None = None,
    undoes: int | None = None,
    sender: str | None = None,
) -> int:
    """Add an event to the history; nothing ever changes or removes one. `sender` is by default the annotator."""
    values = {
        "kind": kind,
        "project": project,
        "document": document,
        "annotator": annotator,
        "sender": annotator if sender is None else sender,
        "data": json.dumps(data, ensure_ascii=False),
        "undoes": undoes,
        "created": time.time(),
    }
    return inserted_key(connection, insert(tables.events).values(values))


def _check_names(project: str, categories: Sequence[str]) -> None:
    if not project.strip() or "/" in project or project in (".", ".."):
        raise InvalidInput(f"a project needs a name without '/', got {project!r}")
    if not categories:
        raise InvalidInput("a project needs categories: give categories, or a taxonomy as [[parent, child], …]")
    for name in (project, *categories):
        if not name.strip() or "\x00" in name:
            raise InvalidInput(f"a name must not be empty or contain U+0000, got {name!r}")
