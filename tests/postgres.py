"""A PostgreSQL server for tests: a temporary cluster on a free local port, removed at the end."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

USER, DATABASE = "rubricate", "rubricate"
SERVER_USER = "postgres"
"""The account that runs the server where the tests run as root, which PostgreSQL refuses."""
SETTINGS = "-c fsync=off -c full_page_writes=off -c shared_buffers=16MB -c max_connections=100"
"""Commits are written before they are answered, so a killed server keeps them; only a power cut would not."""
ATTEMPTS = 5


def server_programs() -> Path | None:
    """Return the folder of `initdb` and `pg_ctl`, the newest where there are several; None where they are missing."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))[::-1]
    named = shutil.which("initdb")
    folders += [Path(named).resolve().parent] if named else []
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "pg_ctl").exists()), None)


@contextmanager
def postgres_server(scheme: str = "postgresql") -> Iterator[str]:
    """Start a server with an empty database; yield its URL, with the given scheme (`postgresql+psycopg`)."""
    programs = server_programs()
    if programs is None:
        raise FileNotFoundError("PostgreSQL is not installed: no initdb and pg_ctl")
    with tempfile.TemporaryDirectory(prefix="rubricate-postgres-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, SERVER_USER, SERVER_USER)
        cluster = folder / "cluster"
        _run(programs / "initdb", "-D", cluster, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C")
        port = _start(programs, cluster)
        try:
            yield f"{scheme}://{USER}@127.0.0.1:{port}/{DATABASE}"
        finally:
            _run(programs / "pg_ctl", "-D", cluster, "-m", "immediate", "-w", "stop")


def _start(programs: Path, cluster: Path) -> int:
    """Start the server on a free port and create the database; another process may take the port first."""
    for attempt in range(ATTEMPTS):
        port = _free_port()
        options = f"-p {port} -k {cluster} -c listen_addresses=127.0.0.1 {SETTINGS}"
        try:
            _run(programs / "pg_ctl", "-D", cluster, "-w", "-l", cluster / "log", "-o", options, "start")
            break
        except subprocess.CalledProcessError:
            if attempt + 1 == ATTEMPTS:
                raise
    _run(programs / "createdb", "-h", "127.0.0.1", "-p", str(port), "-U", USER, DATABASE)
    return port


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _run(*command: str | Path) -> None:
    """Run a program of the server, as its own user where we are root; the server must not hold our pipes open."""
    account: dict[str, Any] = {}
    if os.geteuid() == 0:
        account = {"user": SERVER_USER, "group": SERVER_USER, "extra_groups": []}
    with tempfile.TemporaryFile() as output:
        try:
            subprocess.run(
                command, check=True, cwd="/", stdin=subprocess.DEVNULL, stdout=output, stderr=output, **account
            )
        except subprocess.CalledProcessError as error:
            output.seek(0)
            error.add_note(output.read().decode(errors="replace"))
            raise
