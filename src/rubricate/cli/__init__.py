"""The command line: one file a command, found by the registry.

Data goes to standard output, talk to standard error. Exit codes: 0 done; 1 it could not be done; 2 wrong usage or
input; 3 a corpus is missing; 4 an optional dependency is missing; 130 interrupted.
"""

from __future__ import annotations

from rubricate.cli._main import main

__all__ = ["main"]
