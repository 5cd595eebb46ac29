"""Labels that look wrong because the systems contradict them together."""

from __future__ import annotations

from rubricate.reports.data import SuspectLabel
from rubricate.reports.mistakes import likely_mislabelled
from rubricate.reports.page.cases import label_chips, text_of
from rubricate.reports.page.html import Html, isolated, join, tag
from rubricate.reports.page.section import section
from rubricate.reports.results import ReportResults

__all__ = ["suspects"]

SHOWN = 12


@section("Labels worth checking", order=110)
def suspects(results: ReportResults) -> Html | None:
    """Show the clearest cases, given with the data or taken from the test documents."""
    labels = likely_mislabelled(results, SHOWN)
    if not labels:
        return None
    who = "the systems clearly contradict" if len(results.runs) > 1 else "the system clearly contradicts"
    lead = f"Documents where {who} a label. Some are mislabelled, others are merely hard. A person should look."
    rows = {str(document): row for row, document in enumerate(results.runs[0].documents)}
    return join([tag("p", lead), tag("div", [_case(results, label, rows) for label in labels], class_="cases")])


def _case(results: ReportResults, suspect: SuspectLabel, rows: dict[str, int]) -> Html:
    row = rows.get(suspect.document)
    state = "labelled" if suspect.given else "not labelled"
    votes = f" {suspect.against} of {suspect.systems} {'systems' if suspect.systems > 1 else 'system'} say otherwise."
    labels = tag("p", "Labels now: ", label_chips(results, row)) if row is not None else None
    text = (
        tag("p", suspect.text[:420], class_="text", dir="auto")
        if suspect.text
        else text_of(results, row, [], length=300)
        if row is not None
        else None
    )
    return tag(
        "article",
        tag("h4", f"{state} ", isolated(suspect.category)),
        tag("p", "Document ", isolated(suspect.document, 40), ".", votes),
        labels,
        text,
        class_="case",
    )
