"""Labels are events: each is added, none is changed; the index of those that stand follows in the same transaction."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from rubricate.errors import InvalidInput, UnknownName
from rubricate.service.workspace import database as tables
from rubricate.service.workspace.database import Database
from rubricate.service.workspace.projects import Conflict, NotAllowed, Project, add_event

__all__ = ["LabelStore", "consensus", "save_new_labels"]

LABEL, UNDO = "label", "undo"


class LabelStore:
    """What people say of documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, project: Project, document: str, labels: Sequence[str], *, annotator: str, sender: str | None = None
    ) -> int:
        """Store the labels that an annotator gives to a document; return the number of the event once it is durable.

        `sender` is who sent them, if that is not the annotator.
        """
        project.check(labels)
        if not annotator.strip() or "\x00" in annotator:
            raise InvalidInput("labels need the name of their annotator")
        with self._database.write() as connection:
            key = document_key(connection, project, document)
            return _save_labels(connection, project, key, labels, annotator=annotator, sender=sender)

    def undo(self, project: Project, event: int, *, who: str, any_annotator: bool = True) -> int:
        """Undo a label event: what the annotator had said before stands again. Return the number of the undo event.

        Unless `any_annotator` is true, the event must be one of `who`.
        """
        e = tables.events.c
        with self._database.write() as connection:
            row = connection.execute(
                select(e.document, e.annotator, e.kind).where(e.id == event, e.project == project.id)
            ).first()
            if row is None or row.kind != LABEL:
                raise UnknownName("label event", str(event), ())
            if not any_annotator and row.annotator != who:
                raise NotAllowed(f"the label event {event} is of {row.annotator}; only they or an admin can undo it")
            _take_turn(connection, row.document)
            if connection.execute(select(e.id).where(e.undoes == event)).first() is not None:
                raise Conflict(f"the label event {event} has been undone already")
            try:
                number = add_event(
                    connection,
                    UNDO,
                    project=project.id,
                    annotator=who,
                    data={"event": event},
                    document=row.document,
                    undoes=event,
                )
            except IntegrityError:
                raise Conflict(f"the label event {event} has been undone already") from None
            _stand(connection, project, row.document, row.annotator)
            return number

    def history(self, project: Project, *, after: int = 0, n: int = 100) -> tuple[list[dict[str, Any]], int | None]:
        """Return the events of a project, oldest first, and the cursor of the next page or None."""
        e, d = tables.events.c, tables.documents.c
        query = (
            select(e.id, e.kind, d.name.label("document"), e.annotator, e.sender, e.data, e.undoes, e.created)
            .select_from(tables.events.outerjoin(tables.documents, e.document == d.id))
            .where(e.project == project.id, e.id > after)
            .order_by(e.id)
            .limit(n + 1)
        )
        with self._database.read() as connection:
            rows = [dict(row._mapping) for row in connection.execute(query)]
        shown = [row | {"data": json.loads(row["data"])} for row in rows[:n]]
        return shown, shown[-1]["id"] if len(rows) > n else None

    def frequencies(self, project: Project) -> dict[str, int]:
        """Return how often each category was given."""
        c = tables.label_categories.c
        query = select(c.category, func.count()).where(c.project == project.id).group_by(c.category)
        with self._database.read() as connection:
            return {category: count for category, count in connection.execute(query)}  # noqa: C416

    def standing(self, project: Project, *, shared: bool = False) -> dict[str, list[tuple[str, tuple[str, ...], int]]]:
        """Return for each labelled document what every annotator says: (annotator, labels, event), oldest first.

        `shared` asks only for documents that two or more labelled.
        """
        s, d = tables.labels.c, tables.documents.c
        query = (
            select(d.name, s.annotator, s.labels, s.event)
            .join(tables.documents, s.document == d.id)
            .where(s.project == project.id)
            .order_by(s.event)
        )
        if shared:
            twice = select(s.document).where(s.project == project.id).group_by(s.document).having(func.count() > 1)
            query = query.where(s.document.in_(twice))
        given: dict[str, list[tuple[str, tuple[str, ...], int]]] = {}
        with self._database.read() as connection:
            for name, annotator, labels, event in connection.execute(query):
                given.setdefault(name, []).append((annotator, tuple(json.loads(labels)), event))
        return given


def document_key(connection: Connection, project: Project, name: str) -> int:
    """Return the number of a document in the database."""
    d = tables.documents.c
    key = connection.execute(select(d.id).where(d.project == project.id, d.name == name)).scalar()
    if key is None:
        raise UnknownName("document", name, ())
    return int(key)


def _save_labels(
    connection: Connection,
    project: Project,
    document: int,
    labels: Sequence[str],
    *,
    annotator: str,
    sender: str | None,
) -> int:
    """Add a label event within a transaction and let it stand."""
    _take_turn(connection, document)
    _introduce(connection, project, annotator)
    data = {"labels": list(labels)}
    event = add_event(
        connection, LABEL, project=project.id, annotator=annotator, sender=sender, data=data, document=document
    )
    _stand(connection, project, document, annotator)
    return event


def save_new_labels(
    connection: Connection, project: Project, labels: Mapping[int, Sequence[str]], *, annotator: str, sender: str
) -> None:
    """Add label events for documents that were added in the same transaction, so that nobody else knows them.

    They are written in three statements, however many there are: no event can have come before them.
    """
    if not labels:
        return
    _introduce(connection, project, annotator)
    e, now = tables.events, time.time()
    shared = {"kind": LABEL, "project": project.id, "annotator": annotator, "sender": sender, "created": now}
    events = [
        {**shared, "document": document, "data": json.dumps({"labels": list(given)}, ensure_ascii=False)}
        for document, given in labels.items()
    ]
    added = connection.execute(insert(e).returning(e.c.document, e.c.id), events).all()
    own = {"project": project.id, "annotator": annotator}
    standing = [
        {**own, "document": document, "event": event, "labels": json.dumps(list(labels[document]), ensure_ascii=False)}
        for document, event in added
    ]
    connection.execute(insert(tables.labels), standing)
    categories = [
        {**own, "document": document, "category": name} for document, given in labels.items() for name in given
    ]
    if categories:
        connection.execute(insert(tables.label_categories), categories)


def _introduce(connection: Connection, project: Project, annotator: str) -> None:
    """Make an annotator known to a project; two requests may do so at the same moment."""
    a = tables.annotators.c
    known = connection.execute(select(a.name).where(a.project == project.id, a.name == annotator)).first()
    if known is None:
        values = {"project": project.id, "name": annotator, "created": time.time()}
        connection.execute(_insert_or_leave(connection, values), values)


def _take_turn(connection: Connection, document: int) -> None:
    """Let changes to one document follow each other; before anything else is locked, so that nobody waits in a ring."""
    if connection.dialect.name == "postgresql":  # on SQLite there is one writer at a time
        d = tables.documents.c
        connection.execute(select(d.id).where(d.id == document).with_for_update(key_share=True))


def _insert_or_leave(connection: Connection, values: dict[str, Any]) -> Any:
    from sqlalchemy.dialects import postgresql, sqlite

    dialect: Any = sqlite if connection.dialect.name == "sqlite" else postgresql
    return dialect.insert(tables.annotators).values(values).on_conflict_do_nothing()


def _stand(connection: Connection, project: Project, document: int, annotator: str) -> None:
    """Renew the index for one document and annotator: the last label event that was not undone stands."""
    e, s, c = tables.events.c, tables.labels.c, tables.label_categories.c
    undone = select(e.undoes).where(e.document == document, e.undoes.is_not(None))
    last = connection.execute(
        select(e.id, e.data)
        .where(e.document == document, e.annotator == annotator, e.kind == LABEL, e.id.not_in(undone))
        .order_by(e.id.desc())
        .limit(1)
    ).first()
    connection.execute(delete(tables.labels).where(s.document == document, s.annotator == annotator))
    connection.execute(delete(tables.label_categories).where(c.document == document, c.annotator == annotator))
    if last is None:
        return
    names = json.loads(last.data)["labels"]
    own = {"project": project.id, "document": document, "annotator": annotator}
    connection.execute(insert(tables.labels).values(**own, event=last.id, labels=json.dumps(names, ensure_ascii=False)))
    if names:
        connection.execute(insert(tables.label_categories), [{**own, "category": name} for name in names])


def consensus(annotations: Iterable[tuple[str, tuple[str, ...], int]]) -> tuple[str, ...]:
    """Return the label set that most annotators give; among equals the one given last.

    >>> consensus([("ann", ("a",), 1), ("bob", ("b",), 2), ("eve", ("a",), 3)])
    ('a',)
    >>> consensus([("ann", ("a",), 1), ("bob", ("b",), 2)])
    ('b',)
    """
    given = [(tuple(labels), event) for _, labels, event in annotations]
    votes = Counter(frozenset(labels) for labels, _ in given)
    return max(given, key=lambda item: (votes[frozenset(item[0])], item[1]))[0]
