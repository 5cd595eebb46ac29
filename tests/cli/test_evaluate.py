"""`rubricate evaluate` as a new user meets it: exports of other tools, every output, errors and exit codes."""

from __future__ import annotations

import csv
import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, precision_score
from sklearn.multiclass import OneVsRestClassifier

from rubricate import cli
from rubricate.training.categorizer import Categorizer

pytestmark = pytest.mark.slow

TRUTH = "document,labels\nd1,earn\nd2,acq;earn\nd3,\n"
SCORED = "document,category,score\nd1,earn,0.9\nd1,acq,0.2\nd2,acq,0.7\nd2,earn,0.1\nd3,acq,0.3\nd3,earn,0\n"
DECIDED = "document,labels\nd1,earn\nd2,acq\nd3,acq\n"


@pytest.fixture
def rubricate(monkeypatch, capsys, tmp_path):
    """Run the program in a folder of files; gives its exit code, output and talk."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"truth.csv": TRUTH, "scored.csv": SCORED, "decided.csv": DECIDED}.items():
        (tmp_path / name).write_text(text)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rubricate", "evaluate", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return run


def test_the_table(rubricate):
    code, out, talk = rubricate("truth.csv", "decided.csv")
    assert (code, talk) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["system", "miR", "miP", "miF1", "maF1", "error"]
    assert lines[2].split() == ["decided", ".6667", ".6667", ".6667", ".6667", ".3333"]
    assert [line.split()[0] for line in lines[3:5]] == ["rejector", "acceptor"]
    assert "3 documents, 2 categories, 0/0 counts as zero" in out


def test_json_has_one_object_a_run(rubricate):
    code, out, _ = rubricate("truth.csv", "scored.csv", "decided.csv", "--json", "--intersection")
    assert code == 0
    first, second = map(json.loads, out.splitlines())
    for one in (first, second):
        assert {"micro", "macro", "per_category", "ranking", "convention", "run"} <= set(one)
    assert (first["run"], second["run"]) == ("scored", "decided")
    assert first["micro"] == {}
    assert first["ranking"]["eleven_point"] == 1.0
    assert first["ranking"]["by_category"]["average_precision"] == pytest.approx((1 + (1 + 2 / 2) / 2) / 2)
    assert second["micro"]["f1"] == pytest.approx(2 / 3)
    assert second["per_category"]["acq"]["fp"] == 1
    assert second["convention"] == "zero"


def test_scores_without_a_cut_are_ranked_and_the_user_is_told(rubricate):
    code, out, talk = rubricate("truth.csv", "scored.csv")
    assert code == 0
    assert "--cut makes some" in talk
    assert "Ranking" in out


@pytest.mark.parametrize("cut, f1", [("fixed:0.5", 0.8), ("rcut:1", 2 / 3), ("0.5", 0.8), ("fixed:2", 0.0)])
def test_cuts(rubricate, cut, f1):
    code, out, _ = rubricate("truth.csv", "scored.csv", "--cut", cut, "--json")
    assert code == 0
    assert json.loads(out)["micro"]["f1"] == pytest.approx(f1)
    assert f"cut:{cut}" in json.loads(out)["signature"]


def test_a_cut_that_learns_needs_held_out_scores(rubricate, tmp_path):
    code, _, talk = rubricate("truth.csv", "scored.csv", "--cut", "scut")
    assert code == 2
    assert "--held-out" in talk
    code, out, _ = rubricate(
        "truth.csv", "scored.csv", "--cut", "scut", "--held-out", "truth.csv", "--held-out-run", "scored.csv", "--json"
    )
    assert code == 0
    assert json.loads(out)["micro"]["f1"] >= 0.5


def test_pcut_needs_training_labels(rubricate):
    code, _, talk = rubricate("truth.csv", "scored.csv", "--cut", "pcut:1")
    assert code == 2
    assert "--train FILE" in talk
    assert rubricate("truth.csv", "scored.csv", "--cut", "pcut:1", "--train", "truth.csv")[0] == 0


def test_a_cut_without_scores_is_refused(rubricate):
    code, _, talk = rubricate("truth.csv", "decided.csv", "--cut", "rcut:1")
    assert code == 2
    assert "no run has scores for --cut" in talk
    code, out, _ = rubricate("truth.csv", "decided.csv", "scored.csv", "--cut", "fixed:0.5", "--json")
    first, second = map(json.loads, out.splitlines())
    assert (first["micro"]["f1"], second["micro"]["f1"]) == (pytest.approx(2 / 3), pytest.approx(0.8))
    assert "cut:" not in first["signature"]


def test_csv_keeps_all_digits(rubricate):
    _, out, _ = rubricate("truth.csv", "decided.csv", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert float(rows[0]["miF1"]) == 2 / 3


def test_markdown_and_latex(rubricate):
    assert "| decided | .6667 |" in rubricate("truth.csv", "decided.csv", "--markdown")[1]
    out = rubricate("truth.csv", "decided.csv", "--latex")[1]
    assert r"\toprule" in out
    assert r"decided & .6667" in out


def test_one_form_at_a_time(rubricate):
    code, _, talk = rubricate("truth.csv", "decided.csv", "--csv", "--json")
    assert code == 2
    assert "give one of them" in talk


def test_per_category_by_frequency_and_intervals(rubricate, tmp_path):
    (tmp_path / "counts.csv").write_text("category,count\nearn,40\nacq,3\n")
    arguments = ("truth.csv", "decided.csv", "--per-category", "--by-frequency", "--bootstrap", "30")
    code, out, talk = rubricate(*arguments)
    assert code == 2
    assert "--train-counts" in talk
    code, out, talk = rubricate(*arguments, "--train-counts", "counts.csv", "--bands", "4")
    assert code == 0
    for title in ("Per category", "F1 by training documents", "Intervals of 95% confidence"):
        assert title in out
    assert "31  40" in out
    code, out, _ = rubricate(*arguments, "--train", "truth.csv", "--highest", "60")
    assert code == 0


def test_more_measures_and_conventions(rubricate):
    _, out, _ = rubricate("truth.csv", "decided.csv", "--measure", "f_beta:2", "--undefined", "omit")
    assert "mi f_beta:2" in out
    assert "0/0 counts as omit" in out
    code, _, talk = rubricate("truth.csv", "decided.csv", "--undefined", "never")
    assert code == 2
    assert "Known: omit, one, zero" in talk


def test_ten_systems_at_once(rubricate, tmp_path):
    for i in range(10):
        (tmp_path / f"system{i}.csv").write_text(DECIDED)
    _, out, _ = rubricate("truth.csv", *(f"system{i}.csv" for i in range(10)))
    assert sum(line.startswith("system") for line in out.splitlines()) == 11


@pytest.mark.parametrize(
    "text, message",
    [
        ("document,labels\nd1,earn\n", "no row for 2 documents of the truth (d2, d3)"),
        ("document,labels\nd1,wheat\nd2,\nd3,\n", "categories are not in the truth: wheat"),
        ("document,category\nd1,earn\nd1,earn\n", "line 3: document 'd1' has category 'earn' twice"),
        ("document,category,score\nd1,earn,nan\n", "line 2: the score is NaN"),
        ("document,category\n", "the file has no rows"),
        ("", "the file is empty"),
    ],
)
def test_bad_files_end_with_one_sentence_and_code_2(rubricate, tmp_path, text, message):
    (tmp_path / "bad.csv").write_text(text)
    code, out, talk = rubricate("truth.csv", "bad.csv")
    assert (code, out) == (2, "")
    assert message in talk
    assert "Fix:" in talk
    assert "Traceback" not in talk


def test_edges_one_document_one_category_and_nothing_true(rubricate, tmp_path):
    (tmp_path / "none.csv").write_text("document,category,decision\nd,a,0\n")
    (tmp_path / "run.csv").write_text("document,category\nd,a\n")
    code, out, _ = rubricate("none.csv", "run.csv", "--json")
    assert code == 0
    assert json.loads(out)["micro"]["f1"] == 0.0


class TestNewUsers:
    """Predictions as people have them."""

    def test_exported_from_scikit_learn(self, rubricate, tmp_path):
        X, Y = make_multilabel_classification(n_samples=150, n_classes=5, random_state=1)
        model = OneVsRestClassifier(LogisticRegression(max_iter=1000)).fit(X[:90], Y[:90])
        names = [f"topic {i}" for i in range(5)]
        frames = {"truth": Y[90:], "predicted": model.predict(X[90:]), "proba": model.predict_proba(X[90:])}
        for name, values in frames.items():
            pd.DataFrame(values, columns=names).to_csv(tmp_path / f"{name}.csv")
        _, out, _ = rubricate("truth.csv", "predicted.csv", "--json")
        found = json.loads(out)
        assert found["micro"]["f1"] == pytest.approx(f1_score(Y[90:], frames["predicted"], average="micro"))
        assert found["macro"]["f1"] == pytest.approx(f1_score(Y[90:], frames["predicted"], average="macro"))
        _, out, _ = rubricate("truth.csv", "proba.csv", "--cut", "fixed:0.5", "--json")
        assert json.loads(out)["micro"]["precision"] == pytest.approx(
            precision_score(Y[90:], frames["proba"] >= 0.5, average="micro")
        )
        assert json.loads(out)["probability"]["brier"] == pytest.approx(np.mean((frames["proba"] - Y[90:]) ** 2))

    def test_a_fasttext_label_file(self, rubricate, tmp_path):
        (tmp_path / "test.txt").write_text("__label__earn profit up\n__label__acq buys\n__label__earn x\n")
        (tmp_path / "predicted.txt").write_text("__label__earn\n__label__acq\n__label__acq\n")
        (tmp_path / "proba.txt").write_text("__label__earn 0.9\n__label__acq 0.8\n__label__acq 0.6 __label__earn 0.4\n")
        _, out, _ = rubricate("test.txt", "predicted.txt", "--json")
        assert json.loads(out)["micro"]["f1"] == pytest.approx(2 / 3)
        _, out, _ = rubricate("test.txt", "proba.txt", "--cut", "rcut:1", "--json")
        assert json.loads(out)["micro"]["f1"] == pytest.approx(2 / 3)

    def test_a_spreadsheet(self, rubricate, tmp_path):
        truth = "\ufeffid;labels\r\n1;Getreide\r\n2;Öl\r\n3;\r\n"
        run = "\ufeffid;label;score\r\n1;Getreide;0,75\r\n2;Öl;0,5\r\n3;Öl;0,25\r\n"
        (tmp_path / "truth.csv").write_text(truth, encoding="utf-8", newline="")
        (tmp_path / "sheet.csv").write_text(run, encoding="utf-8", newline="")
        code, out, talk = rubricate("truth.csv", "sheet.csv", "--cut", "fixed:0.4", "--json")
        assert code == 0, talk
        assert json.loads(out)["micro"]["f1"] == 1.0
        assert set(json.loads(out)["per_category"]) == {"Getreide", "Öl"}

    def test_a_trec_run_with_qrels(self, rubricate, tmp_path):
        (tmp_path / "truth.qrels").write_text("d1 0 earn 1\nd2 0 acq 1\n")
        (tmp_path / "sys.run").write_text("d1 Q0 earn 1 3.5 s\nd1 Q0 acq 2 1 s\nd2 Q0 earn 1 2 s\nd2 Q0 acq 2 1 s\n")
        _, out, _ = rubricate("truth.qrels", "sys.run", "--json")
        assert json.loads(out)["ranking"]["average_precision"] == 0.75
        assert json.loads(out)["ranking"]["eleven_point"] == 0.75


def test_the_categories_of_the_model_that_decided(rubricate, tmp_path):
    """A model may give labels that no test document has; macro-averages are then over all categories of the model."""
    texts = ["profit rose", "profit fell", "company bought", "company sold", "wheat crop", "wheat harvest"]
    model = Categorizer("nb", representation="terms", select=None, folds=2)
    model.fit(texts, ["earn", "earn", "acq", "acq", "wheat", "wheat"]).save(tmp_path / "model.rubric")
    (tmp_path / "more.csv").write_text("document,labels\nd1,earn\nd2,wheat\nd3,\n")
    assert rubricate("truth.csv", "more.csv")[0] == 2
    code, out, _ = rubricate("truth.csv", "more.csv", "--categories", "model.rubric")
    assert code == 0
    assert "3 documents, 3 categories" in out
