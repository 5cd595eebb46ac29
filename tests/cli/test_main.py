"""The program: help, version, unknown commands, and errors as one sentence with an exit code."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from rubricate import __version__, cli, registry
from rubricate.errors import CorpusMissing, UnknownName


def test_help_lists_every_command_and_the_exit_codes():
    result = CliRunner().invoke(cli.build(), ["--help"])
    assert result.exit_code == 0
    assert "130 interrupted" in result.output
    for name in registry.names("cli"):
        assert name.replace("_", "-") in result.output


@pytest.mark.parametrize("name", registry.names("cli"))
def test_every_command_has_help(name):
    result = CliRunner().invoke(cli.build(), [name.replace("_", "-"), "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.output


def test_version():
    assert CliRunner().invoke(cli.build(), ["--version"]).output.strip() == f"rubricate {__version__}"


@pytest.mark.parametrize(
    ("error", "code"),
    [(UnknownName("corpus", "x", ["y"]), 2), (CorpusMissing("fetch it"), 3), (KeyboardInterrupt(), 130)],
)
def test_errors_become_one_sentence_and_an_exit_code(monkeypatch, capsys, error, code):
    def failing(only=None):
        app = typer.Typer(pretty_exceptions_enable=False)

        @app.command("train")
        def fail() -> None:
            raise error

        app.callback()(lambda: None)

        return app

    monkeypatch.setattr(cli, "build", failing)
    monkeypatch.setattr(sys, "argv", ["rubricate", "train"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.strip()
    assert "Traceback" not in captured.err


def test_the_program_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "rubricate", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"rubricate {__version__}"
