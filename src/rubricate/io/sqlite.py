"""SQLite databases: the rows of a query, or of the only table. Opened for reading only.

`rb.load("tickets.db", query="SELECT id, body AS text, queue AS labels FROM tickets")`, or as an address,
`sqlite:///tickets.db?query=SELECT …`. A query can read tables and call functions, nothing else: it can neither write
nor attach other files.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rubricate.io.reader import InputFile, Record, reader

__all__ = ["sqlite"]

_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


def _rows(file: InputFile) -> Iterator[Record]:
    address = f"{Path(file.path).resolve().as_uri()}?mode=ro"
    connection = sqlite3.connect(address, uri=True)
    try:
        query = file.reading.query or f'SELECT * FROM "{_table(file, connection)}"'  # noqa: S608  # quoted below
        connection.set_authorizer(_authorise)
        rows = connection.execute(query)
        names = [column[0] for column in rows.description or ()]
        if not names:
            file.fail("the query gives no columns", None, "give a SELECT")
        pairs = [(role, names.index(name)) for role, name in file.roles(names).pairs()]
        for number, row in enumerate(rows, 1):
            yield file.record(number, number, {role: row[place] for role, place in pairs})
    finally:
        connection.close()


def _table(file: InputFile, connection: sqlite3.Connection) -> str:
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
    if len(tables) != 1:
        listed = ", ".join(tables[:10]) or "none"
        file.fail(f"{len(tables)} tables ({listed})", None, "say which rows: --query 'SELECT id, text, labels FROM …'")
    return str(tables[0]).replace('"', '""')


def _authorise(action: int, *_: Any) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


@reader("sqlite", suffixes=(".db", ".sqlite", ".sqlite3"), streams=False)
def sqlite(file: InputFile) -> Iterator[Record]:
    """Yield one record per row. Memory: one row."""
    try:
        yield from _rows(file)
    except (sqlite3.Error, sqlite3.Warning, OSError) as error:
        file.fail(f"the database says: {error}", None, "check the file and the query (--query 'SELECT …')")
