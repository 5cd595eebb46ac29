"""Single documents on the page: an excerpt with its evidence marked, and what was said of it."""

from __future__ import annotations

from rubricate.reports.highlights import Piece, excerpt, term_weights
from rubricate.reports.page.html import Html, isolated, shorten, tag
from rubricate.reports.results import ReportResults
from rubricate.types import Evidence

__all__ = ["evidence_line", "label_chips", "text_of"]


def text_of(results: ReportResults, row: int, evidence: list[Evidence], length: int = 420) -> Html | None:
    """The excerpt of a document with the words marked that are evidence; None without documents."""
    documents = results.data.documents
    if documents is None:
        return None
    weights, analyzer = term_weights(evidence), results.data.analyzer
    title = excerpt(documents.titles[row], weights, analyzer=analyzer, length=200) if documents.titles else []
    body = excerpt(documents.bodies[row], weights, analyzer=analyzer, length=length)
    heading = tag("strong", [_piece(piece) for piece in title], tag("br")) if title else None
    return tag("p", heading, [_piece(piece) for piece in body], class_="text", dir="auto")


def _piece(piece: Piece) -> Html | str:
    if not piece.weight:
        return piece.text
    said = f"{'for' if piece.weight > 0 else 'against'}: {piece.weight:+.3g}"
    return tag("mark", piece.text, title=said, class_=None if piece.weight > 0 else "against")


def label_chips(results: ReportResults, row: int, bad: int | None = None) -> list[Html]:
    """The true labels of a document."""
    truth = results.truth
    own = truth.indices[truth.indptr[row] : truth.indptr[row + 1]]
    chips = [tag("span", isolated(results.categories[c], 40), class_="chip bad" if c == bad else "chip") for c in own]
    return chips or [tag("span", "none", class_="chip")]


def evidence_line(evidence: list[Evidence], most: int = 6) -> Html | None:
    """The strongest evidence in one line: what, and how much."""
    if not evidence:
        return None
    strongest = sorted(evidence, key=lambda one: -abs(one.weight))[:most]
    parts = [
        tag(
            "span",
            isolated(one.source, 30),
            f" {one.weight:+.2g}",
            class_="chip",
            title=shorten(one.detail, 200) or None,
        )
        for one in strongest
    ]
    return tag("p", "Evidence: ", parts)
