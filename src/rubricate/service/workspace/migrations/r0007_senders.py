"""Who sent an event, whom a line of the audit log is about, and one active job of a kind for each project."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Text, text

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the columns; of several active jobs the newest goes on."""
    op.add_column("events", Column("sender", Text))  # not known for events of earlier versions
    op.add_column("audit", Column("about", Text, nullable=False, server_default=""))
    op.create_index("audit_of_clients", "audit", ["who", "client"])
    op.execute(
        "UPDATE jobs SET state = 'failed', message = 'a newer job took its place' "
        "WHERE state IN ('waiting', 'running') AND id NOT IN "
        "(SELECT max(id) FROM jobs WHERE state IN ('waiting', 'running') GROUP BY project, kind)"
    )
    where = text("state IN ('waiting', 'running')")
    op.create_index("jobs_active", "jobs", ["project", "kind"], unique=True, sqlite_where=where, postgresql_where=where)
