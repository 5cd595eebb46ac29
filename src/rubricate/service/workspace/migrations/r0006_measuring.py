"""The sample that measures a model: the stratum of a document, and its turn to be labelled."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column

from rubricate.service.workspace.migrations import NUMBER

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the columns and their index."""
    op.add_column("decisions", Column("stratum", NUMBER))
    op.add_column("decisions", Column("turn", NUMBER))
    op.create_index("decisions_by_turn", "decisions", ["model", "turn", "stratum"])
