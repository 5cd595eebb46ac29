"""Bring a database to the newest revision, with Alembic."""

from __future__ import annotations

import time
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from rubricate.errors import InvalidInput

__all__ = ["migrate", "revisions"]

FOLDER = Path(__file__).parent / "migrations"
LOCK = 7_253_019
"""The number of the lock that processes of one service take on PostgreSQL while they migrate."""


def revisions() -> list[str]:
    """Return the names of all revisions, in order."""
    return sorted(file.name[1:5] for file in FOLDER.glob("r[0-9]*.py"))


def migrate(connection: Connection, newest: str | None = None) -> list[str]:
    """Apply the revisions that a database lacks, up to `newest`, in the transaction of the connection; return them.

    Alembic is imported only if some are lacking: that takes longer than to open a workspace.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
    known, current = revisions(), _current(connection)
    if current is not None and current not in known:
        raise InvalidInput(
            f"the workspace is of a newer version (migration {current}); Fix: use that version of Rubricate"
        )
    if current == (newest or known[-1]):
        return []
    return _upgrade(connection, current, newest or known[-1])


def _current(connection: Connection) -> str | None:
    """Return the revision of a database, None for a new one."""
    tables = inspect(connection).get_table_names()
    if "alembic_version" in tables:
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    if "migrations" not in tables:
        return None
    number = connection.execute(text("SELECT max(number) FROM migrations")).scalar_one()
    return None if number is None else f"{number:04}"


def _upgrade(connection: Connection, current: str | None, newest: str) -> list[str]:
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(FOLDER), version_locations=[str(FOLDER)])
    context = MigrationContext.configure(connection)
    if current is not None and context.get_current_revision() is None:
        context.stamp(scripts, current)
        connection.execute(text("INSERT INTO migrations VALUES (:number, 'alembic', :now)"), _marker())
    due = list(scripts.iterate_revisions(newest, current or "base"))[::-1]
    with Operations.context(context):
        for step in due:
            step.module.upgrade()
            context.stamp(scripts, step.revision)
    return [step.revision for step in due]


def _marker() -> dict[str, float]:
    """Return a line for the list of migrations that earlier versions kept: they refuse a workspace of a newer one."""
    return {"number": 9999, "now": time.time()}
