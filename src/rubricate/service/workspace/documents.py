"""The documents of a project: added once, never changed, found by text, label, confidence and disagreement."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, column, exists, func, insert, join, select, table, text
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.operators import in_op

from rubricate.errors import InvalidInput
from rubricate.service.identity import IMPORT
from rubricate.service.workspace import database as tables
from rubricate.service.workspace.database import Database
from rubricate.service.workspace.labels import save_new_labels
from rubricate.service.workspace.projects import Conflict, Project, add_event

__all__ = ["Added", "DocumentFilter", "DocumentStore", "NewDocument", "current_model"]

CHUNK = 500
"""Documents that are looked up in one statement; SQLite takes 32,766 values."""
STEP, STEP_CHARACTERS = 250, 500_000
"""Most documents and characters that are added in one transaction: on SQLite everybody else who writes waits for it."""
FEW = 2_000
"""Up to so many matches in another table are listed before documents are looked up."""
PREFIX = 6
"""Characters of the longest beginnings of words that SQLite's index holds; see the migration 0005."""
PLACES = 1 << 62


class NewDocument(NamedTuple):
    """A document on its way into a project; `labels` is None where it came without."""

    name: str
    text: str
    title: str | None = None
    labels: tuple[str, ...] | None = None


class Added(NamedTuple):
    """How many documents were new, and how many were there already, word for word."""

    added: int
    known: int


@dataclass(frozen=True)
class DocumentFilter:
    """Which documents to show: words of their text, a label given or decided, how sure the model is."""

    query: str = ""
    label: str | None = None
    decided: str | None = None
    labelled: bool | None = None
    below: float | None = None
    disagreement: bool = False


class DocumentStore:
    """The documents of a workspace."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, project: Project, documents: Sequence[NewDocument], who: str = "") -> Added:
        """Add documents. One that is there with the same text is left; with another text it is an error.

        All are checked first; then they are added in steps of a fraction of a second each, so that people who label
        meanwhile do not wait for all of them. After an error in between, the steps before it stay; adding the same
        documents again adds the rest.
        """
        for document in documents:
            _check(project, document)
        with self._database.read() as connection:
            self._new(connection, project, documents)
        added = 0
        for step in _steps(documents):
            with self._database.write() as connection:
                new = self._add_step(connection, project, self._new(connection, project, step), who)
                if new:
                    data = {"added": new, "known": len(step) - new}
                    add_event(connection, "documents", project=project.id, annotator=who, data=data)
            added += new
        return Added(added, len(documents) - added)

    def _new(self, connection: Connection, project: Project, documents: Sequence[NewDocument]) -> list[NewDocument]:
        """Return the documents that are not there yet; refuse those that are there with another text."""
        d, there = tables.documents.c, {}
        names = list({document.name for document in documents})
        for start in range(0, len(names), CHUNK):
            wanted = d.project == project.id, d.name.in_(names[start : start + CHUNK])
            for row in connection.execute(select(d.name, d.title, d.text).where(*wanted)):
                there[row.name] = (row.title, row.text)
        new: list[NewDocument] = []
        for document in documents:
            content = (document.title, document.text)
            if document.name not in there:
                there[document.name] = content
                new.append(document)
            elif there[document.name] != content:
                raise Conflict(f"there is a document {document.name!r} with another text; documents are never changed")
        return new

    def _add_step(self, connection: Connection, project: Project, new: Sequence[NewDocument], who: str) -> int:
        """Add documents that are not there yet, and the labels that came with them as events of their own."""
        if not new:
            return 0
        d, now = tables.documents.c, time.time()
        values = [
            {
                "project": project.id,
                "name": document.name,
                "title": document.title,
                "text": document.text,
                "place": secrets.randbelow(PLACES),
                "created": now,
            }
            for document in new
        ]
        rows = connection.execute(insert(tables.documents).returning(d.name, d.id), values)
        keys: dict[str, int] = {row.name: row.id for row in rows}
        labels = {keys[document.name]: document.labels for document in new if document.labels is not None}
        save_new_labels(connection, project, labels, annotator=IMPORT, sender=who)
        return len(new)

    def count(self, project: Project) -> dict[str, int]:
        """Return how many documents there are, and how many have labels."""
        d, s = tables.documents.c, tables.labels.c
        with self._database.read() as connection:
            documents = connection.execute(select(func.count()).where(d.project == project.id)).scalar_one()
            labelled = connection.execute(
                select(func.count(func.distinct(s.document))).where(s.project == project.id)
            ).scalar_one()
        return {"documents": documents, "labelled": labelled}

    def get(self, project: Project, name: str) -> dict[str, Any] | None:
        """Return one document with its labels and what the model in use says of it."""
        d = tables.documents.c
        with self._database.read() as connection:
            row = connection.execute(
                select(d.id, d.name, d.title, d.text).where(d.project == project.id, d.name == name)
            ).first()
            return None if row is None else _shown(connection, project, [row])[0]

    def find(
        self, project: Project, which: DocumentFilter, *, after: int = 0, n: int = 50, excerpt: int | None = None
    ) -> tuple[list[dict[str, Any]], int | None]:
        """Return up to n documents in the order they were added, and the cursor of the next page or None."""
        d = tables.documents.c
        shown = d.text if excerpt is None else func.substr(d.text, 1, excerpt).label("text")
        with self._database.read() as connection:
            conditions = _conditions(connection, project, which)
            if conditions is None:
                return [], None
            query = select(d.id, d.name, d.title, shown).where(d.project == project.id, *conditions)
            listed = any(getattr(condition, "operator", None) is in_op for condition in conditions)
            query, key = _with_words(connection, query, which.query, listed=listed)
            rows = list(connection.execute(query.where(key > after).order_by(key).limit(n + 1)))
            found = _shown(connection, project, rows[:n])
        return found, rows[n - 1].id if len(rows) > n else None

    def rows(self, project: Project, *, after: int = 0, n: int = 500) -> tuple[list[Any], int | None]:
        """Return up to n documents as they are in the table, and the cursor of the next page or None."""
        d = tables.documents.c
        query = select(d.id, d.name, d.title, d.text, d.place).where(d.project == project.id, d.id > after)
        with self._database.read() as connection:
            rows = list(connection.execute(query.order_by(d.id).limit(n + 1)))
        return rows[:n], rows[n - 1].id if len(rows) > n else None

    def by_keys(self, project: Project, keys: Sequence[int]) -> dict[int, Any]:
        """Return documents as they are in the table, by their numbers."""
        d, found = tables.documents.c, {}
        with self._database.read() as connection:
            for start in range(0, len(keys), CHUNK):
                wanted = d.project == project.id, d.id.in_(keys[start : start + CHUNK])
                for row in connection.execute(select(d.id, d.name, d.title, d.text).where(*wanted)):
                    found[row.id] = row
        return found


def _steps(documents: Sequence[NewDocument]) -> Iterator[Sequence[NewDocument]]:
    """Cut documents into steps of bounded size."""
    start = size = 0
    for end, document in enumerate(documents):
        if end > start and (end - start >= STEP or size + len(document.text) > STEP_CHARACTERS):
            yield documents[start:end]
            start, size = end, 0
        size += len(document.text)
    if start < len(documents):
        yield documents[start:]


def current_model(connection: Connection, project: int) -> int | None:
    """Return the model in use in a project."""
    u = tables.models_in_use.c
    return connection.execute(select(u.model).where(u.project == project)).scalar()


def _check(project: Project, document: NewDocument) -> None:
    if not document.name:
        raise InvalidInput("a document has an empty id; leave it out, or give each document its own")
    for part in (document.name, document.title or "", document.text):
        if "\x00" in part:
            raise InvalidInput(f"document {document.name[:100]!r} contains U+0000, which no database text can hold")
    if document.labels is not None:
        project.check(document.labels)


def _conditions(connection: Connection, project: Project, which: DocumentFilter) -> list[ColumnElement[bool]] | None:
    """Return the conditions of a filter besides its words; None where nothing can match."""
    d, c, s, m = tables.documents.c, tables.label_categories.c, tables.labels.c, tables.decisions.c
    conditions: list[ColumnElement[bool]] = []
    if which.query.strip() and not _words(which.query):
        return None
    if which.label is not None:
        given = (c.project == project.id, c.category == which.label)
        conditions.append(_among(connection, c.document, given))
    if which.labelled is not None:
        labelled = exists().where(s.document == d.id)
        conditions.append(labelled if which.labelled else ~labelled)
    if which.below is not None or which.decided is not None or which.disagreement:
        model = current_model(connection, project.id)
        if model is None:
            return None
        predictions = [m.model == model]
        predictions += [m.confidence < which.below] if which.below is not None else []
        predictions += [m.suspect.is_not(None)] if which.disagreement else []
        if which.decided is not None:
            wanted = json.dumps(which.decided, ensure_ascii=False)
            conditions.append(
                exists().where(m.document == d.id, *predictions, m.labels.contains(wanted, autoescape=True))
            )
        else:
            conditions.append(_among(connection, m.document, predictions))
    return conditions


def _among(
    connection: Connection, place: ColumnElement[int], conditions: Sequence[ColumnElement[bool]]
) -> ColumnElement[bool]:
    """Return the condition that a document is among those of another table.

    Few of them are looked up by their numbers; of many, documents are walked through in their order until a page is
    full. Either way a page of half a million documents takes a fraction of a second.
    """
    some = select(place).where(*conditions).limit(FEW + 1).subquery()
    if connection.execute(select(func.count()).select_from(some)).scalar_one() <= FEW:
        return tables.documents.c.id.in_(select(place).where(*conditions))
    return exists().where(place == tables.documents.c.id, *conditions)


def _words(query: str) -> list[str]:
    return re.findall(r"[^\W_]+", query)[:20]


def _with_words(connection: Connection, query: Any, asked: str, *, listed: bool) -> tuple[Any, ColumnElement[int]]:
    """Return a query for documents in which all words occur, and the column to order by.

    Where no document has the last word as it is, it is taken for the beginning of one; SQLite has an index of
    beginnings up to six characters. It gives documents in their order, one after the other; where few documents are
    `listed` by another condition, each of them is looked up in it.
    """
    d, words = tables.documents.c, _words(asked)
    if not words:
        return query, d.id
    source: Any
    if connection.dialect.name == "sqlite":
        index: Any = table("document_words", column("rowid"))
        source, match = join(index, tables.documents, index.c.rowid == d.id), "document_words MATCH :words"
        whole = " AND ".join(f'"{word}"' for word in words)
        unfinished, key = whole + "*", index.c.rowid
    else:
        index, key = tables.documents, d.id
        source, match = tables.documents, "documents.words @@ to_tsquery('simple', :words)"
        whole = " & ".join(f"'{word}'" for word in words)
        unfinished = whole + ":*"
    exact = text(match).bindparams(words=whole)
    known = connection.execute(select(key).select_from(index).where(exact).limit(1)).first()
    wanted = exact if known is not None else text(match).bindparams(words=unfinished)
    indexed = known is not None or len(words[-1]) <= PREFIX
    if indexed and listed and connection.dialect.name == "sqlite":
        return query.where(select(key).where(wanted, key == d.id).correlate(tables.documents).exists()), d.id
    return query.select_from(source).where(wanted), key


def _shown(connection: Connection, project: Project, rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Return rows of documents with the labels of each annotator and the decision of the model in use."""
    keys = [row.id for row in rows]
    s, m = tables.labels.c, tables.decisions.c
    given: dict[int, list[dict[str, Any]]] = {}
    for row in connection.execute(
        select(s.document, s.annotator, s.labels, s.event).where(s.document.in_(keys)).order_by(s.event)
    ):
        entry = {"annotator": row.annotator, "labels": json.loads(row.labels), "event": row.event}
        given.setdefault(row.document, []).append(entry)
    model = current_model(connection, project.id)
    predictions = {}
    if model is not None:
        query = select(m.document, m.labels, m.confidence, m.suspect).where(m.model == model, m.document.in_(keys))
        predictions = {row.document: row for row in connection.execute(query)}
    return [_entry(row, given.get(row.id, []), predictions.get(row.id)) for row in rows]


def _entry(row: Any, annotations: list[dict[str, Any]], decision: Any) -> dict[str, Any]:
    entry = {"id": row.name, "title": row.title, "text": row.text, "annotations": annotations, "decision": None}
    if decision is not None:
        entry["decision"] = {
            "labels": json.loads(decision.labels),
            "confidence": decision.confidence,
            "suspect": decision.suspect,
        }
    return entry
