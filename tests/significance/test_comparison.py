"""All pairs, all tests: the result, its tables, its JSON, and what goes in."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import rubricate as rb
from rubricate.errors import InvalidInput, UnknownName
from rubricate.significance import System, compare, holm

KEYS = ["a", "b", "test", "measure", "statistic", "p_value", "adjusted_p", "n", "symbol", "better"]


@pytest.fixture(scope="module")
def three(make_run, noisy):
    truth, decided = noisy(3, (200, 30), 0.03, 0.035, 0.12)
    return [
        make_run(n, truth, d, train_counts=np.arange(30)) for n, d in zip(("SVM", "kNN", "NB"), decided, strict=True)
    ]


def test_every_pair_by_every_test(three) -> None:
    found = compare(three, tests="paper")
    assert [(one.a, one.b) for one in found if one.test == "s"] == [("SVM", "kNN"), ("SVM", "NB"), ("kNN", "NB")]
    assert list(dict.fromkeys((one.test, one.measure) for one in found)) == [
        ("s", ""),
        ("S", "f1"),
        ("T", "f1"),
        ("T'", "f1"),
        ("p", "recall"),
        ("p", "precision"),
        ("p", "error"),
    ]
    assert len(found) == 21


def test_json_has_the_keys_and_is_json(three) -> None:
    found = json.loads(json.dumps(compare(three).to_dict(), allow_nan=False))
    assert {key for one in found["comparisons"] for key in one} >= set(KEYS)
    assert list(found["comparisons"][0])[: len(KEYS)] == KEYS
    assert found["convention"] == {"undefined": "zero"}


def test_what_json_cannot_write_is_null(three) -> None:
    found = compare(three, tests="bootstrap:micro_f1", samples=50)
    odd = dataclasses.replace(found.results[0], statistic=math.inf, effect=math.nan, interval=(math.nan, 0.5))
    plain = dataclasses.replace(found, results=(odd,)).to_dict()["comparisons"][0]
    assert (plain["statistic"], plain["effect"], plain["interval"]) == (None, None, [None, 0.5])


@pytest.mark.parametrize("adjust", ["holm", "bh", "none"])
def test_p_values_are_corrected_over_the_pairs_of_a_test(three, adjust: str) -> None:
    found = compare(three, adjust=adjust, tests=["T", "p:error"])
    for test in ("T", "p"):
        results = [one for one in found if one.test == test]
        raw = [one.p_value for one in results]
        if adjust == "none":
            assert [one.adjusted_p for one in results] == raw
        if adjust == "holm":
            assert [one.adjusted_p for one in results] == holm(raw).tolist()
        assert all(one.adjusted_p >= one.p_value for one in results)


def test_nemenyi_is_not_corrected_twice(three) -> None:
    for one in compare(three, tests=["friedman"]):
        assert one.adjusted_p == one.p_value
        assert "3 systems" in one.method


def test_prints_the_tables_of_yl99(three) -> None:
    text = str(compare(three, tests=["s", "S", "T", "T'", "p", "mcnemar"]))
    lines = text.splitlines()
    assert "sysA  sysB  s-test  S-test  T-test  T'-test" in lines
    assert "sysA  sysB  miR  miP  error" in lines
    assert any(line.split() == ["kNN", "NB", ">>", ">>", ">>", ">>"] for line in lines)
    assert any(line.split()[-1] == "<<" for line in lines if line.startswith("SVM   NB")), "less error is <<"
    assert "Other tests" in text


def test_a_mark_that_does_not_survive_is_in_brackets() -> None:
    counts = [(60, 40), (46, 54), (59, 41)]
    systems = [
        System(f"s{i}", table=rb.measures.Counts(*(np.array([v]) for v in (tp, 0, fn, 900))))
        for i, (tp, fn) in enumerate(counts)
    ]
    found = compare(systems, tests=["p:recall"], adjust="holm")
    assert [one.symbol for one in found] == [">", "~", "<"]
    assert "(<)" in str(found)
    assert "(<)" not in str(compare(systems, tests=["p:recall"], adjust="none"))


def test_ten_systems_at_once(make_run, noisy) -> None:
    truth, decided = noisy(5, (100, 12), *np.linspace(0.02, 0.2, 10))
    found = compare([make_run(f"run{i}", truth, d) for i, d in enumerate(decided)], tests=["s", "T", "friedman"])
    assert len(found) == 3 * 45
    best = [one for one in found if one.a == "run0" and one.b == "run9"]
    assert all(one.better == "a" for one in best)


def test_equal_names_are_told_apart(three) -> None:
    twice = [dataclasses.replace(run, name="svm") for run in three]
    assert compare(twice, tests=["s"]).systems == ("svm", "svm (2)", "svm (3)")


def test_options_reach_the_tests_that_have_them(three) -> None:
    found = compare(three, tests=["s", "T'", "permutation:macro_f1"], exact=True, samples=99, seed=4)
    methods = {one.test: one.method for one in found}
    assert methods == {"s": "binomial", "T'": "sign flips, exact", "permutation": "99 random swaps, seed 4"}


def _forms(truth: np.ndarray, decided: list[np.ndarray]):
    names = [f"c{i}" for i in range(truth.shape[1])]

    def sets(matrix: np.ndarray) -> list[set[str]]:
        return [{names[c] for c in np.flatnonzero(row)} for row in matrix]

    def shuffled(matrix: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(matrix.astype(int), columns=names)[names[::-1]]

    yield "arrays", truth, decided
    yield "sparse", sparse.csr_matrix(truth), [sparse.coo_array(d) for d in decided]
    yield "sets", sets(truth), [sets(d) for d in decided]
    yield "pandas columns", pd.Series(sets(truth)), [pd.Series(sets(d)) for d in decided]
    yield "polars columns", pl.Series([sorted(s) for s in sets(truth)]), [sets(d) for d in decided]
    yield "pandas frames", pd.DataFrame(truth, columns=names), [shuffled(d) for d in decided]
    yield "polars frames", pl.DataFrame(truth, schema=names), [pl.DataFrame(d, schema=names) for d in decided]


def test_decisions_in_any_form_give_the_same(noisy) -> None:
    truth, decided = noisy(8, (90, 7), 0.04, 0.1)
    results = {}
    for form, labels, (a, b) in _forms(truth, decided):
        found = rb.compare({"a": a, "b": b}, truth=labels)
        results[form] = [(one.test, one.measure, one.n, one.statistic, one.p_value) for one in found]
    assert all(result == results["arrays"] for result in results.values()), results


def test_categories_name_the_columns_and_the_labels(noisy) -> None:
    names = ["x", "y"]
    found = compare(
        {"a": [["x"], []], "b": np.array([[1, 0], [0, 1]])}, truth=[["x"], ["y"]], categories=names, tests="s"
    )
    assert (found.results[0].n, found.results[0].direction) == (1, -1)


@pytest.mark.parametrize(
    "runs, truth, problem",
    [
        ({"a": [{"x"}]}, [{"x"}], "at least 2"),
        ({"a": [{"x"}], "b": [{"x"}]}, None, "truth="),
        ({"a": np.eye(2), "b": np.eye(2)}, [{"x"}, {"y"}], "categories="),
        ({"a": np.eye(2), "b": np.eye(3)}, np.eye(2), "3 columns for 2 categories"),
        ({"a": [{"x"}], "b": [{"x"}, {"x"}]}, [{"x"}], "on 2 documents"),
        (
            {"a": np.eye(2), "b": np.full((2, 2), 0.25)},
            np.eye(2),
            r"hold 0\.25, which is not a label; cut the scores",
        ),
    ],
)
def test_what_cannot_be_compared(runs, truth, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        compare(runs, truth=truth)


def test_frames_with_other_columns() -> None:
    one, other = pd.DataFrame({"x": [1], "y": [0]}), pd.DataFrame({"x": [1], "z": [0]})
    with pytest.raises(InvalidInput, match="y, z"):
        compare({"a": one, "b": other}, truth=one)


def test_documents_by_name_are_brought_together_in_runs() -> None:
    frames = [pd.DataFrame({"document": ids, "labels": sets}) for ids, sets in _BY_ID]
    with pytest.raises(InvalidInput, match=r"names its documents.*as_run"):
        compare({"a": frames[1], "b": frames[2]}, truth=frames[0])
    found = compare([rb.as_run(frames[0], frame, name=name) for name, frame in zip("ab", frames[1:], strict=True)])
    assert (found.results[0].n, found.results[0].direction) == (1, -1)


_BY_ID = (
    (["1", "2"], [["x"], ["y"]]),
    (["2", "1"], [[], ["x"]]),
    (["1", "2"], [["x"], ["y"]]),
)


def test_unknown_names(three) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'micro_sign'"):
        compare(three, tests=["micro_sing"])
    with pytest.raises(UnknownName, match="recall"):
        compare(three, tests=["p:recal"])
    with pytest.raises(UnknownName, match="holm"):
        compare(three, adjust="hom")
    with pytest.raises(InvalidInput, match="takes no measure"):
        compare(three, tests=["s:recall"])
    with pytest.raises(InvalidInput, match="no test"):
        compare(three, tests=[])


def test_tests_are_left_out_only_when_not_asked_for(three) -> None:
    figures = [rb.significance.published(n, recall=r, true=500) for n, r in (("a", 0.8), ("b", 0.9))]
    found = compare(figures, tests=["p:recall"])
    assert [one.better for one in found] == ["b"]
    with pytest.raises(InvalidInput, match="no decisions"):
        compare(figures, tests=["s"])
    with pytest.raises(InvalidInput, match="no counts of each category"):
        compare(figures, tests=["T"])
    summed = [System(n, table=rb.measures.Counts(*(np.array([v]) for v in (5, 1, 2, 3)))) for n in "ab"]
    with pytest.raises(InvalidInput, match="no F1 of each category"):
        compare(summed, tests=["T"])


def test_scores_alone_ask_for_a_cut(make_run, noisy) -> None:
    truth, decided = noisy(8, (20, 4), 0.04, 0.1)
    runs = [
        dataclasses.replace(make_run(n, truth, d, scores=d.astype(float)), decisions=None)
        for n, d in zip("ab", decided, strict=True)
    ]
    with pytest.raises(InvalidInput, match="--cut"):
        compare(runs)
    assert compare(runs, tests=["ranking_t"]).results[0].test == "ranking_t"
