"""Projects, documents, labels, models and jobs."""

from __future__ import annotations

from alembic import op
from sqlalchemy import CheckConstraint, Column, Double, ForeignKey, Identity, Text, UniqueConstraint

from rubricate.service.workspace.migrations import KEY, NUMBER

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    _make_projects()
    _make_documents()
    _make_labels()
    _make_models()
    op.create_table(
        "jobs",
        Column("id", KEY, Identity(), primary_key=True),
        _of("projects"),
        Column("kind", Text, nullable=False),
        Column("state", Text, nullable=False),
        Column("done", NUMBER, nullable=False),
        Column("total", NUMBER, nullable=False),
        Column("message", Text, nullable=False),
        Column("data", Text, nullable=False),
        Column("cancel", NUMBER, nullable=False),
        Column("created", Double, nullable=False),
        Column("heartbeat", Double, nullable=False),
        Column("ended", Double),
    )
    op.create_index("jobs_of_project", "jobs", ["project", "id"])


def _make_projects() -> None:
    op.create_table(
        "projects",
        Column("id", KEY, Identity(), primary_key=True),
        Column("name", Text, nullable=False, unique=True),
        Column("kind", Text, CheckConstraint("kind IN ('single', 'multi')"), nullable=False),
        Column("created", Double, nullable=False),
    )
    op.create_table(
        "categories",
        _of("projects", key=True),
        Column("position", NUMBER, nullable=False),
        Column("name", Text, primary_key=True),
    )
    op.create_table(
        "edges",
        _of("projects", key=True),
        Column("parent", Text, primary_key=True),
        Column("child", Text, primary_key=True),
    )
    op.create_table(
        "annotators",
        _of("projects", key=True),
        Column("name", Text, primary_key=True),
        Column("created", Double, nullable=False),
    )


def _make_documents() -> None:
    op.create_table(
        "documents",
        Column("id", KEY, Identity(), primary_key=True),
        _of("projects"),
        Column("name", Text, nullable=False),
        Column("title", Text),
        Column("text", Text, nullable=False),
        Column("place", NUMBER, nullable=False),  # a random number: documents ordered by it are in random order
        Column("created", Double, nullable=False),
        UniqueConstraint("project", "name"),
    )
    op.create_index("documents_in_order", "documents", ["project", "id"])
    op.create_index("documents_shuffled", "documents", ["project", "place"])
    op.create_table(
        "leases",
        _of("documents", key=True),
        Column("annotator", Text, nullable=False),
        Column("until", Double, nullable=False),
    )


def _make_labels() -> None:
    op.create_table(
        "events",
        Column("id", KEY, Identity(), primary_key=True),
        Column("project", NUMBER, ForeignKey("projects.id")),
        Column("kind", Text, nullable=False),
        Column("document", NUMBER, ForeignKey("documents.id")),
        Column("annotator", Text, nullable=False),
        Column("data", Text, nullable=False),
        Column("undoes", NUMBER, ForeignKey("events.id"), unique=True),
        Column("created", Double, nullable=False),
    )
    op.create_index("events_of_project", "events", ["project", "id"])
    op.create_index("events_of_document", "events", ["document", "annotator", "id"])
    # An index of the label events that stand: the last of each annotator for a document that was not undone.
    op.create_table(
        "labels",
        _of("projects"),
        _of("documents", key=True),
        Column("annotator", Text, primary_key=True),
        _of("events"),
        Column("labels", Text, nullable=False),
    )
    op.create_index("labels_of_project", "labels", ["project", "event"])
    op.create_table(
        "label_categories",
        _of("projects", key=True),
        Column("category", Text, primary_key=True),
        _of("documents", key=True),
        Column("annotator", Text, primary_key=True),
    )
    op.create_index("label_categories_of_document", "label_categories", ["document", "annotator"])


def _make_models() -> None:
    op.create_table(
        "models",
        Column("id", KEY, Identity(), primary_key=True),
        _of("projects"),
        Column("number", NUMBER, nullable=False),
        Column("file", Text, nullable=False),
        Column("summary", Text, nullable=False),
        Column("created", Double, nullable=False),
        UniqueConstraint("project", "number"),
    )
    op.create_table("models_in_use", _of("projects", key=True), _of("models"))
    op.create_table(
        "decisions",
        _of("models", key=True),
        _of("documents", key=True),
        Column("labels", Text, nullable=False),
        Column("confidence", Double),
        Column("suspect", Double),  # how sure the model is, out of fold, that the labels given are wrong
    )
    op.create_index("decisions_by_confidence", "decisions", ["model", "confidence"])
    op.create_index("decisions_by_suspect", "decisions", ["model", "suspect"])


def _of(table: str, *, key: bool = False) -> Column[int]:
    """Return a column that refers to a row of a table, named in the singular."""
    return Column(
        table.removesuffix("s"), KEY if key else NUMBER, ForeignKey(f"{table}.id"), primary_key=key, nullable=False
    )
