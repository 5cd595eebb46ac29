"""Background jobs: kept in the database, done by processes of their own, taken up again when a process died."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection, insert, select, update

from rubricate.errors import UnknownName
from rubricate.service.workspace import database as tables
from rubricate.service.workspace.database import Database, inserted_key
from rubricate.service.workspace.projects import Conflict, Project, add_event, take_turn

__all__ = ["STALE_SECONDS", "JobActive", "JobState", "Jobs"]

JobState: TypeAlias = Literal["waiting", "running", "done", "failed", "cancelled"]
ACTIVE = ("waiting", "running")
STALE_SECONDS = 15.0
"""A running job without a heartbeat for so long has lost its process and is started again."""
START_SECONDS = 60.0
"""So long may a process take until its first heartbeat: on a busy machine it loads its code slowly."""
ATTEMPTS = 3
"""A job whose process died so often has failed."""


class JobActive(Conflict):
    """A project has a job of this kind already that waits or runs; `job` is its number."""

    def __init__(self, kind: str, job: int) -> None:
        super().__init__(f"the job {job} ({kind}) of this project has not ended. Fix: wait for it, or cancel it")
        self.job = job


class Jobs:
    """The jobs of a workspace."""

    def __init__(self, database: Database, folder: str) -> None:
        self._database, self._folder = database, folder
        self._processes: dict[int, subprocess.Popen[bytes]] = {}

    def create(self, project: Project, kind: str, data: dict[str, Any], *, who: str) -> int:
        """Store a job that waits to be started; raise `JobActive` if the project has one of this kind already."""
        now = time.time()
        with self._database.write() as connection:
            _check_idle(connection, project, kind)
            values = {
                "project": project.id,
                "kind": kind,
                "state": "waiting",
                "done": 0,
                "total": 0,
                "message": "",
                "data": json.dumps(data, ensure_ascii=False),
                "cancel": 0,
                "attempts": 0,
                "created": now,
                "heartbeat": 0.0,
                "ended": None,
            }
            key = inserted_key(connection, insert(tables.jobs).values(values))
            add_event(connection, kind, project=project.id, annotator=who, data={"job": key, **data})
        return key

    def get(self, key: int) -> dict[str, Any]:
        """Return a job with its progress."""
        j, p = tables.jobs.c, tables.projects.c
        query = select(tables.jobs, p.name.label("project_name")).join(tables.projects, p.id == j.project)
        with self._database.read() as connection:
            row = connection.execute(query.where(j.id == key)).first()
        if row is None:
            raise UnknownName("job", str(key), ())
        return {
            "id": row.id,
            "project": row.project_name,
            "kind": row.kind,
            "state": row.state,
            "done": row.done,
            "total": row.total,
            "message": row.message,
            "result": json.loads(row.data).get("result"),
            "created": row.created,
            "ended": row.ended,
        }

    def last(self, project: Project) -> int | None:
        """Return the newest job of a project."""
        j = tables.jobs.c
        with self._database.read() as connection:
            query = select(j.id).where(j.project == project.id).order_by(j.id.desc()).limit(1)
            return connection.execute(query).scalar()

    def cancel(self, key: int, *, who: str) -> None:
        """Ask a job to stop; one without a live process is stopped at once. A job that ended stays as it is."""
        j = tables.jobs.c
        with self._database.write() as connection:
            row = connection.execute(select(j.project, j.state, j.heartbeat).where(j.id == key)).first()
            if row is None:
                raise UnknownName("job", str(key), ())
            if row.state not in ACTIVE:
                return
            values: dict[str, Any] = {"cancel": 1}
            if row.state == "waiting" or row.heartbeat < time.time() - STALE_SECONDS:
                values |= {"state": "cancelled", "ended": time.time()}
            connection.execute(update(tables.jobs).where(j.id == key).values(values))
            add_event(connection, "cancel", project=row.project, annotator=who, data={"job": key})

    def start_due(self) -> list[int]:
        """Start the jobs that wait, and those whose process died; return their numbers. Safe in several processes."""
        self._processes = {key: process for key, process in self._processes.items() if process.poll() is None}
        with self._database.write() as connection:
            keys = self._claim(connection)
        for key in keys:
            self._processes[key] = self._start(key)
        return keys

    def _claim(self, connection: Connection) -> list[int]:
        j, now = tables.jobs.c, time.time()
        alive = list(self._processes)  # their heartbeat may be late; whether they live is known without
        stale = (j.state == "running") & (j.heartbeat < now - STALE_SECONDS) & j.id.not_in(alive)
        due = (j.state == "waiting") | stale
        lost = update(tables.jobs).where(due, j.attempts >= ATTEMPTS, j.state == "running")
        message = f"its process died {ATTEMPTS} times; is there enough memory?"
        connection.execute(lost.values(state="failed", ended=now, message=message))
        query = select(j.id).where(due, j.cancel == 0).order_by(j.id)
        if connection.dialect.name == "postgresql":
            query = query.with_for_update(skip_locked=True)
        keys = list(connection.execute(query).scalars())
        if keys:
            connection.execute(
                update(tables.jobs)
                .where(j.id.in_(keys))
                .values(state="running", heartbeat=now + START_SECONDS, attempts=j.attempts + 1)
            )
        return keys

    def _start(self, key: int) -> subprocess.Popen[bytes]:
        """Start the process of a job. The database URL may hold a password: it goes through a pipe, not the command."""
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "rubricate.service.workspace.training", str(key)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError), process.stdin as pipe:  # it may have died at once
                pipe.write(json.dumps({"url": self._database.url, "folder": self._folder}).encode())
        return process

    def stop(self) -> None:
        """End the processes that this one started; their jobs are taken up by the next service."""
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            process.wait()


def _check_idle(connection: Connection, project: Project, kind: str) -> None:
    """Refuse a second active job. Requests for one project take turns; the index `jobs_active` is the last guard."""
    take_turn(connection, project)
    j = tables.jobs.c
    active = select(j.id).where(j.project == project.id, j.kind == kind, j.state.in_(ACTIVE))
    job = connection.execute(active).scalar()
    if job is not None:
        raise JobActive(kind, job)
