"""The source of every number, and the commands that repeat the study."""

from __future__ import annotations

from rubricate.reports.page.grid import grid, number_cell
from rubricate.reports.page.html import Html, isolated, join, tag
from rubricate.reports.page.section import section
from rubricate.reports.results import ReportResults

__all__ = ["reproduce"]

TERMS = {
    "TP, FP, FN": "labels rightly given, wrongly given, and missed.",
    "precision": "TP / (TP + FP): the share of the given labels that are true.",
    "recall": "TP / (TP + FN): the share of the true labels that were given.",
    "F1": "2TP / (2TP + FP + FN): the harmonic mean of precision and recall.",
    "micro-average": "the measure of the summed counts of all categories.",
    "macro-average": "the mean of the measure over the categories.",
    "interval": "how far the value moves when documents are redrawn with replacement. Centred on the measured value.",
    "p-value": "how often chance alone would make a difference this large; small is strong evidence.",
    "Holm": "with many comparisons some look significant by chance; this correction guards against it.",
}


@section("How to get these numbers again", order=900)
def reproduce(results: ReportResults) -> Html:
    """Show the commands, the signature of each system, times where known, and the terms explained."""
    parts: list[Html] = []
    if results.data.commands:
        parts += [
            tag("p", "The exact commands:"),
            tag("pre", tag("code", "\n".join(results.data.commands)), tabindex="0"),
        ]
    parts += [tag("p", "Every number above carries the signature of its system:"), _signatures(results)]
    if results.data.seconds:
        parts.append(_times(results))
    terms = [join([tag("dt", name), tag("dd", meaning)]) for name, meaning in TERMS.items()]
    return join([*parts, tag("h3", "The terms"), tag("dl", terms, class_="terms")])


def _signatures(results: ReportResults) -> Html:
    rows = [
        tag(
            "tr",
            tag("th", isolated(evaluation.name), scope="row"),
            tag("td", tag("code", str(evaluation.signature) or "none given")),
        )
        for evaluation in results.evaluations
    ]
    settings = (
        f"intervals: {results.data.resamples} resamples, level {results.data.level}, seed {results.data.seed}"
        f" | 0/0: {results.data.undefined}"
    )
    return join([grid(["system", "signature"], rows), tag("p", tag("code", settings), class_="note")])


def _times(results: ReportResults) -> Html:
    steps = list(dict.fromkeys(step for own in results.data.seconds.values() for step in own))
    rows = [
        tag("tr", tag("th", isolated(name), scope="row"), [number_cell(own.get(step), digits=2) for step in steps])
        for name, own in results.data.seconds.items()
    ]
    return grid(["system", *steps], rows, numeric=[False, *[True] * len(steps)], caption="Seconds")
