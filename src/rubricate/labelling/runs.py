"""Runs without a truth: read from a file, cut into decisions, joined with the labels of some of their documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.exceptions import NotFittedError

from rubricate.errors import InvalidInput
from rubricate.io.alignment import align
from rubricate.io.predictions import read_pairs, read_run, run_names
from rubricate.labels import indicator
from rubricate.thresholds import resolve
from rubricate.types import Decisions, Run, Scores, Sparse

__all__ = ["cut_run", "held_out_run", "join_runs", "read_predictions"]


def read_predictions(path: str | Path) -> Run:
    """Read the predictions of a system over the documents and categories that the file names."""
    pairs = read_pairs(path)
    documents, categories = tuple(pairs.documents), tuple(sorted(pairs.categories))
    if not documents:
        raise InvalidInput(f"{path} has no documents; give a file of predictions")
    nothing = Decisions(sparse.csr_array((len(documents), len(categories)), dtype=bool), categories, documents)
    run = align(nothing, {run_names([path])[0]: pairs})[0]
    return replace(run, truth=None)


def cut_run(run: Run, cut: str) -> Run:
    """Return the run with decisions by a cut that learns nothing, such as 0.5 or rcut:1."""
    if run.scores is None:
        raise InvalidInput(f"run {run.name!r} has no scores for a cut to work on; leave out --cut")
    try:
        decided = resolve(cut).decide(run.scores)
    except NotFittedError:
        raise InvalidInput(f"the cut {cut!r} learns from labelled scores; give a number or rcut:K") from None
    return replace(run, decisions=Decisions(decided, run.categories, run.documents))


def join_runs(runs: Sequence[Run]) -> Run:
    """Return runs of one system over different documents as one run; a document in two of them is an error."""
    documents = tuple(str(name) for run in runs for name in run.documents)
    if len(set(documents)) < len(documents):
        raise InvalidInput("a document occurs in two of the files; give each document once")
    categories = tuple(sorted({name for run in runs for name in run.categories}))
    place = {name: c for c, name in enumerate(categories)}
    decided = [_moved(run.decisions.values, run, place) for run in runs if run.decisions is not None]
    scored = [_moved(sparse.csr_array(run.scores.values), run, place) for run in runs if run.scores is not None]
    if len(decided) not in (0, len(runs)) or len(scored) not in (0, len(runs)):
        raise InvalidInput("some of the files have scores or decisions and others do not; give files of one kind")
    floor = min((run.scores.floor for run in runs if run.scores is not None), default=-np.inf)
    return Run(
        runs[0].name,
        documents,
        categories,
        Scores(sparse.csr_array(sparse.vstack(scored)), categories, documents, floor) if scored else None,
        Decisions(indicator(sparse.vstack(decided)), categories, documents) if decided else None,
    )


def _moved(matrix: Sparse, run: Run, place: Mapping[str, int]) -> Sparse:
    """Return a matrix with its columns at the places of their categories."""
    entries = matrix.tocoo()
    columns = np.array([place[name] for name in run.categories], np.int64)
    return sparse.csr_array((entries.data, (entries.row, columns[entries.col])), shape=(matrix.shape[0], len(place)))


def held_out_run(labels: str | Path, path: str | Path, like: Run, *, cut: str | None = None) -> tuple[Run, Sparse]:
    """Read predictions of labelled documents over the categories of another run of the same system."""
    run = read_run(labels, path, categories=like.categories, missing="drop")
    unknown = [name for name in run.categories if name not in set(like.categories)]
    if unknown:
        raise InvalidInput(
            f"held-out documents have {len(unknown)} categories that the run lacks, such as {unknown[0]}"
        )
    if cut is not None or run.decisions is None:
        run = cut_run(run, cut or "0.5")
    return run, sparse.csr_array(run.truth)
