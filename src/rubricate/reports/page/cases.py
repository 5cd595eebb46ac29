"""Single documents on the page: an excerpt with marked evidence, labels, and the evidence in one line."""

from __future__ import annotations

from rubricate.reports.highlights import Piece, excerpt, term_weights
from rubricate.reports.page.html import Html, isolated, shorten, tag
from rubricate.reports.results import ReportResults
from rubricate.types import Evidence

__all__ = ["evidence_line", "label_chips", "text_of"]


def text_of(results: ReportResults, row: int, evidence: list[Evidence], *, length: int = 420) -> Html | None:
    """Return the excerpt of a document with its evidence words marked; None without documents."""
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
    tooltip = f"{'for' if piece.weight > 0 else 'against'}: {piece.weight:+.3g}"
    return tag("mark", piece.text, title=tooltip, class_=None if piece.weight > 0 else "against")


def label_chips(results: ReportResults, row: int, bad: int | None = None) -> list[Html]:
    """Return the true labels of a document."""
    truth = results.truth
    own = truth.indices[truth.indptr[row] : truth.indptr[row + 1]]
    chips = [tag("span", isolated(results.categories[c], 40), class_="chip bad" if c == bad else "chip") for c in own]
    return chips or [tag("span", "none", class_="chip")]


def evidence_line(evidence: list[Evidence], most: int = 6) -> Html | None:
    """Return the strongest evidence in one line: each item with its weight."""
    if not evidence:
        return None
    strongest = sorted(evidence, key=lambda item: -abs(item.weight))[:most]
    parts = [
        tag(
            "span",
            isolated(item.source, 30),
            f" {item.weight:+.2g}",
            class_="chip",
            title=shorten(item.detail, 200) or None,
        )
        for item in strongest
    ]
    return tag("p", "Evidence: ", parts)
