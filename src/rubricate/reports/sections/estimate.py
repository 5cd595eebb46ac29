"""What the training documents alone said to expect, beside what the test documents showed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rubricate.estimation import MEASURES, Estimate
from rubricate.reports._grid import grid, number_cell
from rubricate.reports._html import Html, isolated, join, tag
from rubricate.reports._section import section
from rubricate.reports.results import Results

__all__ = ["estimate"]

COLUMNS = {"error": "error", "recall": "recall", "precision": "precision", "f1": "micro-F1"}
"""The micro-averages of the test documents by the names of the results."""


@section("Estimated without test documents", order=85)
def estimate(results: Results) -> Html | None:
    """Estimates by run name from `extras["estimate"]`, one or several of a run; None where there are none."""
    given: Mapping[str, Any] = results.data.extras.get("estimate") or {}
    rows = [row for name, found in given.items() for row in _rows(results, name, found)]
    if not rows:
        return None
    lead = (
        "Micro-averages expected from the training documents alone. ξα takes one training and is pessimistic, most of "
        "all for rare categories; leave-one-out has almost no bias. Both speak of an SVM that assigns a category where "
        "its score is positive, not of a learned cut."
    )
    heads, numeric = ["system", "by", "error", "recall", "precision", "F1"], [False, False, True, True, True, True]
    return join([tag("p", lead), grid(heads, rows, numeric=numeric, caption="Estimated and measured")])


def _rows(results: Results, name: str, found: Estimate | Sequence[Estimate]) -> list[Html]:
    """The estimates of a run, then what its test documents showed."""
    each = [found] if isinstance(found, Estimate) else list(found)
    rows = [_row(name, one.method.replace("_", "-"), [one.micro[measure] for measure in MEASURES]) for one in each]
    if name in results.names:
        system = results.names.index(name)
        rows.append(_row(name, "test documents", [results.value(system, column) for column in COLUMNS.values()]))
    return rows


def _row(name: str, by: str, values: Sequence[float]) -> Html:
    cells = [number_cell(float(value), digits=4) for value in values]
    return tag("tr", tag("th", isolated(name), scope="row"), tag("td", by), cells)
