"""`rubricate rules`: every command, what evaluate makes of its output, and wrong files."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest

import rubricate as rb

RULES = """
@money = dollar* or yen;
cereal: grain if wheat or title(corn);
'money-fx' if @money near/3 rose;
"""
ROWS = [("n1", "Corn", "prices fell", "grain"), ("n2", "", "the yen rose", "money-fx"), ("n3", "", "", "")]


@pytest.fixture
def rubricate(rubricate, tmp_path):
    (tmp_path / "news.rules").write_text(RULES)
    with (tmp_path / "new.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "headline", "text", "labels"), *ROWS])

    return rubricate


def test_check_says_what_is_in_a_file(rubricate, tmp_path):
    code, out, talk = rubricate("rules", "check", "news.rules")
    assert (code, talk) == (0, "")
    assert out.splitlines() == [
        "2 rules (0 learned), 1 macros, 2 categories; texts are read as alphanumeric1+stop None+stem None",
        "  grain     1",
        "  money-fx  1",
    ]
    (tmp_path / "odd.rules").write_text(
        "@a = @b; @b = x; @c = @a; @d = y; c if @d; c if @d; c if z [1 right, 0 wrong];"
    )
    found = json.loads(rubricate("rules", "check", "odd.rules", "--json")[1])
    assert found == {
        "rules": 3,
        "learned": 1,
        "macros": 4,
        "categories": {"c": 3},
        "unused_macros": ["a", "b", "c"],
        "repeated_rules": ["c if @d;"],
        "analyzer": "alphanumeric1+stop None+stem None",
    }


def test_check_knows_the_categories(rubricate, tmp_path):
    (tmp_path / "names.txt").write_text("grain\nmoney-fx\n")
    assert rubricate("rules", "check", "news.rules", "--categories", "names.txt")[0] == 0
    (tmp_path / "names.txt").write_text("grain\nmoney\n")
    code, out, talk = rubricate("rules", "check", "news.rules", "--categories", "names.txt")
    assert (code, out) == (2, "")
    assert talk.startswith(
        "rubricate: news.rules, line 4: column 1: no category named 'money-fx'. Did you mean 'money'"
    )
    assert rubricate("rules", "check", "news.rules", "--categories", "none.txt")[0] == 2


@pytest.mark.parametrize(
    "text, message",
    [
        ("grain if wheat &;", "line 1: column 16: unknown operator '&'"),
        ("grain if (wheat;", "this '(' is not closed"),
        ("@a = @a; grain if @a;", "uses itself"),
        ("analyzer stop = smart; grain if the;", "leaves nothing of 'the'"),
        ("analyzer colour = red; grain if the;", "no option of the analyzer named 'colour'"),
    ],
)
def test_wrong_files_are_told_what_is_wrong(rubricate, tmp_path, text, message):
    (tmp_path / "bad.rules").write_text(text)
    code, out, talk = rubricate("rules", "check", "bad.rules")
    assert (code, out) == (2, "")
    assert message in talk
    assert "Traceback" not in talk


def test_missing_files_and_other_files(rubricate, tmp_path):
    for command in (["check", "none.rules"], ["show", "none.rules"], ["run", "none.rules", "new.csv"]):
        code, _, talk = rubricate("rules", *command)
        assert code == 2
        assert talk.startswith("rubricate: none.rules: cannot read it (No such file or directory)")
    code, _, talk = rubricate("rules", "run", "news.rules", "none.csv")
    assert code != 0
    assert "none.csv" in talk
    (tmp_path / "broken.rubric").write_bytes(b"PK\x03\x04nonsense")
    assert "not a usable model" in rubricate("rules", "show", "broken.rubric")[2]
    assert "'rubricate rules show broken.rubric' prints its rules" in rubricate("rules", "check", "broken.rubric")[2]
    assert "only corpora have splits" in rubricate("rules", "run", "news.rules", "new.csv", "--split", "a")[2]


def test_show_prints_a_file_tidied_and_by_category(rubricate):
    shown = rubricate("rules", "show", "news.rules")[1]
    assert shown == (
        "@money = dollar* or yen;\n\ncereal: grain if wheat or title(corn);\n\nmoney-fx if @money near/3 rose;\n"
    )
    assert "grain" not in rubricate("rules", "show", "news.rules", "--category", "money-fx")[1]
    code, _, talk = rubricate("rules", "show", "news.rules", "--category", "corn")
    assert code == 2
    assert "no category with rules named 'corn'" in talk


def test_show_prints_the_rules_of_a_model_and_they_run_again(rubricate, tmp_path):
    texts = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 4
    labels = ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 4
    model = rb.Categorizer("dtree", folds=0, cut="rcut:1", engine="serial").fit(texts, labels)
    model.save(tmp_path / "tree.rubric")
    code, shown, talk = rubricate("rules", "show", "tree.rubric")
    assert (code, talk) == (0, "")
    base = rb.rules.parse_rules(shown)
    assert base.rules
    assert set(base.categories) <= {"grain", "fuel"}
    assert dict(base.analyzer)["stem"] == "porter"
    (tmp_path / "tree.rules").write_text(shown)
    (tmp_path / "texts.csv").write_text("id,text\n" + "".join(f"{i},{text}\n" for i, text in enumerate(texts)))
    rows = list(csv.DictReader(io.StringIO(rubricate("rules", "run", "tree.rules", "texts.csv")[1])))
    assert [row["labels"] for row in rows] == labels
    rb.Categorizer("knn", folds=0, cut="rcut:1", engine="serial").fit(texts, labels).save(tmp_path / "knn.rubric")
    code, _, talk = rubricate("rules", "show", "knn.rubric")
    assert code == 2
    assert "KNN has no rules" in talk


def test_run_writes_what_evaluate_reads(rubricate, tmp_path):
    code, out, talk = rubricate("rules", "run", "news.rules", "new.csv", "--title", "headline")
    assert (code, talk) == (0, "")
    assert out.splitlines() == ["id,labels", "n1,grain", "n2,money-fx", "n3,"]
    assert rubricate("rules", "run", "news.rules", "new.csv", "--title", "headline", "-o", "run.csv")[:2] == (0, "")
    code, out, talk = rubricate("evaluate", "new.csv", "run.csv", "--json")
    assert code == 0, talk
    assert json.loads(out)["micro"]["f1"] == 1.0


def test_run_with_scores_and_explanations(rubricate):
    arguments = ("rules", "run", "news.rules", "new.csv", "--title", "headline")
    assert rubricate(*arguments, "--top", 2)[1].splitlines()[:3] == [
        "id,category,score,decision",
        "n1,grain,1.0,1",
        "n1,money-fx,0.0,0",
    ]
    rows = list(csv.DictReader(io.StringIO(rubricate(*arguments, "--explain")[1])))
    assert rows[0]["evidence"] == "grain: cereal (title(corn): [corn]) +1.000"
    assert rows[1]["evidence"] == "money-fx: rule 2 ((dollar* or yen) near/3 rose: the [yen rose]) +1.000"
    first = json.loads(rubricate(*arguments, "--explain", "--json")[1].splitlines()[0])
    assert first == {
        "id": "n1",
        "labels": ["grain"],
        "confidence": None,
        "scores": {"grain": 1.0},
        "evidence": [],
        "reasons": [
            {
                "category": "grain",
                "source": "cereal (title(corn): [corn])",
                "kind": "rule",
                "weight": 1.0,
                "detail": "cereal: grain if wheat or title(corn);",
            }
        ],
    }


def test_run_reads_standard_input_and_minds_the_separator(rubricate, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"id": "a", "text": "wheat"}\n')))
    assert rubricate("rules", "run", "news.rules", "-")[1].splitlines() == ["id,labels", "a,grain"]
    (tmp_path / "odd.rules").write_text("'a;b' if wheat;")
    code, _, talk = rubricate("rules", "run", "odd.rules", "new.csv")
    assert code == 2
    assert "--separator or --json" in talk


def test_ctrl_c_is_one_word(rubricate, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("rubricate.rules.parser.parse_rules", interrupted)
    code, _, talk = rubricate("rules", "check", "news.rules")
    assert code == 130
    assert talk.splitlines()[-1] == "rubricate: interrupted"
