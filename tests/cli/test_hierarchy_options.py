"""`evaluate` and `compare` with `--hierarchy FILE`: anyone's predictions, every form of file, errors and talk."""

from __future__ import annotations

import json
import re
import sys

import pytest

from rubricate import cli

FILES = {
    "truth.csv": "document,labels\nd1,wheat\nd2,corn\nd3,wheat;grain\nd4,earn\n",
    "one.csv": "document,labels\nd1,grain\nd2,corn;ship\nd3,wheat;grain\nd4,corn\n",
    "two.csv": "document,labels\nd1,wheat\nd2,corn\nd3,wheat\nd4,earn\n",
    "tree.txt": "grain\n  corn\n  wheat\ncrude\n  ship\n",
    "tree.csv": "parent,child\ngrain,corn\ngrain,wheat\ncrude,ship\n",
    "cycle.csv": "grain,corn\ncorn,grain\n",
    "other.csv": "a,b\n",
    "similar.csv": "category,grain,corn,wheat\ngrain,1,,\ncorn,.5,1,\nwheat,.6,.7,1\n",
}


@pytest.fixture
def rubricate(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rubricate", *map(str, arguments), "--new-categories"])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return run


def test_evaluate_prints_the_tables(rubricate):
    code, out, talk = rubricate("evaluate", "truth.csv", "one.csv", "two.csv", "--hierarchy", "tree.txt")
    assert code == 0
    assert "not in the hierarchy, so they contribute nothing: earn (1 of 5 categories)" in talk
    lines = [re.split(r" {2,}", line) for line in out.splitlines()]
    row = next(line for line in lines if line[:2] == ["one", "labels with their ancestors"])
    assert row[2:6] == ["micro", ".5556", ".7143", ".6250"]
    for title in ("With the hierarchy", "By depth", "How far off wrong decisions are"):
        assert title in out
    assert rubricate("evaluate", "truth.csv", "one.csv", "two.csv", "--hierarchy", "tree.csv")[1] == out


def test_evaluate_json_and_similarity(rubricate):
    options = ("--hierarchy", "tree.csv", "--acceptable", "4", "--similarity", "similar.csv", "--json")
    code, out, _ = rubricate("evaluate", "truth.csv", "one.csv", *options)
    assert code == 0
    found = json.loads(out)["hierarchy"]
    assert set(found["micro"]) == {"distance", "similarity", "ancestors", "lca"}
    assert (found["acceptable"], found["outside"]) == (4.0, ["earn"])


@pytest.mark.parametrize("form", [["--csv", "--table", "hierarchy1"], ["--markdown"], ["--latex"]])
def test_evaluate_in_other_forms(rubricate, form):
    code, out, _ = rubricate("evaluate", "truth.csv", "one.csv", "--hierarchy", "tree.csv", *form)
    assert code == 0
    assert "labels with their ancestors" in out


def test_labels_that_the_truth_lacks_count_in_the_hierarchy_alone(rubricate):
    """`ship` is a category of the hierarchy only: hP sees it, the table of categories and its averages do not."""
    options = ("--hierarchy", "tree.csv", "--bootstrap", "50", "--json")
    code, out, _ = rubricate("evaluate", "truth.csv", "one.csv", *options)
    assert code == 0
    found = json.loads(out)
    assert "ship" not in json.dumps(found["per_category"])
    assert found["hierarchy"]["micro"]["ancestors"]["hierarchical_precision"] == pytest.approx(5 / 9)
    flat = json.loads(rubricate("evaluate", "truth.csv", "one.csv", "--json")[1])
    assert (found["micro"], found["macro"]) == (flat["micro"], flat["macro"])


def test_compare(rubricate):
    code, out, _ = rubricate("compare", "truth.csv", "one.csv", "two.csv", "--hierarchy", "tree.csv", "--json")
    assert code == 0
    found = json.loads(out)
    tests = {(one["test"], one["measure"]) for one in found["comparisons"]}
    assert ("hierarchical_permutation", "hierarchical_f1") in tests
    assert ("hierarchical_t", "extended_f1") in tests
    code, out, _ = rubricate(
        "compare", "truth.csv", "one.csv", "two.csv", "--hierarchy", "tree.csv", "--tests", "hierarchical_t:lca_f1"
    )
    assert code == 0
    assert "hierarchical_t lca_f1" in out


@pytest.mark.parametrize(
    "options, message",
    [
        (["--hierarchy", "cycle.csv"], "cycle.csv, line 2: a category cannot be below itself"),
        (["--hierarchy", "other.csv"], "no category of the run is in the hierarchy"),
        (["--hierarchy", "none.csv"], "none.csv: cannot be read"),
        (["--hierarchy", "tree.csv", "--acceptable", "0"], "acceptable distance"),
        (["--similarity", "similar.csv"], "give --hierarchy FILE"),
        (["--measure", "extended_f_beta:2"], "--hierarchy"),
    ],
)
def test_errors_say_what_to_do(rubricate, options, message):
    code, out, talk = rubricate("evaluate", "truth.csv", "one.csv", *options)
    assert (code, out) == (2, "")
    assert message in talk.replace("\n", " ")


def test_compare_without_a_hierarchy_says_so(rubricate):
    code, _, talk = rubricate("compare", "truth.csv", "one.csv", "two.csv", "--tests", "hierarchical_t")
    assert code == 2
    assert "--hierarchy FILE" in talk
