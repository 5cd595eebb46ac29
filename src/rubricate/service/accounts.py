"""Hash and check passwords with argon2id, a few at a time.

One hash takes 64 MB and a good part of a second by design, so requests that hash could exhaust the memory of the
machine. Two are computed at once; a few wait for their turn; further ones are refused at once (`PasswordsBusy`) and
never occupy the threads that answer everybody else.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import get_args

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, delete, func, insert, select

from rubricate.errors import InvalidInput, RubricateError, UnknownName
from rubricate.service.identity import RESERVED, Identity, Role
from rubricate.service.workspace import database as tables
from rubricate.service.workspace.database import Database
from rubricate.service.workspace.projects import Conflict

__all__ = ["Accounts", "Passwords", "PasswordsBusy"]

MAX_HASHING, MAX_WAITING = 2, 8
"""Hashes that are computed at once, and those that wait; each of these holds one of the forty threads for requests."""
_HASHER = PasswordHasher()  # argon2id
_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$eEz16WLq5nBr12HSsYI2LA$hT/d/ok8mEENRMUovdjNR9L35gGcv2e2atkOgRByNIc"
"""The hash of a forgotten password: checking it costs as much as a real one, so that names cannot be guessed."""


class PasswordsBusy(RubricateError):
    """Too many passwords wait to be hashed or checked."""


class Passwords:
    """Hashes and checks passwords, at most `at_once` at a time, while at most `waiting` wait."""

    def __init__(self, at_once: int = MAX_HASHING, waiting: int = MAX_WAITING) -> None:
        self._admitted = threading.BoundedSemaphore(at_once + waiting)
        self._hashing = threading.BoundedSemaphore(at_once)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn; raise `PasswordsBusy` if too many wait already."""
        if not self._admitted.acquire(blocking=False):
            raise PasswordsBusy("too many passwords are being checked; try again in a moment")
        try:
            with self._hashing:
                yield
        finally:
            self._admitted.release()

    def hash(self, password: str) -> str:
        """Return the hash of a password."""
        with self.turn():
            return _HASHER.hash(password)

    def verify(self, hashed: str | None, password: str) -> bool:
        """Tell whether a password has this hash. None, for an account that does not exist, takes as long."""
        with self.turn():
            try:
                _HASHER.verify(_NOBODY if hashed is None else hashed, password)
            except (VerificationError, InvalidHashError):
                return False
        return hashed is not None


SHORTEST_PASSWORD = 10
SESSION_SECONDS = 12 * 3600.0


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


class Accounts:
    """The accounts of a workspace."""

    def __init__(self, database: Database) -> None:
        self._database, self._passwords = database, Passwords()

    def any(self) -> bool:
        """Tell whether there is an account."""
        with self._database.read() as connection:
            return connection.execute(select(func.count()).select_from(tables.accounts)).scalar_one() > 0

    def add(self, name: str, password: str, role: Role) -> None:
        """Add an account, or give it another password and role; its sessions end and its tokens are revoked."""
        if name in RESERVED:
            raise InvalidInput(f"the name {name!r} is used by the service itself; choose another")
        if not name.strip() or "\x00" in name or len(name) > 100:
            raise InvalidInput(f"an account needs a name of 1 to 100 characters, got {name!r}")
        if role not in get_args(Role):
            raise InvalidInput(f"a role is one of {', '.join(get_args(Role))}; got {role!r}")
        if len(password) < SHORTEST_PASSWORD:
            raise InvalidInput(f"a password has at least {SHORTEST_PASSWORD} characters")
        hashed = self._passwords.hash(password)
        a = tables.accounts.c
        with self._database.write() as connection:
            for secrets_ in (tables.sessions, tables.tokens):
                connection.execute(delete(secrets_).where(secrets_.c.account == name))
            known = connection.execute(select(a.name).where(a.name == name)).first()
            if role != "admin" and not self._admins(connection, besides=name):
                raise InvalidInput("there would be no account with the role admin; add one first")
            if known is None:
                values = {"name": name, "role": role, "password": hashed, "created": time.time()}
                connection.execute(insert(tables.accounts).values(values))
            else:
                change = tables.accounts.update().where(a.name == name).values(role=role, password=hashed)
                connection.execute(change)

    @staticmethod
    def _admins(connection: Connection, *, besides: str) -> int:
        a = tables.accounts.c
        query = select(func.count()).where(a.role == "admin", a.name != besides)
        return int(connection.execute(query).scalar_one())

    def remove(self, name: str, *, last: bool = False) -> None:
        """Remove an account with its tokens and sessions; its labels and history stay.

        The last account is removed only if `last` is true: without accounts a local service is open to everybody on
        the machine, and one that other machines reach is closed to all (unless it has a token).
        """
        with self._database.write() as connection:
            a = tables.accounts.c
            names = set(connection.execute(select(a.name)).scalars())
            if names == {name} and not last:
                raise Conflict(
                    f"{name!r} is the last account. Without one, a local service is open to everybody on its machine, "
                    f"and any other is closed to all. Fix: add another account first, or 'rubricate account remove "
                    f"{name} --last'"
                )
            if names - {name} and not self._admins(connection, besides=name):
                raise InvalidInput(f"{name!r} is the last account with the role admin")
            for table, column in (
                (tables.sessions, tables.sessions.c.account),
                (tables.tokens, tables.tokens.c.account),
                (tables.accounts, tables.accounts.c.name),
            ):
                removed = connection.execute(delete(table).where(column == name)).rowcount
            if not removed:
                raise UnknownName("account", name, ())

    def all(self) -> list[dict[str, str]]:
        """Return the names and roles of all accounts."""
        a = tables.accounts.c
        with self._database.read() as connection:
            rows = connection.execute(select(a.name, a.role).order_by(a.name))
            return [{"name": row.name, "role": row.role} for row in rows]

    def log_in(self, name: str, password: str) -> tuple[str, str] | None:
        """Return the secret of a new session and its CSRF token; None if name or password is wrong."""
        a = tables.accounts.c
        with self._database.read() as connection:
            row = connection.execute(select(a.password).where(a.name == name)).first()
        if not self._passwords.verify(None if row is None else row.password, password):
            return None
        secret, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        now = time.time()
        with self._database.write() as connection:
            connection.execute(delete(tables.sessions).where(tables.sessions.c.expires < now))
            values = {"digest": _digest(secret), "account": name, "csrf": csrf, "expires": now + SESSION_SECONDS}
            connection.execute(insert(tables.sessions).values(values))
        return secret, csrf

    def log_out(self, secret: str) -> None:
        """End a session."""
        with self._database.write() as connection:
            connection.execute(delete(tables.sessions).where(tables.sessions.c.digest == _digest(secret)))

    def by_session(self, secret: str) -> Identity | None:
        """Return who a session belongs to."""
        s, a = tables.sessions.c, tables.accounts.c
        query = select(a.name, a.role, s.csrf).join(tables.accounts, a.name == s.account)
        with self._database.read() as connection:
            row = connection.execute(query.where(s.digest == _digest(secret), s.expires > time.time())).first()
        return None if row is None else Identity(row.name, row.role, "session", row.csrf)

    def add_token(self, account: str) -> str:
        """Return a new token for programs; it has the role of its account and is shown this once."""
        secret = secrets.token_urlsafe(32)
        with self._database.write() as connection:
            known = connection.execute(select(tables.accounts.c.name).where(tables.accounts.c.name == account)).first()
            if known is None:
                raise UnknownName("account", account, ())
            values = {"digest": _digest(secret), "account": account, "created": time.time()}
            connection.execute(insert(tables.tokens).values(values))
        return secret

    def by_token(self, secret: str) -> Identity | None:
        """Return who a token belongs to."""
        t, a = tables.tokens.c, tables.accounts.c
        query = select(a.name, a.role).join(tables.accounts, a.name == t.account)
        with self._database.read() as connection:
            row = connection.execute(query.where(t.digest == _digest(secret))).first()
        return None if row is None else Identity(row.name, row.role, "token")

    def has_logged_in_from(self, name: str, client: str) -> bool:
        """Tell whether an account has logged in from an address before, as the audit log has it."""
        t = tables.audit.c
        query = select(t.id).where(t.who == name, t.client == client, t.path == "/login", t.status == 200).limit(1)
        with self._database.read() as connection:
            return connection.execute(query).first() is not None

    def note(self, who: str, client: str, method: str, *, path: str, status: int, about: str = "") -> None:
        """Add a line to the audit log: who changed something, from where; `about` names the account it is about."""
        values = {
            "created": time.time(),
            "who": who,
            "client": client,
            "method": method,
            "path": path[:500].replace("\x00", ""),
            "status": status,
            "about": about[:200].replace("\x00", ""),
        }
        with self._database.write() as connection:
            connection.execute(insert(tables.audit).values(values))

    def audit(self, *, after: int = 0, n: int = 100) -> list[dict[str, object]]:
        """Return lines of the audit log, oldest first."""
        t = tables.audit
        with self._database.read() as connection:
            rows = connection.execute(select(t).where(t.c.id > after).order_by(t.c.id).limit(n))
            return [dict(row._mapping) for row in rows]
