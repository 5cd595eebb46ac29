"""Every problem of every submission at once."""

import re

import pytest

from rubricate.io.prediction_checks import check_files
from rubricate.io.predictions import read_runs

TRUTH = "document,labels\nd1,corn\nd2,wheat\nd3,corn;rye\n"
GOOD = TRUTH

BAD = {
    "empty": ("", "the file is empty"),
    "array.json": ('[{"document": "d1", "labels": ["corn"]}]', "JSON array"),
    "trec": ("d1 Q0 corn 1 0.9 t\nd2 Q0 wheat 1 high t\nd3 Q0 corn 1 0.8 t\n", "score 'high' must be numbers"),
    "short.trec": ("d1 Q0 corn 1 0.9 t\nd2 Q0\nd3 Q0 corn 1 0.8 t\n", "2 fields"),
    "percent.csv": ("document,corn,wheat,rye\nd1,93,5,2\nd2,10,80,10\nd3,50,0,50\n", "look like percent"),
    "column.csv": ("document,corn,wheat\nd1,1,0\nd2,0,1\nd3,1,0\n", r"no column for 1 of the 3 categories \(rye\)"),
    "spelling.csv": ("document,labels\nd1,Corn\nd2,wheat\nd3,\n", "1 categories are not in the truth: Corn"),
    "others.csv": ("document,labels\nx1,corn\nx2,wheat\n", "share no document"),
    "partly.csv": ("document,labels\nd1,corn\nd9,wheat\n", r"not in the truth \(d9\), and no row for 2"),
    "twice.csv": ("document,labels\nd1,corn\nd1,wheat\nd2,\nd3,\n", "'d1' occurs twice"),
    "cells.csv": ("document,labels\nd1,corn,wheat\nd2,\nd3,\n", "3 cells, the header has 2"),
    "nan.csv": ("document,category,score\nd1,corn,nan\nd2,wheat,1\nd3,corn,1\n", "NaN"),
    "pmid.csv": ("pmid,labels\nd1,corn\nd2,wheat\nd3,corn\n", "'pmid', 'labels'"),
    "lines.jsonl": ('{"document": "d1", "labels": []}\n{broken\n3\n', "broken JSON"),
}


@pytest.fixture
def save(tmp_path):
    def write(text, name):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def truth(save):
    return save(TRUTH, "truth.csv")


def problems(truth, *runs, **options):
    return [(each.path.name, each.line, each.problem) for each in check_files(truth, runs, **options)]


def test_good_files_have_no_problem(save, truth):
    assert check_files(truth, [save(GOOD, "good.csv")]) == []


@pytest.mark.parametrize("name", BAD)
def test_each_problem_is_noticed_with_a_remedy(name, save, truth):
    text, expected = BAD[name]
    path = save(text, name)
    every = check_files(truth, [path])
    assert any(re.search(expected, each.problem) for each in every), every
    assert all(each.path == path and each.remedy for each in every)


def test_all_files_at_once(save, truth, tmp_path):
    runs = [save(text, name) for name, (text, _) in BAD.items()]
    runs += [tmp_path, tmp_path / "absent.csv"]
    every = check_files(truth, runs)
    assert {each.path for each in every} == set(runs)
    said = {each.path.name: each.problem for each in every}
    assert said["absent.csv"] == "no such file"
    assert said[tmp_path.name] == "a folder, not a file"


def test_lines_are_those_of_the_file(save, truth):
    assert ("twice.csv", 3, "document 'd1' occurs twice") in problems(truth, save(BAD["twice.csv"][0], "twice.csv"))
    assert problems(truth, save(BAD["spelling.csv"][0], "s.csv"))[0][1] == 2


def test_the_nearest_spelling_is_offered(save, truth):
    assert "'Corn' is near 'corn'" in check_files(truth, [save(BAD["spelling.csv"][0], "s.csv")])[0].remedy


def test_bad_rows_of_one_kind_are_one_problem(save, truth):
    rows = "".join(f"d{i % 3 + 1},corn,x{i}\n" for i in range(500))
    every = check_files(
        truth, [save("document,category,score\n" + rows + "d1,corn,1\nd2,corn,1\nd3,corn,1\n", "many.csv")]
    )
    assert [(each.line, each.rows) for each in every] == [(2, 500)]


def test_a_few_scores_outside_0_and_1(save, truth):
    rows = "".join(f"d{i % 3 + 1},c{i},0.{i}\n" for i in range(30))
    path = save("document,category,score\n" + rows + "d1,corn,1.7\n", "out.csv")
    assert any("1 scores outside 0 and 1, such as 1.7" in each.problem for each in check_files(truth, [path]))


def test_scores_of_any_scale_are_no_problem(save, truth):
    path = save("document,corn,wheat,rye\nd1,-3.5,2,1\nd2,7,-1,.5\nd3,140,2,-9\n", "margins.csv")
    assert check_files(truth, [path]) == []


def test_copies_are_noticed_in_any_order_and_layout(save, truth):
    first = save("document,labels\nd1,corn\nd2,wheat\nd3,corn\n", "a.csv")
    second = save("document,category\nd3,corn\nd2,wheat\nd1,corn\n", "b.csv")
    other = save("document,labels\nd1,corn\nd2,wheat\nd3,rye\n", "c.csv")
    assert problems(truth, first, second, other) == []  # a decision in a table of labels, none in a list of pairs
    again = save("document,labels\nd3,corn\nd1,corn\nd2,wheat\n", "d.csv")
    assert problems(truth, first, other, again) == [("d.csv", None, f"the same predictions as {first}")]


def test_reading_warns_of_what_it_accepts(save, truth):
    with pytest.warns(UserWarning, match="look like percent"):
        read_runs(truth, [save(BAD["percent.csv"][0], "percent.csv")])


def test_what_a_policy_allows_is_not_a_problem(save, truth):
    paths = [save(BAD[name][0], name) for name in ("spelling.csv", "partly.csv", "twice.csv")]
    assert check_files(truth, paths, missing="wrong", unknown="wrong", duplicates="first") == []


@pytest.mark.slow
def test_five_hundred_runs(save, truth):
    paths = [save(GOOD.replace("wheat", "rye") if i % 2 else "x", f"r{i}.csv") for i in range(500)]
    every = check_files(truth, paths)
    assert len({each.path for each in every}) == 250 + 249


def test_a_bad_truth_is_a_problem_too(save):
    assert check_files(save("", "truth.csv"), [save(GOOD, "good.csv")])[0].problem == "the file is empty"
