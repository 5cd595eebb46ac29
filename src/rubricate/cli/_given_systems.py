"""The systems that `compare` was given on its line: runs on one or two collections, counts, published figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rubricate.cli._given_runs import Given, given_runs
from rubricate.errors import InvalidInput

if TYPE_CHECKING:
    from rubricate.significance import System

__all__ = ["given_systems"]


def given_systems(
    truth: Path | None, runs: Sequence[Path], given: Given, *, truth_b: Path | None = None, counts: Path | None = None
) -> list[System]:
    """The systems of the counts file, then the runs on the truth, then those on the second truth."""
    from rubricate.significance import read_counts

    systems = read_counts(counts) if counts is not None else []
    if truth is None and counts is None:
        raise InvalidInput("nothing to compare; give TRUTH and two runs or more, or --counts FILE")
    if truth is not None and not runs:
        raise InvalidInput(f"{truth} has no runs behind it; give TRUTH and then the files of the systems")
    if truth_b is not None and given.held_out is not None:
        raise InvalidInput(
            "--held-out belongs to one collection; with --truth-b give decisions, or a cut that needs none"
        )
    if truth is None or truth_b is None:
        return systems + (_read(truth, runs, given, "") if truth is not None else [])
    first, second = _dealt(truth, truth_b, runs, given)
    return systems + _read(truth, first, given, truth.stem) + _read(truth_b, second, given, truth_b.stem)


def _read(truth: Path, runs: Sequence[Path], given: Given, collection: str) -> list[System]:
    from rubricate.significance.systems.system import as_system

    return [replace(as_system(run), collection=collection) for run in given_runs(truth, runs, given)]


def _dealt(truth: Path, truth_b: Path, runs: Sequence[Path], given: Given) -> tuple[list[Path], list[Path]]:
    """Each run goes to the truth with which it shares more documents; of two runs that could be either, in turn."""
    from rubricate.files.predictions.reading import read_pairs, read_truth

    if truth.stem == truth_b.stem:
        raise InvalidInput(f"{truth} and {truth_b} have the same name; give the collections names that differ")
    homes = [set(read_truth(path, topic=given.topics).documents) for path in (truth, truth_b)]
    found: tuple[list[Path], list[Path]] = ([], [])
    for place, run in enumerate(runs):
        documents = set(read_pairs(run, topic=given.topics).documents)
        shared = [len(documents & home) for home in homes]
        if shared[0] == shared[1] and len(runs) != 2:
            raise InvalidInput(f"{run} fits {truth} and {truth_b} alike; give ids that tell the collections apart")
        found[place if shared[0] == shared[1] else shared.index(max(shared))].append(run)
    if not (found[0] and found[1]):
        raise InvalidInput(f"all runs belong to {truth if found[0] else truth_b}; leave --truth-b away, or give both")
    return found
