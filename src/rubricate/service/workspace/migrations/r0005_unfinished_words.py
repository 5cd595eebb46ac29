"""Search for the beginnings of words."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"

TRIGGER = (
    "CREATE TRIGGER documents_are_searched AFTER INSERT ON documents BEGIN "
    "INSERT INTO document_words (rowid, title, text) VALUES (new.id, new.title, new.text); END"
)


def upgrade() -> None:
    """Make the index anew in SQLite, and update it at once in PostgreSQL.

    In SQLite beginnings of words up to six characters are indexed as words are: else each is looked up by walking
    through every word that begins so, and half a million documents with one such word took 17 seconds. In PostgreSQL
    new documents are put into the index at once, so that no search has to walk through those that wait.
    """
    if op.get_context().dialect.name != "sqlite":
        op.execute("ALTER INDEX documents_searched SET (fastupdate = off)")
        return
    op.execute("DROP TRIGGER documents_are_searched")
    op.execute("DROP TABLE document_words")
    op.execute(
        "CREATE VIRTUAL TABLE document_words USING fts5 "
        "(title, text, content = 'documents', content_rowid = 'id', columnsize = 0, prefix = '1 2 3 4 5 6')"
    )
    op.execute("INSERT INTO document_words (document_words) VALUES ('rebuild')")
    op.execute(TRIGGER)
