"""Sun and Lim 2001: the counts, the similarities, and the results of categories with enough documents."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rubricate.papers.joachims_2000 import SVMLightDefault
from rubricate.papers.reproduction import load_reproduction, reproduce, tally
from rubricate.papers.sun_lim_2001 import TreeStudy as Study
from rubricate.papers.sun_lim_2001 import base_classifier, ranked

ENOUGH = {
    "4": {"crude", "grain", "nat-gas", "ship", "corn", "wheat"},
    "5": {"livestock", "veg-oil", "carcass", "oilseed"},
    "6": {"cocoa"},
}
"""Categories with 50 or more training documents (table 2)."""


@pytest.fixture(scope="module")
def cells(reuters_folder):
    found, _ = reproduce("sun-lim-2001", tables=("figure1", "2", "3", "4", "5", "6"))
    return found


@pytest.mark.proof
def test_the_trees_are_those_of_figure_1(cells):
    assert sum(cell.agrees is True for cell in cells if cell.table == "figure1") == 40
    assert tally(cell for cell in cells if cell.table == "figure1").counted == 0


@pytest.mark.proof
def test_all_counts_of_table_2(cells):
    assert str(tally(cell for cell in cells if cell.table == "2")) == "81 same, 0 better, 0 off of 81"


@pytest.mark.proof
def test_one_reading_of_the_subtree_negatives_explains_all_six(reuters_folder):
    """Negative documents of the subtree classifier of c, with s the category beside it; printed in table 2."""
    found = load_reproduction("sun-lim-2001")
    printed = found.tables["2"].rows
    agree = dict.fromkeys(READINGS, 0)
    for name, tree in Study(found, lambda _: None).trees.items():
        labels, at = tree.train.toarray(), {one: k for k, one in enumerate(tree.categories)}
        for c in tree.below:
            (s,) = (other for other in tree.below if other != c)
            own = {one: labels[:, at[one]] for one in (c, s)}
            cover = {one: labels[:, [at[one], *(at[child] for child in tree.below[one])]].any(axis=1) for one in (c, s)}
            for reading, count in READINGS.items():
                agree[reading] += int(count(own, cover, c, s)) == printed[f"{name}: {c}, subtree"]["training −"]
    assert agree == {
        "under s, not under c (the text)": 1,
        "under s": 2,
        "under s, not labelled c": 6,
        "labelled s, not under c": 0,
        "labelled s, not labelled c": 0,
        "under s, not labelled with anything else under c": 1,
        "under s or c, not labelled c": 0,
    }


READINGS = {
    "under s, not under c (the text)": lambda own, cover, c, s: (cover[s] & ~cover[c]).sum(),
    "under s": lambda own, cover, c, s: cover[s].sum(),
    "under s, not labelled c": lambda own, cover, c, s: (cover[s] & ~own[c]).sum(),
    "labelled s, not under c": lambda own, cover, c, s: (own[s] & ~cover[c]).sum(),
    "labelled s, not labelled c": lambda own, cover, c, s: (own[s] & ~own[c]).sum(),
    "under s, not labelled with anything else under c": lambda own, cover, c, s: (
        cover[s] & ~(cover[c] & ~own[c])
    ).sum(),
    "under s or c, not labelled c": lambda own, cover, c, s: ((cover[s] | cover[c]) & ~own[c]).sum(),
}


@pytest.mark.proof
def test_figure_1_is_drawn(reuters_folder):
    _, figures = reproduce("sun-lim-2001", tables=("figure1",))
    assert [one.name for one in figures] == ["figure1-a", "figure1-b", "figure1-c"]
    assert all(one.svg.startswith("<svg") for one in figures)
    assert ">nat-gas  75<" in figures[0].svg


@pytest.mark.proof
def test_table_3_and_the_averages_of_all_trees(cells):
    assert str(tally(cell for cell in cells if cell.table == "3")) == "15 same, 0 better, 1 off of 16"
    averages = {cell.column: cell.ours for cell in cells if cell.row == "average" and cell.ours is not None}
    assert averages == pytest.approx({"tree a": 0.553, "tree b": 0.495, "tree c": 0.387}, abs=0.001)


@pytest.mark.proof
def test_results_of_categories_with_enough_documents(cells):
    """Most of 66 figures within .05, the others within .09."""
    found = [cell for cell in cells if cell.row in ENOUGH.get(cell.table, ())]
    assert len(found) == 66
    assert sum(abs(cell.ours - cell.published) <= 0.05 for cell in found) >= 60
    assert max(abs(cell.ours - cell.published) for cell in found) < 0.09


def test_every_difference_has_a_reason():
    found = load_reproduction("sun-lim-2001")
    assert all(found.note(table, row, "P") for table in ("4", "5", "6") for row in found.tables[table].rows)


def test_the_settings_tried_are_the_rows_of_their_table():
    found = load_reproduction("sun-lim-2001")
    assert [one["name"] for one in found.options["tried"]] == list(found.tables["settings"].rows)
    assert found.options["tried"][0].keys() == {"name"}, "the first row is what tables 4 to 6 are made with"


def test_svmlights_default_cost():
    X = sparse.csr_array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
    svm = load_reproduction("sun-lim-2001").systems["SVM"]
    assert isinstance(base_classifier(svm, {"bias": "penalised", "stop": "smart"}, X), SVMLightDefault)
    assert base_classifier(svm, {"C": "tree"}, X).C == 1 / 3
    lengths = base_classifier(svm, {"C": "length"}, X).C
    assert lengths == pytest.approx(((2**0.5 + 2) / 2) ** -2)
    assert base_classifier(svm, {"C": 7.0}, X).C == 7.0
    fitted = SVMLightDefault().fit(X, [1, 0])
    assert fitted.C == 1.0
    assert fitted.alpha_.max() <= 1 / 3 + 1e-9


def test_rankings_of_all_documents():
    """A category ranked perfectly and one with its only document last of three, by hand: BEP 1 and 0, 11-pt 1 and ⅓."""
    truth = sparse.csr_array([[1, 0], [0, 0], [0, 1]], dtype=bool)
    pooled, macro, eleven = ranked(np.array([[0.9, 0.8], [0.1, 0.7], [0.2, 0.3]]), truth)
    assert macro == pytest.approx(0.5)
    assert eleven == pytest.approx(2 / 3)
    assert pooled == pytest.approx(0.5)
