"""How much the label of a document would teach: the order of the queue `uncertain`."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Double

from rubricate.service.workspace.migrations import NUMBER

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the order, and how often the process of a job was started."""
    op.add_column("decisions", Column("useful", Double))
    op.execute("UPDATE decisions SET useful = 1 - confidence")
    op.create_index("decisions_by_use", "decisions", ["model", "useful"])
    op.add_column("jobs", Column("attempts", NUMBER, nullable=False, server_default="0"))
