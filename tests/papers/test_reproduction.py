from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from rubricate.errors import CorpusMissing, UnknownName
from rubricate.papers import reproduction as module
from rubricate.papers.figures import Figure, Series
from rubricate.papers.reproduction import Published, Results, load_reproduction, papers, reproduce, tally
from rubricate.significance import compare, published

PAPER = "yang-liu-1999"


def test_papers_are_found_by_their_files():
    assert PAPER in papers()
    with pytest.raises(UnknownName, match="Did you mean 'yang-liu-1999'"):
        load_reproduction("yang-liu-1998")


@pytest.mark.parametrize("paper", papers())
def test_every_reproduction_is_complete(paper):
    found = load_reproduction(paper)
    assert found.title
    assert found.tables
    for note in found.notes:
        assert any(fnmatchcase(name, note["table"]) for name in found.tables)
        assert len(note["text"]) > 20
    for system in found.systems.values():
        assert system.classifier() is not None
        assert all(setting.where for setting in system.sourced.values() if setting.origin in ("paper", "program"))
    for text in (found.question, found.looked, found.then, *(found.vary[key] for key in ("what", "code", "outcome"))):
        assert len(text) > 20
    assert all(table.reason for table in found.tables.values())


def test_published_figures_are_those_of_the_paper():
    """YL99, tables 1 to 3, a cell of each."""
    tables = load_reproduction(PAPER).tables
    assert tables["1"].rows["SVM"] == {"miR": 0.8120, "miP": 0.9137, "miF1": 0.8599, "maF1": 0.5251, "error": 0.00365}
    assert tables["2"].rows["LLSF/NNet"] == {"s-test": "~", "S-test": ">>", "T-test": ">>", "T'-test": ">>"}
    assert tables["3"].rows["kNN/LLSF"] == {"miR": "<", "miP": ">>", "error": "<"}
    assert tables["text"].rows["miF1 of kNN with the top category only"] == {"value": 0.8140}
    assert sum(len(row) for row in tables["2"].rows.values()) == 40
    assert sum(len(row) for row in tables["3"].rows.values()) == 30


def test_table_3_follows_from_table_1():
    """The p-test on the published figures gives all 30 marks, so the two tables belong together."""
    tables = load_reproduction(PAPER).tables
    systems = {
        name: published(name, recall=row["miR"], precision=row["miP"], error=row["error"], n=271_710, true=3744)
        for name, row in tables["1"].rows.items()
    }
    columns = {"recall": "miR", "precision": "miP", "error": "error"}
    for pair, row in tables["3"].rows.items():
        one, other = (systems[name] for name in pair.split("/"))
        assert {columns[c.measure]: c.symbol for c in compare([one, other], tests="p", adjust="none")} == row


def test_tolerances_by_row_and_column():
    table = Published("1", "", "", {}, {"SVM": {"*": 0.006, "error": 0.1}, "*": {"miR": 0.5}})
    assert [table.tolerance(*place) for place in (("SVM", "miF1"), ("SVM", "error"), ("NB", "miR"), ("NB", "x"))] == [
        0.006,
        0.1,
        0.5,
        None,
    ]


def fake(found, tables, say):
    say("step")
    values = {(name, "SVM", "miF1"): 0.85 for name in tables if name == "1"}
    figure = Figure("figure1", "F", "x", "y", (Series("a", [1], [2]),))
    return Results({**values, ("1", "SVM, ours", "miF1"): 0.9}, {("1", "SVM"): "recovered"}, (figure,))


fake.__module__ = "rubricate.papers.yang_liu_1999"  # the TOML file lies beside the code


def test_our_figures_join_the_published_ones(monkeypatch):
    load = module.registry.load
    monkeypatch.setattr(module.registry, "load", lambda kind, name: fake if kind == module.KIND else load(kind, name))
    said = []
    cells, figures = reproduce(PAPER, tables=["1"], say=said.append)
    known = {(c.row, c.column): c for c in cells}
    assert len(cells) == 26
    assert known["SVM", "miF1"].agrees is False
    assert known["SVM", "miF1"].origin == "recovered"
    assert known["SVM", "miR"].agrees is None
    assert known["SVM, ours", "miF1"].published is None
    assert tally(cells).counted == 1
    assert said == ["step"]
    assert figures[0].name == "figure1"


def test_unknown_tables_are_named():
    with pytest.raises(UnknownName, match="no table of yang-liu-1999 named '7'"):
        reproduce(PAPER, tables=["7"])


def test_a_missing_corpus_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("RUBRICATE_DATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(CorpusMissing, match="reuters21578"):
        reproduce(PAPER, tables=["2"])
