"""The findings in words, and the two main numbers with their intervals."""

from __future__ import annotations

import math

from rubricate.reports.findings import findings
from rubricate.reports.page.html import Html, join, shorten, tag
from rubricate.reports.page.section import chart, section
from rubricate.reports.results import ReportResults
from rubricate.reports.study_figures import systems_figure

__all__ = ["summary"]


@section("What was found", order=10)
def summary(results: ReportResults) -> Html:
    """Show the setting in a sentence, the findings, a drawing of the systems, and what the numbers mean."""
    sentences = [tag("li", text) for text in findings(results)]
    return join(
        [tag("p", _setting(results)), tag("ol", sentences, class_="findings"), _drawing(results), _meaning(results)]
    )


def _setting(results: ReportResults) -> str:
    systems = len(results.runs)
    who = f"{systems} systems were" if systems > 1 else f"One system, {shorten(results.names[0], 40)}, was"
    documents, categories = results.truth.shape
    labels = results.truth.nnz / max(documents, 1)
    single = bool((results.truth.sum(axis=1) == 1).all())
    per = "Each document has exactly one." if single else f"A document has {labels:.2f} of them on average."
    best = results.order[0]
    right, found = (_of_hundred(results.value(best, column)) for column in ("precision", "recall"))
    name = f"the best of them, {shorten(results.names[best], 40)}," if systems > 1 else "it"
    return (
        f"{who} asked to put {documents:,} test documents under {categories:,} categories. {per} Compared with the "
        f"labels that people gave, {name} found {found} of every 100; of every 100 labels it gave, {right} were right."
    )


def _of_hundred(value: float) -> str:
    return "–" if math.isnan(value) else str(round(100 * value))


def _drawing(results: ReportResults) -> Html:
    caption = (
        f"Dots: measured values. Lines: {results.data.level:.0%} intervals, from resampling the test documents. "
        "1 is perfect. The two panels have scales of their own."
    )
    return chart(systems_figure(results), caption=caption)


def _meaning(results: ReportResults) -> Html:
    terms = {
        "Recall": " is the share of the true labels that were found, ",
        "precision": " the share of the given labels that are right. ",
        "Micro-F1": " balances the two over all labels together, so that common categories count most. ",
        "Macro-F1": " is the mean over the categories, so that a rare one counts as much as a common one.",
    }
    chance = " means: with this many documents the difference can well be chance (p is above .05)."
    return tag(
        "div",
        tag(
            "p",
            tag("strong", "How to read this. "),
            [join([tag("strong", name), text]) for name, text in terms.items()],
        ),
        tag("p", tag("strong", "Not distinguishable"), chance) if len(results.runs) > 1 else None,
        class_="plain",
    )
