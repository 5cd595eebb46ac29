"""Evidence by character offsets in the text and the title of a document."""

from __future__ import annotations

import pytest

import rubricate as rb
from rubricate.text.evidence import EvidenceLocator
from rubricate.types import Evidence

TEXTS = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
LABELS = ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3


@pytest.fixture(scope="module")
def model():
    return rb.Categorizer(rb.SVM(), folds=0, representation="terms").fit(TEXTS, LABELS)


def test_spans_are_the_terms_and_their_weights_add_up(model):
    text = "İstanbul: wheat, corn and wheat"
    reasons = model.explain(text, limit=5)
    (located,) = EvidenceLocator(model.model_.representation).locate(_document(text), [reasons])
    for category, why in reasons.items():
        for reason in why:
            spans = [e for e in located["evidence"] if (e["category"], e["source"]) == (category, reason.source)]
            assert {text[each["start"] : each["end"]] for each in spans} == {reason.source}
            assert sum(each["weight"] for each in spans) == pytest.approx(reason.weight)
    assert "title_evidence" not in located
    assert "reasons" not in located


def test_titles_have_spans_of_their_own(model):
    reasons = model.explain("crude oil", limit=2)
    (located,) = EvidenceLocator(model.model_.representation).locate(_document("up", title="Crude Oil"), [reasons])
    assert located["evidence"] == []
    assert {"Crude Oil"[each["start"] : each["end"]] for each in located["title_evidence"]} == {"Crude", "Oil"}


def test_reasons_without_a_place_keep_their_kind_and_detail():
    reason = Evidence("rule", 3, 0.9, name="wheat and corn", detail="9 of 10")
    located = EvidenceLocator().locate_one({"grain": [reason]}, text="wheat and corn")
    assert located == {
        "evidence": [],
        "reasons": [
            {"category": "grain", "source": "wheat and corn", "kind": "rule", "weight": 0.9, "detail": "9 of 10"}
        ],
    }


def test_terms_have_no_place_in_documents_that_are_vectors():
    located = EvidenceLocator().locate_one({"a": [Evidence("term", 17, 0.5)]}, text="x17")
    assert [each["source"] for each in located["reasons"]] == ["x17"]


def _document(text, title=None):
    from rubricate.io.batches import as_documents
    from rubricate.io.reader import Record

    return as_documents([Record("1", text, title=title)])
