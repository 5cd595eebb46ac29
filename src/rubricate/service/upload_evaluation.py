"""Judge uploaded predictions: what the worker process does for `/evaluate` and `/compare`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from rubricate.errors import InvalidInput
from rubricate.io.predictions import read_runs
from rubricate.measures.evaluation import evaluate
from rubricate.reports.data import ReportData
from rubricate.reports.page import render_page
from rubricate.reports.results import results_of
from rubricate.significance import compare
from rubricate.thresholds import resolve
from rubricate.types import Decisions, Run

__all__ = ["compare_files", "evaluate_files"]


def evaluate_files(options: dict[str, Any]) -> dict[str, Any]:
    """Return every measure of every run, and the report."""
    runs = _runs(options)
    return {"evaluations": [evaluate(run).to_dict() for run in runs], "report": _report(runs)}


def compare_files(options: dict[str, Any]) -> dict[str, Any]:
    """Return the tests of all pairs of runs, and the report."""
    runs = _runs(options)
    if len(runs) < 2:
        raise InvalidInput("a comparison needs two runs or more; /evaluate takes one")
    return {"comparison": compare(runs).to_dict(), "report": _report(runs)}


def _runs(options: dict[str, Any]) -> list[Run]:
    folder, names = Path(options["folder"]), options["names"]
    runs = read_runs(folder / "truth", [folder / f"run-{number}" for number in range(1, len(names) + 1)])
    return [_decided(replace(run, name=name), options["cut"]) for run, name in zip(runs, names, strict=True)]


def _decided(run: Run, cut: str) -> Run:
    """Return a run with decisions by a cut that learns nothing."""
    if not cut or run.scores is None:
        return run
    threshold = resolve(cut)
    if threshold.needs_scores:
        raise InvalidInput(f"the cut {cut!r} learns from held-out scores, which the service does not take")
    return replace(run, decisions=Decisions(threshold.decide(run.scores), run.categories, run.documents))


def _report(runs: list[Run]) -> str | None:
    """Return the page, or None where a run has no decisions."""
    if any(run.decisions is None for run in runs):
        return None
    return render_page(results_of(ReportData(runs=runs, title="Report on " + ", ".join(run.name for run in runs))))
