"""Where the reasons for a decision are in a text: evidence by character offsets."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeAlias, cast

from rubricate.text.analyzer import Analyzer
from rubricate.text.blocks import Blocks
from rubricate.text.places import TermFinder
from rubricate.text.representation import source_of
from rubricate.types import Documents, Evidence

__all__ = ["EvidenceLocator", "Located"]

TITLE = "title:"
"""The prefix of the terms of titles that are counted apart."""

Located: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
"""The fields of JSON that explain a document; `EvidenceLocator.locate_one` describes them."""

_Spans: TypeAlias = list[tuple[int, int]]
_Found: TypeAlias = dict[tuple[int, str], dict[str, _Spans]]
"""By the number of a finder and the field of a document: each term and its spans."""


class EvidenceLocator:
    """Finds the evidence for decisions in the text and the title of documents.

    Parameters
    ----------
    representation
        How the model turns texts into vectors, fitted; None if it has no terms. Evidence of a model for vectors has
        no place in a text.
    """

    def __init__(self, representation: Any = None) -> None:
        if getattr(representation, "width_", None) is not None:
            representation = None
        blocks = list(representation.parts_) if isinstance(representation, Blocks) else [representation]
        parts = [] if representation is None else blocks
        self._finders = [
            TermFinder(part.reading_analyzer() if source_of(part.weights) == "counts" else Analyzer()) for part in parts
        ]
        widths = [len(part.names() or ()) for part in parts] if len(parts) > 1 else []
        self._ends = list(accumulate(widths[:-1]))

    def locate(self, documents: Documents, evidence: Sequence[Mapping[str, Sequence[Evidence]]]) -> list[Located]:
        """Return the fields that explain each document; `locate_one` describes them."""
        titles = documents.titles or [""] * len(documents)
        return [
            self.locate_one(reasons, text=text, title=title or "")
            for reasons, text, title in zip(evidence, documents.bodies, titles, strict=True)
        ]

    def locate_one(self, evidence: Mapping[str, Sequence[Evidence]], *, text: str, title: str = "") -> Located:
        """Return the evidence for a document as fields of JSON.

        Returns
        -------
        `evidence`, and if there are any `title_evidence` and `reasons`. Items of the first two are spans of the text
        and of the title: `category`, `start`, `end`, `weight`, `source` (the term). A term that occurs n times has n
        spans, each with an n-th of its weight. Reasons without a place (rules, neighbours) have `category`, `source`,
        `kind`, `weight`. All have `detail` if there is any.
        """
        fields: dict[str, list[dict[str, Any]]] = {"evidence": [], "title_evidence": [], "reasons": []}
        texts = {"evidence": text, "title_evidence": title}
        found = self._find([reason for reasons in evidence.values() for reason in reasons], texts)
        for category, reasons in evidence.items():
            for reason in reasons:
                spans = self._spans(reason, texts, found)
                count = sum(map(len, spans.values()))
                detail: dict[str, Any] = {"detail": reason.detail} if reason.detail else {}
                if not count:
                    named = {"category": category, "source": reason.source, "kind": reason.kind}
                    fields["reasons"].append({**named, "weight": reason.weight, **detail})
                for field, places in spans.items():
                    facts = {"weight": reason.weight / max(count, 1), "source": reason.source} | detail
                    fields[field] += [{"category": category, "start": a, "end": b} | facts for a, b in places]
        return {field: items for field, items in fields.items() if items or field == "evidence"}

    def _find(self, reasons: Sequence[Evidence], texts: Mapping[str, str]) -> _Found:
        """Return where the terms of all reasons are; a long text is read once for all of them."""
        terms: dict[int, set[str]] = {}
        for reason in filter(self._is_term, reasons):
            terms.setdefault(self._finder(reason), set()).add(reason.source.removeprefix(TITLE))
        return {
            (number, field): self._finders[number].find(text, sorted(names))
            for number, names in terms.items()
            for field, text in texts.items()
            if text
        }

    def _spans(self, reason: Evidence, texts: Mapping[str, str], found: _Found) -> dict[str, _Spans]:
        if reason.kind == "part":  # a word that was left out, if an encoder decides
            word = re.compile(rf"(?i)(?<!\w){re.escape(reason.source)}(?!\w)")
            return {field: [match.span() for match in word.finditer(text)] for field, text in texts.items()}
        if not self._is_term(reason):
            return {}
        number, term = self._finder(reason), reason.source.removeprefix(TITLE)
        fields = ("title_evidence", "evidence") if term == reason.source else ("title_evidence",)
        return {field: found[number, field][term] for field in fields if (number, field) in found}

    def _is_term(self, reason: Evidence) -> bool:
        return bool(self._finders) and reason.kind == "term" and isinstance(reason.index, int)

    def _finder(self, reason: Evidence) -> int:
        return bisect_right(self._ends, cast(int, reason.index))
