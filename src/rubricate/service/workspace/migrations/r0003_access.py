"""Accounts, their tokens and sessions, and the audit log."""

from __future__ import annotations

from alembic import op
from sqlalchemy import CheckConstraint, Column, Double, ForeignKey, Identity, Text

from rubricate.service.workspace.migrations import KEY, NUMBER

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "accounts",
        Column("name", Text, primary_key=True),
        Column("role", Text, CheckConstraint("role IN ('read', 'label', 'admin')"), nullable=False),
        Column("password", Text, nullable=False),
        Column("created", Double, nullable=False),
    )
    op.create_table(
        "tokens",
        Column("digest", Text, primary_key=True),
        Column("account", Text, ForeignKey("accounts.name"), nullable=False),
        Column("created", Double, nullable=False),
    )
    op.create_table(
        "sessions",
        Column("digest", Text, primary_key=True),
        Column("account", Text, ForeignKey("accounts.name"), nullable=False),
        Column("csrf", Text, nullable=False),
        Column("expires", Double, nullable=False),
    )
    op.create_table(
        "audit",
        Column("id", KEY, Identity(), primary_key=True),
        Column("created", Double, nullable=False),
        Column("who", Text, nullable=False),
        Column("client", Text, nullable=False),
        Column("method", Text, nullable=False),
        Column("path", Text, nullable=False),
        Column("status", NUMBER, nullable=False),
    )
