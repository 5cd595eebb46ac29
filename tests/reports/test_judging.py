"""The report on anyone's predictions, from Python and from the command line."""

from __future__ import annotations

import csv
import json
import re
import sys

import numpy as np
import pytest

import rubricate as rb
from rubricate import cli
from rubricate.errors import InvalidInput
from rubricate.reports.judgement import contradicted_labels
from rubricate.reports.system_tables import confusion_table, significance_matrix, sorted_categories, worst_table
from rubricate.reports.tables import Table

QUALITIES = {"best<script>": 0.9, "good": 0.7, "fair": 0.69, "poor": 0.3}


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(1)
    names = np.array(["corn", "rye", "wheat"])
    true = rng.integers(0, 3, 300)
    answers = {
        name: names[np.where(rng.random(300) < q, true, rng.integers(0, 3, 300))] for name, q in QUALITIES.items()
    }
    return names[true].tolist(), {name: part.tolist() for name, part in answers.items()}


@pytest.fixture(scope="module")
def judgement(world):
    return rb.report(*world, draws=100)


def test_a_report_from_python(judgement, tmp_path):
    assert judgement.names[0] == "best<script>"
    assert judgement.names[-1] == "poor"
    page = judgement.write(tmp_path / "out")
    text = page.read_text()
    assert "best&lt;script&gt;" in text
    assert "best<script>" not in text
    assert (
        text.index('id="ranking"') < text.index('id="groups"') < text.index('id="matrix"') < text.index('id="measures"')
    )
    rows = list(csv.DictReader((tmp_path / "out" / "tables" / "ranking.csv").open()))
    assert [row["rank"] for row in rows] == ["1", "2", "3", "4"]
    for name in ("significance_macro_f1", "significance_accuracy"):
        assert (tmp_path / "out" / "tables" / f"{name}.csv").exists()
        assert (tmp_path / "out" / "figures" / f"{name}.svg").read_text().startswith("<svg")
    for way in ("nemenyi", "wilcoxon"):
        assert (
            "mean ranks of 4 systems" in (tmp_path / "out" / "figures" / f"critical_difference_{way}.svg").read_text()
        )


def test_agreement_of_the_systems_is_that_of_the_function(judgement, world, tmp_path):
    text = judgement.write(tmp_path).read_text()
    assert 'id="agreement"' in text
    assert 'id="review"' not in text  # nobody gave probabilities
    rows = {row["on label sets"]: row for row in csv.DictReader((tmp_path / "tables" / "agreement.csv").open())}
    expected = rb.labelling.agreement([world[1][name] for name in judgement.names], draws=200)
    assert {name: float(row["estimate"]) for name, row in rows.items()} == pytest.approx(
        {name: each.estimate for name, each in expected.overall.items()}, abs=1e-4
    )
    assert rb.report(world[0], {"alone": world[1]["good"]}, draws=20).agreed is None


def test_decisions_to_check_are_those_of_review_order(tmp_path):
    rng = np.random.default_rng(3)
    truth = rng.random((60, 3)) < 0.4
    scores = np.clip(truth * 0.3 + rng.random(truth.shape) * 0.7, 0, 1)
    runs = [rb.as_run(truth.astype(int), scores=scores, name="a").cut(0.5)]
    judged = rb.report(None, runs, draws=20)
    name, found = judged.review
    assert (name, len(found.decisions)) == ("a", 20)
    expected = rb.labelling.review_order(runs[0], budget=20)
    assert [each.document for each in found.decisions] == [each.document for each in expected.decisions]
    assert "Decisions of a to check first" in judged.write(tmp_path).read_text()


def test_equal_systems_share_a_letter(judgement):
    letters = {system.system: set(system.letters) for system in judgement.ranking.systems}
    assert letters["good"] & letters["fair"]
    assert not letters["good"] & letters["poor"]


def test_nothing_is_fetched_or_run(judgement, tmp_path):
    text = judgement.write(tmp_path).read_text()
    assert "Content-Security-Policy" in text
    assert not re.search(r'(src|href)="https?:', text)
    assert " style=" not in text


def test_probabilities_get_a_reliability_diagram(tmp_path):
    rng = np.random.default_rng(2)
    truth = rng.random((80, 3)) < 0.4
    run = rb.as_run(truth.astype(int), scores=np.clip(truth * 0.5 + rng.random(truth.shape) * 0.5, 0, 1), name="a")
    judged = rb.report(None, [run], cut=0.5, draws=20)
    assert 0 <= judged.calibration["a"].ece <= 1
    assert "Reliability diagram of a" in judged.write(tmp_path).read_text()
    with pytest.raises(InvalidInput, match="--cut"):
        rb.report(None, [run])


@pytest.fixture
def rubricate(monkeypatch, capsys, tmp_path, world):
    monkeypatch.chdir(tmp_path)
    truth, answers = world
    for name, labels in {"truth": truth, **{n.split("<")[0]: a for n, a in answers.items()}}.items():
        rows = "".join(f"d{i},{label}\n" for i, label in enumerate(labels))
        (tmp_path / f"{name}.csv").write_text("document,labels\n" + rows)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rubricate", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return run


FILES = ("truth.csv", "best.csv", "good.csv", "fair.csv", "poor.csv")


@pytest.mark.slow
def test_report_from_the_command_line(rubricate, tmp_path):
    code, out, talk = rubricate("report", *FILES, "-o", "out", "--bootstrap", "50")
    assert (code, out) == (0, "out/report.html\n"), talk
    code, out, _ = rubricate("report", *FILES, "-o", "out", "--bootstrap", "50", "--by", "accuracy", "--json")
    assert json.loads(out)["systems"][0]["system"] == "best"


def test_a_bad_run_leaves_nothing_behind(rubricate, tmp_path):
    (tmp_path / "bad.csv").write_text("document,labels\nd0,Corn\n")
    code, out, talk = rubricate("report", *FILES, "bad.csv", "absent.csv", "-o", "out")
    assert (code, out) == (2, "")
    assert "3 problems" in talk
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_evaluate_ranks_sorts_and_shows_the_worst(rubricate):
    _, out, _ = rubricate("evaluate", *FILES, "--by", "macro_f1", "--bootstrap", "50", "--table", "ranking", "--csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert rows[0]["system"] == "best"
    assert {"rank", "low", "high", "ranks", "group"} <= set(rows[0])
    _, out, _ = rubricate("evaluate", "truth.csv", "poor.csv", "--worst", "2", "--table", "worst")
    assert max(map(len, out.splitlines())) <= 80
    assert len(out.strip().splitlines()) == 6
    _, out, _ = rubricate("evaluate", *FILES, "--sort", "f1", "--table", "categories", "--csv")
    values = [float(row["f1"]) for row in csv.DictReader(out.splitlines())]
    assert values == sorted(values)
    _, out, _ = rubricate("evaluate", "truth.csv", "poor.csv", "--confusion", "--table", "confusion", "--csv")
    assert sum(int(cell) for row in csv.reader(out.splitlines()[1:]) for cell in row[1:]) == 300
    code, _, talk = rubricate("evaluate", "truth.csv", "poor.csv", "--table", "nothing")
    assert code == 2
    assert "summary" in talk


def test_csv_is_one_table(rubricate):
    _, out, talk = rubricate("evaluate", "truth.csv", "poor.csv", "--per-category", "--csv")
    assert len({len(row) for row in csv.reader(out.splitlines())}) == 1
    assert "--table gives" in talk


@pytest.mark.slow
def test_matrix_and_diagram_of_compare(rubricate, tmp_path):
    for suffix in ("csv", "tex", "svg"):
        rubricate("compare", *FILES, "--tests", "permutation:macro_f1", "--matrix", f"m.{suffix}")
    rows = list(csv.DictReader((tmp_path / "m.csv").open()))
    assert [row["system"] for row in rows] == ["best", "good", "fair", "poor"]
    assert float(rows[0]["poor"]) < 0.05 < float(rows[1]["fair"])
    assert r"\toprule" in (tmp_path / "m.tex").read_text()
    assert (tmp_path / "m.svg").read_text().startswith("<svg")
    for way in ("nemenyi", "wilcoxon"):
        rubricate("compare", *FILES, "--diagram", f"{way}.svg", "--diagram-by", way)
        assert "Critical-difference diagram" in (tmp_path / f"{way}.svg").read_text()


def test_json_has_adjusted_p_that_holm_can_accept(rubricate):
    _, out, _ = rubricate("compare", *FILES, "--json")
    results = json.loads(out)["comparisons"]
    assert all(result["adjusted_p"] >= result["p_value"] for result in results)
    best = [r for r in results if (r["a"], r["b"]) == ("best", "poor")]
    assert all(r["better"] == "a" and r["adjusted_p"] < 1e-6 for r in best)


def test_notebooks_and_frames(world):
    truth, answers = world
    run = rb.as_run(truth, answers["good"], name="good")
    result = rb.evaluate(run, bootstrap=20)
    comparison = rb.compare([run, rb.as_run(truth, answers["poor"], name="poor")])
    for thing in (run, result, comparison):
        assert len(repr(thing)) < 300
        assert thing._repr_html_().startswith("<table>")
        assert len(thing.to_frame())
    assert set(result.to_frame().columns) == {"measure", "value", "low", "high"}
    assert len(result.to_frame(per_category=True)) == 3
    corpus = rb.load("newswire", documents=500)
    assert "<table>" in corpus._repr_html_()
    assert set(corpus.to_frame().columns) == {"id", "split", "text", "labels"}


def test_long_latex_tables_break_over_pages():
    table = Table(("a", "b"), [(str(i), 0.5) for i in range(60)], title="Long & wide")
    text = table.to_latex(label="tab:x")
    assert text.startswith(r"\begin{longtable}{lr}")
    assert r"\caption{Long \& wide}\label{tab:x}" in text
    assert r"\label{tab:y}" in Table(("a",), [("1",)], title="t").to_latex(label="tab:y")


def test_tables_of_judging(world):
    truth, answers = world
    run = rb.as_run(truth, answers["poor"], name="poor")
    result = rb.evaluate(run)
    assert [row[0] for row in worst_table([result], 3).rows] == [
        result.categories[c] for c in np.argsort(result.per_category["f1"])
    ]
    matrix = confusion_table(run)
    assert sum(row[1 + k] for k, row in enumerate(matrix.rows)) == round(300 * result.summaries["accuracy"])
    table = sorted_categories(Table(("x", "y"), [("a", 2.0), ("b", None), ("c", 1.0)]), "Y")
    assert [row[0] for row in table.rows] == ["c", "a", "b"]
    assert significance_matrix(["a", "b"], []).rows[0] == ("a", None, None)


def test_labels_that_most_systems_contradict_are_listed(tmp_path):
    """Three of four systems say rye of d1, which is labelled corn; two of four are no majority."""
    truth = ["corn", "rye", "corn", "wheat"]
    systems = {
        "a": ["rye", "rye", "corn", "corn"],
        "b": ["rye", "rye", "corn", "corn"],
        "c": ["rye", "rye", "corn", "wheat"],
        "d": ["corn", "rye", "corn", "wheat"],
    }
    judged = rb.report(truth, systems, draws=20)
    table = contradicted_labels(judged.runs)
    assert [row[1:] for row in table.rows] == [("corn", "rye", 3, 1)]
    page = judged.write(tmp_path).read_text()
    assert "Labels that most systems contradict" in page
    assert "most of the 4 systems give: 1." in page
    assert contradicted_labels(judged.runs[:2]).rows == []
