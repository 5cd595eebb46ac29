"""The database server for tests runs, answers and leaves nothing behind."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from tests.postgres import postgres_server, server_programs

pytestmark = pytest.mark.proof


def ask(url: str, statement: str) -> str:
    command = [server_programs() / "psql", url, "-Atc", statement]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("rubricate-postgres-*"))


def test_a_server_answers(postgres_url):
    assert ask(postgres_url, "select 6 * 7") == "42"
    ask(postgres_url, "create table kept (word text)")
    ask(postgres_url, "insert into kept values ('wheat')")
    assert ask(postgres_url, "select word from kept") == "wheat"


def test_two_servers_run_beside_each_other_and_are_removed(postgres_url):
    before = folders()
    with postgres_server() as url:
        assert url != postgres_url
        assert ask(url, "select count(*) from pg_tables where tablename = 'kept'") == "0"
    assert folders() == before
    with pytest.raises(subprocess.CalledProcessError):
        ask(url, "select 1")
