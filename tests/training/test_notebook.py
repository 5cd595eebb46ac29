"""A categorizer in a notebook: parameters before it is fitted, then what was chosen, figures and top terms."""

from __future__ import annotations

import pytest

import rubricate as rb

TEXTS = ["wheat <b>corn", "corn exports", "crude oil", "oil gas", "gold mine", "mine ore"] * 3
LABELS = ["grain & co", "grain & co", "fuel", "fuel", "metal", "metal"] * 3


@pytest.mark.slow
def test_unfitted_and_fitted():
    model = rb.Categorizer(folds=3)
    assert "Categorizer" in model._repr_html_()
    model.fit(TEXTS, LABELS)
    bundle = model._repr_mimebundle_()
    assert bundle["text/plain"] == repr(model)
    page = bundle["text/html"]
    assert model._repr_html_() == page
    assert f"<td>{model.screening_['chosen']}</td>" in page
    assert f"<td>{model.cross_validated['micro_f1']:.4f}</td>" in page
    assert "cross-validated accuracy" in page
    assert "<td>grain &amp; co</td><td>6</td><td>" in page
    assert all(term in page for term in model.top_terms("fuel", 3))


def test_large_models_stay_short_and_say_what_is_left_out():
    labels = [f"category {number}" for number in range(18)]
    page = rb.Categorizer("knn", folds=0, cut="rcut:1").fit(TEXTS, labels)._repr_html_()
    assert "fitted with folds=0" in page
    assert "<td>8 more</td>" in page
    assert page.count("<tr>") == 1 + 6 + 1 + 11
