"""The command line: one module per command, found by the registry.

Data goes to standard output, messages to standard error. Exit codes: 0 done; 1 could not be done; 2 wrong usage or
input; 3 a corpus is missing; 4 an optional dependency is missing; 130 interrupted; 128 + n ended by signal n.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from typing import Any

import typer

from rubricate import registry
from rubricate._version import __version__
from rubricate.cli.interrupts import INTERRUPTED, orderly_end
from rubricate.cli.options import defaults, grouped
from rubricate.cli.output import WELCOME, guarded_terminal, visible
from rubricate.errors import RubricateError

__all__ = ["build", "main"]

COMPLETION = "_RUBRICATE_COMPLETE"
"""The variable by which a shell asks for completions; it calls the program without arguments."""


def _version(shown: bool) -> None:
    if shown:
        typer.echo(f"rubricate {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Put documents under headings, measure how well, and say whether one system is really better than another.

    Data goes to standard output, messages to standard error; --json gives machine-readable output everywhere.

    Exit codes: 0 done, 1 could not be done, 2 wrong usage or input, 3 corpus missing, 4 extra missing, 130 interrupted.
    """


def build(only: str | None = None) -> typer.Typer:
    """Return the program with every command, or with only one; a plug-in is a function or a Typer group."""
    app = typer.Typer(
        no_args_is_help=True, pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]}
    )
    app.callback()(_root)
    for name in registry.names("cli") if only is None else [only]:
        command = registry.load("cli", name)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name=name.replace("_", "-"))(grouped(command))
    return app


def main() -> None:
    """Run the program; turn errors into one sentence and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a console that cannot show a character shows a ? instead of failing
            stream.reconfigure(errors="replace")
    plain, warnings.formatwarning = warnings.formatwarning, _warning
    try:
        with guarded_terminal(), orderly_end():
            if len(sys.argv) == 1 and COMPLETION not in os.environ:
                print(WELCOME, end="")
                return
            app = build(_asked(sys.argv))
            app(prog_name="rubricate", default_map=defaults(app))
    except RubricateError as error:
        print(f"rubricate: {visible(str(error))}", file=sys.stderr)
        sys.exit(error.exit_code)
    except (MemoryError, OSError) as error:
        print(f"rubricate: {visible(_trouble(error))}", file=sys.stderr)
        sys.exit(RubricateError.exit_code)
    except SystemExit as left:
        if left.code == INTERRUPTED:  # Typer catches Ctrl-C and prints nothing
            print("rubricate: interrupted", file=sys.stderr)
        raise
    finally:
        warnings.formatwarning = plain


def _trouble(error: MemoryError | OSError) -> str:
    """Say what the system refused, where no reader or writer has said it better."""
    if isinstance(error, MemoryError):
        return "not enough memory. Fix: free memory, or give fewer documents or terms (--select, --min-df)"
    name = "" if error.filename is None else f"{error.filename}: "
    return f"{name}{error.strerror or error}. Fix: check permissions, open files and the disk, then try again"


def _asked(arguments: list[str]) -> str | None:
    """Return the command that is asked for; None where it is not one of ours, so that the whole program answers."""
    name = arguments[1].replace("-", "_") if len(arguments) > 1 else ""
    return name if registry.is_ours("cli", name) else None


def _warning(message: Any, category: type[Warning], filename: str, *_: Any, **__: Any) -> str:
    """Format a warning like an error, without the place in the code."""
    return f"rubricate: {visible(str(message))}\n"
