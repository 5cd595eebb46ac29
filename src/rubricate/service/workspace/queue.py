"""What to label next: random, uncertain, suspect, or needed to measure; two people never get the same document.

A document that is handed out is leased to its annotator for some minutes. Orders:

random      in the random order of the documents
uncertain   what should teach the model in use most, as `rubricate next` chooses it
suspect     labelled documents whose labels look most wrong (`labelling.suspects`)
measure     a stratified sample for estimating how good the model in use is (`measuring`); without a model the random
            order from its other end, so that documents for training and those for measuring hardly ever meet
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

from sqlalchemy import Connection, delete, exists, func, select
from sqlalchemy.sql.elements import ColumnElement

from rubricate.errors import InvalidInput
from rubricate.service.workspace import database as tables
from rubricate.service.workspace.database import Database
from rubricate.service.workspace.documents import current_model
from rubricate.service.workspace.projects import Project

__all__ = ["LabelQueue", "Order"]

Order: TypeAlias = Literal["random", "uncertain", "suspect", "measure"]
LEASE_SECONDS = 600.0
TURNS = 1 << 40
"""Where the numbers of PostgreSQL locks of queues begin."""
MOST = 200
"""Most documents handed out at once."""


class LabelQueue:
    """Hands out documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(
        self,
        project: Project,
        order: Order,
        *,
        n: int = 10,
        annotator: str = "",
        random_share: float = 0.0,
        overlap: float = 0.0,
    ) -> dict[str, Any]:
        """Return the next n documents for an annotator and lease them to that person.

        Without a model, or without decisions, `uncertain` and `suspect` fall back to `random`, and the answer says so.
        Without a name nothing is leased. `overlap` is the share of documents that two annotators label.
        """
        if order not in get_args(Order):
            raise InvalidInput(f"order must be one of {', '.join(get_args(Order))}; got {order!r}")
        if not 1 <= n <= MOST:
            raise InvalidInput(f"n must be from 1 to {MOST}, got {n}")
        access = self._database.write if annotator else self._database.read
        with access() as connection:
            now = time.time()
            if annotator and connection.dialect.name == "postgresql":  # whoever takes documents waits for his turn
                connection.execute(select(func.pg_advisory_xact_lock(TURNS + project.id)))
            model = current_model(connection, project.id)
            used: Order = "random" if order in ("uncertain", "suspect") and model is None else order
            mixed = round(n * random_share) if used in ("uncertain", "suspect") else 0
            open_ = _open(project, annotator, now=now, overlap=overlap)
            rows = _ordered(connection, project, used, model=model, n=n - mixed, conditions=open_)
            if len(rows) < n and used != "suspect":
                have = [row.id for row in rows]
                more = [*open_, tables.documents.c.id.not_in(have)] if have else open_
                rows += _ordered(connection, project, "random", model=model, n=n - len(rows), conditions=more)
            if annotator:
                _lease(connection, [row.id for row in rows], annotator, now=now)
        return {"order": used, "documents": [_shown(row) for row in rows]}


def _open(project: Project, annotator: str, *, now: float, overlap: float) -> list[ColumnElement[bool]]:
    """Return the conditions for documents that this annotator may get: not leased to another."""
    d, lease = tables.documents.c, tables.leases.c
    taken = exists().where(lease.document == d.id, lease.until > now, lease.annotator != annotator)
    shared = d.place % 1000 < round(1000 * overlap) if overlap else None
    s = tables.labels.c
    labelled = exists().where(s.document == d.id)
    by_me = exists().where(s.document == d.id, s.annotator == annotator)
    unlabelled = ~labelled if shared is None else (~labelled | (shared & ~by_me))
    return [d.project == project.id, ~taken, unlabelled]


def _ordered(
    connection: Connection,
    project: Project,
    order: Order,
    *,
    model: int | None,
    n: int,
    conditions: Sequence[ColumnElement[bool]],
) -> list[Any]:
    d, m, s, e = tables.documents.c, tables.decisions.c, tables.labels.c, tables.models.c
    if n <= 0:
        return []
    decided = (m.document == d.id) & (m.model == (model or 0))
    drawn = order == "measure" and model is not None
    ranked = drawn or order in ("suspect", "uncertain")  # walks an index of the decisions, not all documents
    predictions = tables.documents.join(tables.decisions, decided, isouter=not ranked)
    query = select(d.id, d.name, d.title, d.text, m.labels, m.confidence).select_from(predictions)
    if order == "suspect":
        # Whoever labels a suspect has reviewed it: what was labelled since the model was made is not shown again.
        made = select(e.created).where(e.id == model).scalar_subquery()
        event = tables.events.c
        reviewed = exists().where(s.document == d.id, event.id == s.event, event.created > made)
        query = query.where(conditions[0], conditions[1], m.suspect.is_not(None), ~reviewed)
        query = query.order_by(m.suspect.desc(), d.place)
    elif order == "uncertain":
        query = query.where(*conditions, m.useful.is_not(None)).order_by(m.useful.desc(), d.place)
    elif drawn:
        query = query.where(*conditions, m.turn.is_not(None)).order_by(m.turn)
    else:
        query = query.where(*conditions).order_by(d.place if order == "random" else d.place.desc())
    return list(connection.execute(query.limit(n)))


def _lease(connection: Connection, documents: Sequence[int], annotator: str, *, now: float) -> None:
    lease = tables.leases.c
    connection.execute(delete(tables.leases).where((lease.until < now) | lease.document.in_(documents)))
    values = [{"document": key, "annotator": annotator, "until": now + LEASE_SECONDS} for key in documents]
    if values:
        from sqlalchemy.dialects import postgresql, sqlite

        dialect: Any = sqlite if connection.dialect.name == "sqlite" else postgresql
        connection.execute(dialect.insert(tables.leases).on_conflict_do_nothing(), values)


def _shown(row: Any) -> dict[str, Any]:
    return {
        "id": row.name,
        "title": row.title,
        "text": row.text,
        "suggested": None if row.labels is None else json.loads(row.labels),
        "confidence": row.confidence,
    }
