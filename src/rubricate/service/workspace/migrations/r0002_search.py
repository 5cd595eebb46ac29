"""An index of the words of documents."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

TRIGGER = (
    "CREATE TRIGGER documents_are_searched AFTER INSERT ON documents BEGIN "
    "INSERT INTO document_words (rowid, title, text) VALUES (new.id, new.title, new.text); END"
)


def upgrade() -> None:
    """Make the index, each database in its own form."""
    if op.get_context().dialect.name == "sqlite":
        op.execute(
            "CREATE VIRTUAL TABLE document_words USING fts5 "
            "(title, text, content = 'documents', content_rowid = 'id', columnsize = 0)"
        )
        op.execute(TRIGGER)
        return
    # A text search vector holds at most 1 MB: the first 100,000 characters are searched.
    op.execute(
        "ALTER TABLE documents ADD COLUMN words tsvector GENERATED ALWAYS AS "
        "(to_tsvector('simple', left(coalesce(title, '') || ' ' || text, 100000))) STORED"
    )
    op.execute("CREATE INDEX documents_searched ON documents USING gin (words)")
