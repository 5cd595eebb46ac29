"""The most confident errors of each system, with the words that misled it."""

from __future__ import annotations

from rubricate.reports.mistakes import Mistake, confident_mistakes
from rubricate.reports.page.cases import evidence_line, label_chips, text_of
from rubricate.reports.page.html import Html, isolated, join, shorten, tag
from rubricate.reports.page.section import panels, section
from rubricate.reports.results import ReportResults
from rubricate.types import Evidence

__all__ = ["errors"]

SHOWN = 6
"""Errors shown per kind and system."""


@section("The most confident errors", order=100)
def errors(results: ReportResults) -> Html | None:
    """Show for each system the labels it wrongly gave and missed, farthest from the threshold first."""
    parts = {}
    for system in results.order:
        mistakes = confident_mistakes(results, system, SHOWN)
        if mistakes:
            parts[shorten(results.names[system], 60)] = _cases(results, system, mistakes)
    if not parts:
        return None
    marked = " Marked words spoke for the category; underlined ones against it." if results.data.explain else ""
    lead = f"Where a system was wrong and farthest from its threshold.{marked}"
    return join([tag("p", lead), panels("System", parts)])


def _cases(results: ReportResults, system: int, mistakes: list[Mistake]) -> Html:
    kinds = {"wrong": "Wrongly given", "missed": "Missed"}
    parts = []
    for kind, title in kinds.items():
        own = [mistake for mistake in mistakes if mistake.kind == kind]
        if own:
            parts += [
                tag("h3", title),
                tag("div", [_case(results, system, mistake) for mistake in own], class_="cases"),
            ]
    return join(parts)


def _case(results: ReportResults, system: int, mistake: Mistake) -> Html:
    run, category = results.runs[system], results.categories[mistake.column]
    evidence: list[Evidence] = []
    if results.data.explain is not None:
        evidence = list(results.data.explain(run.name, mistake.row, category))
    verb, side = ("wrongly given", "above") if mistake.kind == "wrong" else ("missed", "below")
    far = f", {mistake.margin:.3g} {side} its threshold" if run.scores is not None else ""
    return tag(
        "article",
        tag("h4", isolated(category), f" {verb}{far}"),
        tag(
            "p",
            "Document ",
            isolated(str(run.documents[mistake.row]), 40),
            ". True labels: ",
            label_chips(results, mistake.row, mistake.column),
        ),
        text_of(results, mistake.row, evidence),
        evidence_line(evidence),
        class_="case",
    )
