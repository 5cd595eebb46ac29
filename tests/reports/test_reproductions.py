from __future__ import annotations

from rubricate.papers.reproduction import load_reproduction, make_cell
from rubricate.reports.reproductions import compact, differences, in_full, remarks, settings, tallies, to_page
from rubricate.reports.tables import render

CELLS = [
    make_cell("p", "1", row="SVM", column="miF1", published=0.8599, ours=0.8633, tolerance=0.006, origin="recovered"),
    make_cell("p", "1", row="SVM", column="error", published=0.00365, ours=0.00457, tolerance=0.0006, note="because"),
    make_cell("p", "1", row="SVM, ours", column="miF1", published=None, ours=0.89, origin="cross-validation"),
    make_cell("p", "2", row="SVM/NNet", column="s-test", published=">>", ours=">", note="ours is better"),
    make_cell("p", "2", row="SVM/kNN", column="s-test", published=">", ours=">"),
]


def test_ours_stand_beside_the_published_and_recovered_rows_are_marked():
    text = render(compact("Table 1", CELLS[:3]), "text")
    assert "SVM*" in text
    assert "SVM, ours†" in text
    assert ".8633 (.8599)" in text
    assert ".00457 (.00365) ≠" in text
    assert "1 same, 0 better, 1 off of 2" in text
    assert "recovered" in text


def test_the_long_form_has_the_difference():
    rows = in_full("", CELLS[:2]).rows
    assert rows[0] == ("SVM*", "miF1", ".8599", ".8633", "+.00340", ".00600", "same")
    assert rows[1][-1] == "off"


def test_disagreements_come_with_their_reason():
    assert [row[-1] for row in differences(CELLS).rows] == ["because", "ours is better"]


def test_pairs_with_one_system_are_counted_apart():
    found = {name: str(one) for name, one in tallies(CELLS).items()}
    assert found["table 2"] == "1 same, 0 better, 1 off of 2"
    assert found["table 2, pairs without NNet"] == "1 same, 0 better, 0 off of 1"
    assert found["table 2, pairs with NNet"] == "0 same, 0 better, 1 off of 1"


def test_every_note_is_printed_once_with_its_cells():
    cells = [
        make_cell("p", "1", row="SVM", column=str(k), published=1.0, ours=2.0, better=1, note="why") for k in range(6)
    ]
    assert remarks(cells).rows == [("1", "SVM: 0; SVM: 1; SVM: 2; SVM: 3; and 2 more", "better", "why")]


def test_figures_that_are_not_counted_look_different():
    cell = make_cell("p", "1", row="SVM", column="miF1", published=0.8, ours=0.9, counted=False)
    assert ".9000 [.8000]" in render(compact("", [cell]), "text")


def test_the_page_has_tables_reasons_and_settings():
    found = load_reproduction("yang-liu-1999")
    page = to_page(found, CELLS, figures=["figure1.svg"])
    for part in ("# A re-examination", "Table 1", "![figure1.svg](figure1.svg)", "What is off", "recovered", "C"):
        assert part in page
    assert all(row[3] for row in settings(found).rows)
