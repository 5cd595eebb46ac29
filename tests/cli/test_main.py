"""The program: help, version, unknown commands, and errors as one sentence with an exit code."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from rubricate import __version__, cli, registry
from rubricate.errors import CorpusMissing, UnknownName

pytestmark = pytest.mark.slow


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


def asked(shell, line):
    """Return the variables by which the completion script of a shell says what to complete."""
    words = line.split(" ")
    return {
        "_RUBRICATE_COMPLETE": f"complete_{shell}",
        **({"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)} if shell == "bash" else {}),
        **({"_TYPER_COMPLETE_ARGS": line} if shell != "bash" else {}),
        **({"_TYPER_COMPLETE_FISH_ACTION": "get-args"} if shell == "fish" else {}),
    }


@pytest.mark.parametrize(
    ("line", "expected"),
    [("rubricate tr", "train"), ("rubricate corpus sh", "show"), ("rubricate train --fol", "--folds")],
)
def test_shells_complete_commands_and_options(line, expected, rubricate, monkeypatch):
    def complete(shell):
        with monkeypatch.context() as patch:
            for name, value in asked(shell, line).items():
                patch.setenv(name, value)
            code, out, err = rubricate()
        assert (code, err) == (0, "")
        return out

    assert complete("bash").split() == [expected]
    assert complete("zsh").startswith(f'_arguments \'*: :(("{expected}":')
    assert [row.split("\t")[0] for row in complete("fish").splitlines()][:1] == [expected]


def test_an_empty_word_is_completed_by_every_command():
    names = {name.replace("_", "-") for name in registry.names("cli")}
    done = subprocess.run(
        [sys.executable, "-m", "rubricate"],
        capture_output=True,
        text=True,
        env=os.environ | asked("bash", "rubricate "),
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.split()) == names
