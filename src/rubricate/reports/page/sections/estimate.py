"""Estimates from the training documents alone, beside the results on the test documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.estimation import MEASURES, Estimate
from rubricate.measures import counts, micro
from rubricate.reports.page.grid import grid, number_cell
from rubricate.reports.page.html import Html, isolated, join, tag
from rubricate.reports.page.section import section
from rubricate.reports.results import ReportResults
from rubricate.types import Run

__all__ = ["estimate"]

COLUMNS = {"error": "error", "recall": "recall", "precision": "precision", "f1": "micro-F1"}
"""Measures of an estimate, and the columns of the results that show their micro-averages."""


@section("Estimated without test documents", order=85)
def estimate(results: ReportResults) -> Html | None:
    """Show the estimates of `extras["estimate"]` by run name, one or several per run; None where there are none."""
    by_run: Mapping[str, Any] = results.data.extras.get("estimate") or {}
    rows = [row for name, estimates in by_run.items() for row in _rows(results, name, estimates)]
    if not rows:
        return None
    lead = (
        "What each SVM promised from its training documents alone, and what the test documents then showed. Both "
        "estimates are of an SVM that assigns a category where its score is positive, so compare them with the row "
        "“test, score > 0”; the last row has the cut of the study. ξα needs nothing but the one training (Joachims "
        "2000) and errs on the side of caution, most of all for rare categories: its recall and F1 are to be "
        "read as “at least”. Leave-one-out decides each training document by the SVM of all others and has almost no "
        "bias; where it and the test differ, the test documents are not like those for training, or few."
    )
    heads, numeric = ["system", "by", "error", "recall", "precision", "F1"], [False, False, True, True, True, True]
    caption = "Estimated and measured, micro-averages"
    return join([tag("p", lead), grid(heads, rows, numeric=numeric, caption=caption)])


def _rows(results: ReportResults, name: str, estimates: Estimate | Sequence[Estimate]) -> list[Html]:
    """Return the rows of the estimates of a run, then of its test documents."""
    each = [estimates] if isinstance(estimates, Estimate) else list(estimates)
    rows = [
        _row(name, _name(estimate_of_run), [estimate_of_run.micro[measure] for measure in MEASURES])
        for estimate_of_run in each
    ]
    if name not in results.names or not each:
        return rows
    system = results.names.index(name)
    own = _positive(results.data.runs[system])
    rows += [] if own is None else [_row(name, "test, score > 0", own)]
    rows.append(_row(name, "test, as cut", [results.value(system, column) for column in COLUMNS.values()]))
    return rows


def _name(result: Estimate) -> str:
    return {"xi_alpha": "ξα", "leave_one_out": "leave-one-out"}.get(result.method, result.method.replace("_", "-"))


def _positive(run: Run) -> list[float] | None:
    """Measure the test documents where a positive score decides; None without dense scores."""
    values = None if run.scores is None else run.scores.values
    if values is None or sparse.issparse(values):
        return None
    table = counts(run.truth, sparse.csr_array(np.asarray(values) > 0))
    return [micro(measure, table) for measure in MEASURES]


def _row(name: str, by: str, values: Sequence[float]) -> Html:
    cells = [number_cell(float(value), digits=4) for value in values]
    return tag("tr", tag("th", isolated(name), scope="row"), tag("td", by), cells)
