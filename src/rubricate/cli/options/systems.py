"""The systems that `compare` reads: runs on one or two collections, counts, published figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubricate.cli.options.predictions import PredictionOptions
from rubricate.errors import InvalidInput

if TYPE_CHECKING:
    from rubricate.significance import System

__all__ = ["read_systems"]


def read_systems(
    truth: Path | None,
    runs: Sequence[Path],
    options: PredictionOptions,
    *,
    truth_b: Path | None = None,
    counts: Path | None = None,
) -> list[System]:
    """Read the systems of the counts file, then the runs on the truth, then those on the second truth."""
    from rubricate.significance import read_counts

    systems = read_counts(counts) if counts is not None else []
    if truth is None and counts is None:
        raise InvalidInput("nothing to compare; give TRUTH and two runs or more, or --counts FILE")
    if truth is not None and not runs:
        raise InvalidInput(f"{truth} is given without runs; give TRUTH and then the files of the systems")
    if truth_b is not None and options.held_out is not None:
        raise InvalidInput(
            "--held-out belongs to one collection; with --truth-b give decisions, or a cut that needs none"
        )
    if truth is None or truth_b is None:
        return systems + (_read(truth, runs, options) if truth is not None else [])
    truths = (truth, truth_b)
    for home, part in zip(truths, _dealt(truths, runs, options), strict=True):
        systems += _read(home, part, options, collection=home.stem)
    return systems


def _read(truth: Path, runs: Sequence[Path], options: PredictionOptions, *, collection: str = "") -> list[System]:
    from rubricate.significance.systems.system import as_system

    return [replace(as_system(run), collection=collection) for run in options.read(truth, runs)]


def _dealt(
    truths: tuple[Path, Path], runs: Sequence[Path], options: PredictionOptions
) -> tuple[list[Path], list[Path]]:
    """Assign each run to the truth with which it shares more documents; two runs that fit either are taken in order."""
    from rubricate.files.predictions.reading import read_pairs, read_truth

    truth, truth_b = truths
    if truth.stem == truth_b.stem:
        raise InvalidInput(f"{truth} and {truth_b} have the same name; give the collections names that differ")
    reading: dict[str, Any] = {"topic": options.topics, "encoding": options.encoding}
    homes = [set(read_truth(path, **reading).documents) for path in truths]
    parts: tuple[list[Path], list[Path]] = ([], [])
    for place, run in enumerate(runs):
        documents = set(read_pairs(run, **reading).documents)
        shared = [len(documents & home) for home in homes]
        if shared[0] == shared[1] and len(runs) != 2:
            raise InvalidInput(f"{run} fits {truth} and {truth_b} equally; give ids that tell the collections apart")
        parts[place if shared[0] == shared[1] else shared.index(max(shared))].append(run)
    if not (parts[0] and parts[1]):
        raise InvalidInput(
            f"all runs belong to {truth if parts[0] else truth_b}; leave out --truth-b, or give runs for both"
        )
    return parts
