"""`rubricate compare` as a new user meets it."""

from __future__ import annotations

import csv
import importlib
import io
import json
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import rubricate as rb
from rubricate import registry
from rubricate.cli import build
from rubricate.errors import InvalidInput, RubricateError, UnknownName
from rubricate.io.predictions import read_runs

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).parents[1] / "golden"
KEYS = {"a", "b", "test", "measure", "statistic", "p_value", "adjusted_p", "n", "symbol", "better"}


def compare(*arguments: object) -> Result:
    done = CliRunner().invoke(build(), ["compare", *map(str, arguments)])
    if isinstance(done.exception, RubricateError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def results(*arguments: object) -> list[dict]:
    return json.loads(compare(*arguments, "--json").stdout)["comparisons"]


def write_wide(path: Path, labels: np.ndarray, prefix: str = "d") -> Path:
    rows = [f"{prefix}{d},{';'.join(f'c{c}' for c in np.flatnonzero(row))}" for d, row in enumerate(labels)]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(["document,labels", *rows]) + "\n", encoding="utf-8")
    return path


def write_scores(path: Path, scores: np.ndarray) -> Path:
    rows = [f"d{d},c{c},{scores[d, c]:.6f}" for d, c in np.ndindex(*scores.shape)]
    path.write_text("\n".join(["document,category,score", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> tuple[Path, np.ndarray]:
    folder, rng = tmp_path_factory.mktemp("compare"), np.random.default_rng(0)
    truth = rng.random((160, 8)) < 0.2
    write_wide(folder / "truth.csv", truth)
    for name, noise in (("svm", 0.03), ("knn", 0.05), ("nb", 0.12)):
        write_wide(folder / f"{name}.csv", truth ^ (rng.random(truth.shape) < noise))
    for name, noise in (("bert", 0.2), ("bow", 0.45)):
        write_scores(folder / f"{name}.csv", truth + rng.normal(0, noise, truth.shape))
    (folder / "train.csv").write_text("category,count\n" + "".join(f"c{c},{10 * c + 5}\n" for c in range(8)))
    return folder, truth


def test_json_has_every_pair_test_and_key(world) -> None:
    folder, _ = world
    found = results(folder / "truth.csv", *(folder / f"{n}.csv" for n in ("svm", "knn", "nb")), "--tests", "paper")
    assert all(set(one) >= KEYS for one in found)
    assert {(one["a"], one["b"]) for one in found} == {("svm", "knn"), ("svm", "nb"), ("knn", "nb")}
    assert [(one["test"], one["measure"]) for one in found[::3]] == [
        ("s", ""),
        ("S", "f1"),
        ("T", "f1"),
        ("T'", "f1"),
        ("p", "recall"),
        ("p", "precision"),
        ("p", "error"),
    ]
    error = next(one for one in found if one["measure"] == "error" and one["b"] == "nb")
    assert (error["symbol"], error["better"]) == ("<<", "a")


def test_the_numbers_are_those_of_the_library(world) -> None:
    folder, _ = world
    runs = read_runs(folder / "truth.csv", [folder / "svm.csv", folder / "nb.csv"])
    expected = rb.compare(runs).to_dict()["comparisons"]
    assert results(folder / "truth.csv", folder / "svm.csv", folder / "nb.csv") == expected


def test_text_is_yl99s_tables(world) -> None:
    folder, _ = world
    text = compare(folder / "truth.csv", folder / "svm.csv", folder / "nb.csv", "--tests", "paper").stdout
    assert "s-test  S-test  T-test  T'-test" in text
    assert "miR  miP  error" in text
    assert "undefined:zero" in text


def test_other_forms(world) -> None:
    folder, _ = world
    files = [folder / "truth.csv", folder / "svm.csv", folder / "nb.csv", "--tests", "paper"]
    latex = compare(*files, "--latex").stdout
    assert r"\toprule" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 2
    assert "| sysA | sysB |" in compare(*files, "--markdown").stdout
    rows = list(csv.DictReader(io.StringIO(compare(*files, "--csv").stdout)))
    assert len(rows) == 7
    assert float(rows[0]["p"]) == results(*files)[0]["p_value"]
    assert "e-" in compare(*files, "--details").stdout, "small p-values keep their exponent"
    with pytest.raises(InvalidInput, match="at once"):
        compare(*files, "--json", "--csv")


def test_options_reach_the_tests(world) -> None:
    folder, _ = world
    files = [folder / "truth.csv", folder / "svm.csv", folder / "knn.csv"]
    found = results(*files, "--tests", "s, T',p:accuracy,permutation:micro_f1", "--exact", "--samples", 99, "--seed", 3)
    assert [(one["test"], one["measure"], one["method"]) for one in found] == [
        ("s", "", "binomial"),
        ("T'", "f1", "sign flips, exact"),
        ("p", "accuracy", "fisher"),
        ("permutation", "micro_f1", "99 random swaps, seed 3"),
    ]
    mid = results(*files, "--tests", "s", "--mid-p")[0]
    assert mid["p_value"] < found[0]["p_value"]


@pytest.mark.parametrize("adjust", ["holm", "bh", "none"])
def test_corrections(world, adjust: str) -> None:
    folder, _ = world
    files = [folder / f"{n}.csv" for n in ("truth", "svm", "knn", "nb")]
    found = results(*files, "--adjust", adjust, "--tests", "S")
    changed = [one["adjusted_p"] != one["p_value"] for one in found]
    assert any(changed) == (adjust != "none")


def test_scores_are_cut_or_ranked(world) -> None:
    folder, _ = world
    files = [folder / "truth.csv", folder / "bert.csv", folder / "bow.csv"]
    found = results(*files, "--cut", "fixed:0.5", "--tests", "paper")
    assert next(one for one in found if one["test"] == "s")["better"] == "a"
    ranked = results(*files, "--tests", "ranking_t,ranking_sign,ranking_permutation")
    assert [one["better"] for one in ranked] == ["a", "a", "a"]
    with pytest.raises(InvalidInput, match="--cut"):
        compare(*files)


def test_by_frequency(world) -> None:
    folder, _ = world
    files = [folder / "truth.csv", folder / "svm.csv", folder / "nb.csv"]
    trained = [*files, "--by-frequency", "--train-counts", folder / "train.csv"]
    bands = [(one["band"], one["test"]) for one in results(*trained, "--bands", 2, "--tests", "s,S")]
    assert bands == [("1–38", "s"), ("1–38", "S"), ("39–76", "s"), ("39–76", "S")]
    assert [one["band"] for one in results(*trained, "--edges", "0,20,80", "--tests", "s")] == ["1–20", "21–80"]
    edges = ["--edges", "0,20,80", "--tests", "s"]
    assert results(*files, "--train-counts", folder / "train.csv", *edges) == results(*trained, *edges)
    with pytest.raises(InvalidInput, match="--train-counts"):
        compare(*files, *edges)
    with pytest.raises(InvalidInput, match="--train-counts"):
        compare(*files, "--by-frequency")
    with pytest.raises(InvalidInput, match="whole numbers"):
        compare(*trained, "--edges", "a,b")


def test_published_figures_give_yl99s_table_3() -> None:
    found = results("--counts", GOLDEN / "yangliu1999_table1.csv", "--adjust", "none")
    marks = {(one["a"], one["b"], one["measure"]): one["symbol"] for one in found}
    mirrored = str.maketrans("<>", "><")
    with (GOLDEN / "yangliu1999_table3.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            for measure in ("recall", "precision", "error"):
                pair = (row["sysA"], row["sysB"], measure)
                ours = marks[pair] if pair in marks else marks[row["sysB"], row["sysA"], measure].translate(mirrored)
                assert ours == row[measure], pair


def test_a_run_beside_published_counts(world, tmp_path: Path) -> None:
    folder, _ = world
    path = tmp_path / "paper.csv"
    path.write_text("system,tp,fp,fn,tn\npaper,150,100,100,930\n")
    done = compare(folder / "truth.csv", folder / "svm.csv", "--counts", path, "--json")
    found = json.loads(done.stdout)
    assert {(one["a"], one["b"], one["test"]) for one in found["comparisons"]} == {("paper", "svm", "p")}
    assert "Left out" in done.stderr


def test_two_collections(world) -> None:
    folder, _ = world
    rng = np.random.default_rng(5)
    truth = rng.random((140, 8)) < 0.2
    write_wide(folder / "truth_b.csv", truth, "e")
    write_wide(folder / "nnet.csv", truth ^ (rng.random(truth.shape) < 0.03), "e")
    write_wide(folder / "b" / "knn.csv", truth ^ (rng.random(truth.shape) < 0.06), "e")
    two = results(folder / "truth.csv", folder / "nnet.csv", folder / "nb.csv", "--truth-b", folder / "truth_b.csv")
    assert [(one["a"], one["b"], one["test"]) for one in two] == [("nb", "nnet", "p")] * 3
    arguments = [folder / "truth.csv", *(folder / n for n in ("nb.csv", "knn.csv", "nnet.csv", "b/knn.csv"))]
    four = results(*arguments, "--truth-b", folder / "truth_b.csv", "--baseline", "knn")
    through = [one for one in four if one["test"] == "indirect"]
    assert {(one["a"], one["b"]) for one in through} == {("nb", "nnet")}
    assert {one["measure"] for one in through if one["better"] == "b"} >= {"error"}
    with pytest.raises(InvalidInput, match="all runs belong"):
        compare(folder / "truth.csv", folder / "svm.csv", folder / "nb.csv", "--truth-b", folder / "truth_b.csv")


def test_collections_with_the_same_ids_take_two_runs_in_turn(world, tmp_path: Path) -> None:
    folder, truth = world
    write_wide(tmp_path / "other.csv", truth[::-1])
    write_wide(tmp_path / "run.csv", truth[::-1])
    found = results(folder / "truth.csv", folder / "nb.csv", tmp_path / "run.csv", "--truth-b", tmp_path / "other.csv")
    assert {one["better"] for one in found} == {"b"}


def test_ten_systems_and_equal_stems(world) -> None:
    folder, truth = world
    rng = np.random.default_rng(1)
    paths = [
        write_wide(folder / f"f{i}" / "run.csv", truth ^ (rng.random(truth.shape) < 0.02 + 0.02 * i)) for i in range(10)
    ]
    found = results(folder / "truth.csv", *paths, "--tests", "s,friedman")
    assert len(found) == 90
    assert {one["a"] for one in found} == {f"f{i}/run" for i in range(9)}


def test_intersection(world, tmp_path: Path) -> None:
    folder, truth = world
    part = write_wide(tmp_path / "part.csv", truth[:100])
    with pytest.raises(InvalidInput, match="--missing drop"):
        compare(folder / "truth.csv", folder / "svm.csv", part)
    found = results(folder / "truth.csv", folder / "svm.csv", part, "--intersection", "--tests", "p:error")
    assert found[0]["n"] == 2 * 100 * 8


@pytest.mark.parametrize(
    "arguments, error, problem",
    [
        ((), InvalidInput, "nothing to compare"),
        (("truth.csv",), InvalidInput, "without runs"),
        (("truth.csv", "svm.csv"), InvalidInput, "at least 2"),
        (("truth.csv", "svm.csv", "nb.csv", "--tests", "z"), UnknownName, "no test named 'z'"),
        (("truth.csv", "svm.csv", "nb.csv", "--adjust", "hom"), UnknownName, "Did you mean 'holm'"),
        (("truth.csv", "svm.csv", "nb.csv", "--undefined", "nil"), UnknownName, "zero"),
        (("truth.csv", "svm.csv", "none.csv"), RubricateError, "none.csv"),
    ],
)
def test_wrong_usage_is_answered(world, arguments: tuple[str, ...], error: type, problem: str) -> None:
    folder, _ = world
    paths = [folder / word if word.endswith(".csv") else word for word in arguments]
    with pytest.raises(error, match=problem):
        compare(*paths)


def test_one_document_one_category_and_nothing_true(tmp_path: Path) -> None:
    none, one = np.zeros((1, 1), bool), np.ones((1, 1), bool)
    (tmp_path / "categories.txt").write_text("c0\n")
    truth, a, b = (write_wide(tmp_path / f"{n}.csv", m) for n, m in (("truth", none), ("a", none), ("b", one)))
    found = results(truth, a, b, "--categories", tmp_path / "categories.txt", "--tests", "paper")
    assert all(0 <= outcome["p_value"] <= 1 for outcome in found)
    assert {outcome["test"]: outcome["n"] for outcome in found}["s"] == 1


def test_the_help_names_every_test() -> None:
    command = importlib.import_module("rubricate.cli.compare")
    help_text = get_args(command._Tests)[1].help
    listed = set(help_text.replace(",", " ").replace(";", " ").split())
    assert {registry.load("significance", name).symbol for name in registry.names("significance")} <= listed


@pytest.mark.parametrize(
    ("option", "name", "endings"),
    [
        ("--diagram", "groups.pdf", ".svg"),
        ("--diagram", "groups", ".svg"),
        ("--matrix", "pairs.png", ".csv, .tex or .svg"),
    ],
)
def test_figures_of_other_formats_are_refused_before_anything_is_read(option, name, endings):
    with pytest.raises(InvalidInput, match=f"{option} {name}: .* ends in {endings}$"):
        compare("none.csv", "a.csv", "b.csv", option, name)
