"""Sections: found by file, in order, each left out where it has nothing to show."""

import dataclasses
import importlib.metadata
import re
import types

import numpy as np
import pytest
from tests.reports.studies import full_study, small_study

from rubricate import registry
from rubricate.labels import indicator
from rubricate.reports.error_sections import chosen_cuts
from rubricate.reports.html import tag
from rubricate.reports.page import panels, render_page, scripted, section, sections
from rubricate.reports.results import results_of
from rubricate.types import Documents


@pytest.fixture(scope="module")
def results():
    return results_of(full_study())


def shown(data):
    page = render_page(results_of(data))
    return [stem for stem in sections() if f'<section id="{stem}"' in page]


@pytest.mark.slow
@pytest.mark.parametrize("stem", sections())
def test_every_section_has_a_heading_a_place_and_a_body(stem, results):
    one = sections()[stem]
    assert one.title
    assert isinstance(one.order, int)
    assert one.__name__ == stem
    assert one.__doc__
    body = one(results)
    assert body is None or body.startswith("<")


def test_orders_differ_and_sort_the_page():
    orders = [one.order for one in sections().values()]
    assert orders == sorted(set(orders))


@pytest.mark.slow
def test_a_full_study_fills_every_section(results):
    page = render_page(results)
    places = [page.index(f'<section id="{stem}"') for stem in sections() if sections()[stem](results) is not None]
    assert places == sorted(places)
    assert len(places) >= 12


def test_what_is_not_known_is_left_out():
    data = small_study(noises=(0.8,), names=("only",))
    bare = dataclasses.replace(data.runs[0], scores=None, train_counts=None)
    left = shown(dataclasses.replace(data, runs=[bare], documents=None))
    assert {"summary", "systems", "categories", "reproduce"} <= set(left)
    assert not {"significance", "frequency", "curves", "learning", "coverage"} & set(left)


@pytest.mark.slow
@pytest.mark.parametrize("undefined", ["zero", "one", "omit"])
def test_every_convention_for_nothing_by_nothing_makes_a_page(undefined):
    data = small_study(categories=[f"c{k}" for k in range(30)], documents=40, undefined=undefined, resamples=20)
    page = render_page(results_of(data))
    assert f"0/0 counts as {undefined}" in page
    assert "nan" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL).lower()


def test_nothing_labelled_and_nothing_given_is_a_page_of_dashes():
    data = small_study(noises=(0.5, 1.0), names=("a", "b"), documents=10, undefined="omit", resamples=5)
    none = indicator(np.zeros((10, 8)))
    decided = [dataclasses.replace(run.decisions, values=none) for run in data.runs]
    runs = [dataclasses.replace(run, truth=none, decisions=d) for run, d in zip(data.runs, decided, strict=True)]
    page = render_page(results_of(dataclasses.replace(data, runs=runs)))
    assert "a has the highest micro-F1, –" in page


@pytest.mark.slow
def test_single_labels_are_said_to_be_single():
    data = small_study(noises=(0.5, 1.0), names=("a", "b"))
    truth = indicator(np.eye(8)[np.arange(120) % 8])
    runs = [dataclasses.replace(run, truth=truth) for run in data.runs]
    page = render_page(results_of(dataclasses.replace(data, runs=runs, documents=None)))
    assert "Each document has exactly one." in page
    assert "Each document has exactly one." not in render_page(results_of(data))


def test_a_perfect_run_has_no_errors_to_show():
    left = shown(small_study(noises=(0.0, 0.0), names=("a", "b")))
    assert not {"errors", "suspects", "confusion"} & set(left)


def test_one_document_and_one_category_make_a_page():
    data = small_study(noises=(0.1, 0.1), names=("a", "b"), categories=("only",), documents=1)
    assert "summary" in shown(data)


@pytest.mark.slow
def test_documents_without_titles_and_without_text():
    data = small_study()
    bare = Documents(data.documents.ids, [""] * 120, data.documents.labels, data.documents.categories)
    assert "errors" in shown(dataclasses.replace(data, documents=bare))


def test_a_package_outside_adds_a_section(monkeypatch, results):
    @section("tree", "The tree", order=75)
    def tree(results):
        return tag("p", results.data.extras["tree"])

    outside = types.SimpleNamespace(name="tree", load=lambda: tree)
    known = importlib.metadata.entry_points
    found = {"rubricate.sections": [outside]}
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda *, group: found.get(group) or known(group=group))
    registry._entry_points.cache_clear()
    try:
        data = dataclasses.replace(results.data, extras={"tree": "oak & elm"})
        page = render_page(dataclasses.replace(results, data=data))
    finally:
        registry._entry_points.cache_clear()
    places = [page.index(text) for text in ('<section id="confusion"', "oak &amp; elm", '<section id="learning"')]
    assert places == sorted(places)


def test_charts_and_panels_say_what_they_are():
    assert 'data-chart="curves" data-label="F1"' in scripted("curves", {}, label="F1")
    assert 'data-panels="Test"' in panels("Test", {"s & S": scripted("curves", {}, label="x")})


def test_the_cuts_that_a_curve_shows():
    hits = np.array([0, 1, 1, 1, 2, 2, 2, 2, 3])
    kept = chosen_cuts(hits, np.arange(1, 10), corners=99, between=0)
    assert kept.tolist() == [0, 1, 3, 4, 7, 8]
    many = np.arange(1000)
    thin = chosen_cuts(many, many + 1, corners=28, between=12)
    assert len(thin) <= 40
    assert (thin[0], thin[-1]) == (0, 999)
    assert len(chosen_cuts(many[:0], many[:0], corners=5, between=5)) == 0
