"""A small model and services around it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra serve is not installed")
from starlette.testclient import TestClient

import rubricate as rb
from rubricate.service.app import make_app
from rubricate.service.settings import ServiceSettings

TEXTS = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
LABELS = ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3


@pytest.fixture(scope="session")
def topics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file named topics."""
    path = tmp_path_factory.mktemp("models") / "topics.rubric"
    rb.Categorizer(rb.SVM()).fit(TEXTS, LABELS).save(path)
    return path


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., TestClient]]:
    """Start services in this process; they end with the test."""
    with ExitStack() as stack:

        def start(**settings: Any) -> TestClient:
            app = make_app(ServiceSettings(**settings))
            return stack.enter_context(TestClient(app, raise_server_exceptions=False))

        yield start


@pytest.fixture
def client(serve: Callable[..., TestClient], topics: Path) -> TestClient:
    return serve(models=(topics,))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.proof)])
def database(request: pytest.FixtureRequest) -> str | None:
    """The URL of an empty database, None for SQLite in the workspace: a test that uses it runs on both."""
    if request.param == "sqlite":
        return None
    import psycopg

    url, name = request.getfixturevalue("postgres_url"), f"w{uuid.uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{url.rpartition('/')[0]}/{name}"


@pytest.fixture
def workspace(serve: Callable[..., TestClient], tmp_path: Path, database: str | None) -> TestClient:
    """A service with an empty workspace."""
    return serve(workspace=tmp_path / "workspace", database=database)
