"""Systems known by counts or figures, from numbers and from CSV files good and bad."""

from __future__ import annotations

from pathlib import Path

import pytest

from rubricate.errors import InvalidFile, InvalidInput
from rubricate.significance import compare, published, read_counts


def _write(folder: Path, text: str) -> Path:
    path = folder / "counts.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_trials_follow_from_the_figures() -> None:
    svm = published("SVM", recall=0.8, precision=0.9, error=0.01, n=100_000, true=3600)
    assert svm.proportion("recall") == (0.8, 3600)
    assert svm.proportion("precision") == (0.9, pytest.approx(3200))
    assert svm.proportion("error") == (0.01, 100_000)
    assert svm.proportion("accuracy") == (0.99, 100_000)


def test_true_labels_follow_from_error_recall_and_precision() -> None:
    # TP 80, FN 20, FP 20, n 1000: R = P = .8, error = .04.
    found = published("x", recall=0.8, precision=0.8, error=0.04, n=1000)
    assert found.proportion("recall").trials == pytest.approx(100)
    assert found.proportion("precision").trials == pytest.approx(100)


@pytest.mark.parametrize(
    "figures, problem",
    [
        ({"recall": 0.8}, "number of trials"),
        ({"recall": 80.0, "true": 10}, "between 0 and 1"),
        ({"precision": 0.5, "true": 10}, "number of trials"),
    ],
)
def test_figures_that_are_not_enough(figures: dict, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        published("x", **figures)


def test_a_missing_figure_is_named() -> None:
    with pytest.raises(InvalidInput, match="no figure for precision; it has error"):
        published("x", error=0.1, n=50).proportion("precision")


def test_a_decimal_comma_in_a_semicolon_file(tmp_path: Path) -> None:
    (svm,) = read_counts(_write(tmp_path, "system;recall;true\nSVM, linear;0,812;3744\n"))
    assert (svm.name, svm.proportion("recall")) == ("SVM, linear", (0.812, 3744))


def test_summed_counts(tmp_path: Path) -> None:
    systems = read_counts(_write(tmp_path, "system,tp,fp,fn,tn\nb,80,20,20,880\n\na,70,20,30,880\n"))
    assert [system.name for system in systems] == ["b", "a"]
    assert systems[0].proportion("recall") == (0.8, 100)
    found = compare(systems)
    assert {one.test for one in found} == {"p"}
    assert "Left out" in found.notes[0]


def test_counts_of_each_category_allow_the_macro_tests(tmp_path: Path) -> None:
    rows = "".join(f"{s},c{c},{5 + c + (s == 'a')},2,3,90\n" for s in "ab" for c in range(4))
    systems = read_counts(_write(tmp_path, "system,category,tp,fp,fn,tn\n" + rows))
    found = compare(systems)
    assert {one.test for one in found} == {"S", "T", "T'", "p"}
    assert next(one for one in found if one.test == "S").n == 4


def test_spreadsheets_with_semicolons_and_a_mark_of_order(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("System;Recall;Precision;Error;n\nx;.8;.9;.01;1000\ny;.7;.9;.02;1000\n", encoding="utf-8-sig")
    assert [system.name for system in read_counts(path)] == ["x", "y"]


def test_collections(tmp_path: Path) -> None:
    text = "system,collection,recall,true\nkNN,v3,.85,4000\nRIPPER,v3,.80,4000\nkNN,v4,.82,4400\nNNets,v4,.82,4400\n"
    found = compare(read_counts(_write(tmp_path, text)), baseline="kNN", tests=["indirect:recall"])
    assert [(one.a, one.b, one.better) for one in found] == [("RIPPER", "NNets", "b")]


@pytest.mark.parametrize(
    "text, line, problem",
    [
        ("", 1, "the header is"),
        ("name,tp\n", 1, "the header is"),
        ("system,tp,fp,fn,tn\n", None, "no system"),
        ("system,tp,fp,fn,tn\na,1,2,3\n", 2, "4 cells, the header has 5"),
        ("system,tp,fp,fn,tn\na,1,2,x,4\n", 2, "fn is 'x'"),
        ("system,tp,fp,fn,tn\na,1,2,,4\n", 2, "empty count"),
        ("system,tp,fp,fn,tn\na,1,2,3.5,4\n", 2, "fn is '3.5'"),
        ("system,tp,fp,fn,tn\na,1,2,-3,4\n", 2, "fn is '-3'"),
        ("system,tp,fp,fn,tn\na,1,2,nan,4\n", 2, "fn is 'nan'"),
        ("system,tp,fp,fn,tn\na,1,2,3,4\na,1,2,3,4\n", 3, "2 rows for 1 categories"),
        ("system,recall,true\na,.5,10\na,.5,10\n", 3, "again"),
        ("system,recall,true\na,.5,10\nb,1.5,10\n", 3, "between 0 and 1"),
    ],
)
def test_broken_files_name_the_line(tmp_path: Path, text: str, line: int | None, problem: str) -> None:
    with pytest.raises(InvalidFile) as caught:
        read_counts(_write(tmp_path, text))
    assert problem in str(caught.value)
    assert caught.value.line == line


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="cannot be read"):
        read_counts(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(b"system,tp\n\xff\xfe")
    with pytest.raises(InvalidFile, match="UTF-8"):
        read_counts(tmp_path / "latin.csv")
