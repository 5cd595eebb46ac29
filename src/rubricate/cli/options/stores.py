"""Options of the commands that keep their trials in a store, and their messages when interrupted."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["EngineName", "Fresh", "StoreFolder", "check_engine", "keeping"]

StoreFolder = Annotated[
    Path | None,
    typer.Option("--store", help="The folder of trials; by default $RUBRICATE_STORE, or else your data folder."),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Compute everything again, whatever is in the store.")]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        help="Where work runs: threads, serial, dask, or dask:ADDRESS of a scheduler; results are the same.",
        metavar="NAME",
    ),
]


def check_engine(engine: str) -> None:
    """Refuse an unknown engine, or a cluster that is not there, before any work; threads are always there."""
    if engine != "threads":
        from rubricate import engines

        engines.check_engine(engine)


@contextmanager
def keeping(store: Path) -> Iterator[None]:
    """Report damaged entries on standard error, and after Ctrl-C that the same command resumes."""
    from rubricate.experiments.store import DamagedEntry

    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: object) -> None:
            if issubclass(category, DamagedEntry):
                print(f"rubricate: {message}", file=sys.stderr)
            else:
                shown(message, category, *rest)  # type: ignore[arg-type]

        warnings.showwarning = show  # type: ignore[assignment]
        warnings.simplefilter("always", DamagedEntry)
        try:
            yield
        except KeyboardInterrupt:
            print(f"what was done is in {store}; the same command resumes from there", file=sys.stderr)
            raise
