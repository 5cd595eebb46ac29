"""The tables of the workspace, as SQLAlchemy sees them; `migrations/` creates them."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Float,
    Insert,
    MetaData,
    Table,
    Text,
    create_engine,
    event,
    inspect,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, NoSuchModuleError

from rubricate.errors import InvalidInput, RubricateError

__all__ = [
    "DATABASE_FILE",
    "Database",
    "DatabaseUnavailable",
    "WriteQueue",
    "accounts",
    "annotators",
    "audit",
    "categories",
    "database_url",
    "decisions",
    "documents",
    "edges",
    "events",
    "inserted_key",
    "jobs",
    "label_categories",
    "labels",
    "leases",
    "migrate",
    "models",
    "models_in_use",
    "projects",
    "revisions",
    "sessions",
    "tokens",
]

_DATA = MetaData()


def _table(name: str, *, key: bool = False, numbers: str = "", texts: str = "", floats: str = "") -> Table:
    columns: list[Column[Any]] = [Column("id", BigInteger, primary_key=True)] if key else []
    columns += [Column(column, BigInteger) for column in numbers.split()]
    columns += [Column(column, Text) for column in texts.split()]
    columns += [Column(column, Float) for column in floats.split()]
    return Table(name, _DATA, *columns)


projects = _table("projects", key=True, texts="name kind", floats="created")
categories = _table("categories", numbers="project position", texts="name")
edges = _table("edges", numbers="project", texts="parent child")
documents = _table("documents", key=True, numbers="project place", texts="name title text", floats="created")
annotators = _table("annotators", numbers="project", texts="name", floats="created")
events = _table(
    "events", key=True, numbers="project document undoes", texts="kind annotator sender data", floats="created"
)
labels = _table("labels", numbers="project document event", texts="annotator labels")
label_categories = _table("label_categories", numbers="project document", texts="category annotator")
models = _table("models", key=True, numbers="project number", texts="file summary", floats="created")
models_in_use = _table("models_in_use", numbers="project model")
decisions = _table(
    "decisions", numbers="model document stratum turn", texts="labels", floats="confidence suspect useful"
)
leases = _table("leases", numbers="document", texts="annotator", floats="until")
jobs = _table(
    "jobs",
    key=True,
    numbers="project done total cancel attempts",
    texts="kind state message data",
    floats="created heartbeat ended",
)
accounts = _table("accounts", texts="name role password", floats="created")
tokens = _table("tokens", texts="digest account", floats="created")
sessions = _table("sessions", texts="digest account csrf", floats="expires")
audit = _table("audit", key=True, numbers="status", texts="who client method path about", floats="created")


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


DATABASE_FILE = "workspace.db"
BUSY_MILLISECONDS = 30_000
CONNECTIONS = 20


class DatabaseUnavailable(RubricateError):
    """The database cannot be reached or written: it is down, locked, or its disk is full."""


def database_url(workspace: Path, url: str | None) -> str:
    """Return the URL of a workspace's database; the driver of PostgreSQL is psycopg."""
    if url is None:
        return f"sqlite:///{workspace / DATABASE_FILE}"
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise InvalidInput("--database is not a URL; Fix: give one such as postgresql://user@host/name") from None
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise InvalidInput(f"--database {parsed.get_backend_name()}://…: known are sqlite:// and postgresql://")
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    return parsed.render_as_string(hide_password=False)


class Database:
    """Reads and writes in transactions; an answered write is on the disk."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.sqlite = url.startswith("sqlite")
        self._writers = WriteQueue()
        self._engine = _sqlite(url) if self.sqlite else _postgres(url)
        with self.write() as connection:
            migrate(connection)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that sees one state of the database and changes nothing."""
        with _explained(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that is durable once the block is left; after an error nothing of it remains."""
        if not self.sqlite:
            with _explained(), self._engine.connect() as connection:
                yield connection
                connection.commit()
            return
        with self._writers.turn(BUSY_MILLISECONDS / 1000), _explained(), self._engine.connect() as connection:
            connection.exec_driver_sql(
                "BEGIN IMMEDIATE"
            )  # waits for other processes now, instead of failing at the end
            yield connection
            connection.commit()

    def check(self) -> None:
        """Raise where the database does not answer."""
        with self.read() as connection:
            connection.execute(text("SELECT 1"))

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


class WriteQueue:
    """Lets the threads of this process write in the order in which they came.

    SQLite has one writer at a time, and whoever waits for it asks again every tenth of a second; a thread that writes
    many transactions in a row would keep the others out until it is done.
    """

    def __init__(self) -> None:
        self._lock, self._busy = threading.Lock(), False
        self._waiting: deque[threading.Event] = deque()

    @contextmanager
    def turn(self, seconds: float) -> Iterator[None]:
        """Wait for a turn, at most some seconds."""
        with self._lock:
            event = threading.Event()
            if self._busy:
                self._waiting.append(event)
            else:
                self._busy = True
                event.set()
        if not event.wait(seconds) and self._left(event):
            raise DatabaseUnavailable(f"the database was busy for {seconds:g} seconds; try again")
        try:
            yield
        finally:
            with self._lock:
                if self._waiting:
                    self._waiting.popleft().set()
                else:
                    self._busy = False

    def _left(self, event: threading.Event) -> bool:
        """Leave the queue; return whether the turn had not come at the last moment."""
        with self._lock:
            if event.is_set():
                return False
            self._waiting.remove(event)
            return True


@contextmanager
def _explained() -> Iterator[None]:
    """Turn errors of the driver into one that says what to do; errors of our own pass."""
    try:
        yield
    except DataError as error:  # such as U+0000 in a name
        raise InvalidInput(f"a value cannot be looked up or kept: {str(error.orig).strip()}") from error
    except OverflowError as error:
        raise InvalidInput("a number is beyond 64 bits") from error
    except DBAPIError as error:
        raise DatabaseUnavailable(
            f"the database cannot do this now: {str(error.orig).strip() or type(error.orig).__name__}"
        ) from error


def _sqlite(url: str) -> Engine:
    # Transactions are begun by `write`; the driver's own habit of beginning them late is turned off.
    settings = {"isolation_level": None, "check_same_thread": False}
    engine = create_engine(url, connect_args=settings, pool_size=CONNECTIONS, max_overflow=2 * CONNECTIONS)

    @event.listens_for(engine, "connect")
    def settle(connection: Any, _: Any) -> None:
        for setting in (
            "journal_mode = WAL",
            "synchronous = FULL",  # a commit is on the disk when it is answered
            f"busy_timeout = {BUSY_MILLISECONDS}",
            "foreign_keys = ON",
            "cache_size = -65536",
        ):
            connection.execute(f"PRAGMA {setting}")

    return engine


def _postgres(url: str) -> Engine:
    try:
        return create_engine(url, pool_size=CONNECTIONS, max_overflow=CONNECTIONS, pool_pre_ping=True)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise InvalidInput(f"no driver for {url.partition(':')[0]}: {error}") from error


def inserted_key(connection: Connection, statement: Insert) -> int:
    """Insert one row and return the number that the database gave it."""
    key = connection.execute(statement).inserted_primary_key
    if key is None:
        raise RuntimeError("an insert without a key")
    return int(key[0])
