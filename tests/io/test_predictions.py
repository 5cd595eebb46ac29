"""Predictions from files: every format and layout, what people really export, and input that must be refused."""

import gzip
import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.io.alignment import labels_over
from rubricate.io.prediction_files import write_labels, write_run
from rubricate.io.predictions import read_categories, read_pairs, read_run, read_runs, read_truth, run_names
from rubricate.io.train_counts import TrainCounts, read_train_counts
from rubricate.labels import indicator
from rubricate.types import Decisions, Run, Scores

TRUTH = "document,labels\nd1,earn\nd2,acq;earn\nd3,\n"


@pytest.fixture
def save(tmp_path):
    def write(text, name="run.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def truth(save):
    return save(TRUTH, "truth.csv")


def decided(run):
    """{document: sorted labels}"""
    rows = run.decisions.values.toarray()
    return {
        d: [c for c, yes in zip(run.categories, row, strict=True) if yes]
        for d, row in zip(run.documents, rows, strict=True)
    }


EXPECTED = {"d1": ["earn"], "d2": ["acq"], "d3": []}

SAME_DECISIONS = {
    "long.csv": "document,category\nd1,earn\nd2,acq\nd3,\n",
    "long-decision.csv": "document,category,decision\nd1,earn,1\nd1,acq,0\nd2,acq,yes\nd3,earn,No\n",
    "wide.csv": "document,labels\nd1,earn\nd2,acq\nd3,\n",
    "aliases.csv": "ID,Topics\nd1,earn\nd2,acq\nd3,\n",
    "matrix.csv": "document,earn,acq\nd1,1,0\nd2,0,1\nd3,0,0\n",
    "pandas-index.csv": ",acq,earn\nd1,False,True\nd2,True,False\nd3,False,False\n",
    "tabs.tsv": "document\tlabels\nd1\tearn\nd2\tacq\nd3\t\n",
    "spreadsheet.csv": b"\xef\xbb\xbfdocument;labels\r\nd1;earn\r\nd2;acq\r\nd3;\r\n",
    "wide.jsonl": (
        '{"document": "d1", "labels": ["earn"]}\n{"document": "d2", "labels": "acq"}\n\n'
        '{"document": "d3", "labels": []}\n'
    ),
    "null.jsonl": '{"id": "d1", "labels": ["earn"]}\n{"id": "d2", "labels": ["acq"]}\n{"id": "d3", "labels": null}\n',
    "other-keys.jsonl": (
        '{"document": "d1", "category": "earn"}\n{"category": "acq", "document": "d2"}\n'
        '{"document": "d3", "category": null}\n'
    ),
}


@pytest.mark.parametrize("name", SAME_DECISIONS)
def test_every_layout_says_the_same(name, save, truth):
    run = read_run(truth, save(SAME_DECISIONS[name], name))
    assert decided(run) == EXPECTED
    assert run.scores is None
    assert run.name == name.rsplit(".", 1)[0]
    assert run.truth.toarray().astype(int).tolist() == [[0, 1], [1, 1], [0, 0]]


def test_quoted_labels_in_a_semicolon_file(save, truth):
    run = read_run(truth, save('document;labels\nd1;"acq;earn"\nd2;acq\nd3;\n'))
    assert decided(run)["d1"] == ["acq", "earn"]


def test_parquet_long_and_wide(tmp_path, truth):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"document": ["d1", "d2", "d3"], "labels": [["earn"], ["acq"], []]}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame(
        {"document": ["d1", "d2", "d3"], "category": ["earn", "acq", None], "score": [0.5, 0.25, None]}
    ).to_parquet(tmp_path / "b.parquet")
    wide, scored = read_runs(truth, [tmp_path / "a.parquet", tmp_path / "b.parquet"])
    assert decided(wide) == EXPECTED
    assert scored.decisions is None
    assert scored.scores.values.toarray().tolist() == [[0, 0.5], [0.25, 0], [0, 0]]


def test_gzip(tmp_path, truth):
    path = tmp_path / "run.csv.gz"
    path.write_bytes(gzip.compress(SAME_DECISIONS["long.csv"].encode()))
    run = read_run(truth, path)
    assert (decided(run), run.name) == (EXPECTED, "run")


def test_scores_keep_every_digit_and_missing_pairs_have_the_floor(save, truth):
    run = read_run(
        truth, save("document,category,score\nd1,earn,0.1234567890123456789\nd2,acq,0\nd2,earn,-1e-300\nd3,,\n")
    )
    assert run.decisions is None
    assert sparse.issparse(run.scores.values)
    assert run.scores.floor == -np.inf
    assert run.scores.values.nnz == 3
    assert run.scores.values[0, 1] == 0.1234567890123456789
    assert run.scores.values.data.tolist() == [0.12345678901234568, 0.0, -1e-300]


def test_full_scores_are_dense(save, truth):
    rows = "".join(f"d{i},{c},{i / 8}\n" for i in (1, 2, 3) for c in ("acq", "earn"))
    run = read_run(truth, save("document,category,score\n" + rows))
    assert run.scores.values.tolist() == [[0.125, 0.125], [0.25, 0.25], [0.375, 0.375]]


def test_scores_and_decisions_together(save, truth):
    run = read_run(
        truth, save("document,category,score,decision\nd1,earn,0.9,1\nd2,acq,,1\nd2,earn,0.4,0\nd3,acq,0.1,\n")
    )
    assert decided(run) == EXPECTED
    assert run.scores.values.nnz == 3


def test_scores_as_objects(save, truth):
    run = read_run(
        truth,
        save(
            '{"document":"d1","scores":{"earn":0.9,"acq":0.1}}\n{"document":"d2","scores":{"acq":1}}\n{"document":"d3","scores":{}}\n'
        ),
    )
    assert run.decisions is None
    assert run.scores.values.toarray().tolist() == [[0.1, 0.9], [1.0, 0.0], [0, 0]]


def test_a_decimal_comma_in_a_semicolon_file(save, truth):
    run = read_run(truth, save("document;category;score\nd1;earn;0,75\nd2;acq;0.5\nd3;;\n"))
    assert run.scores.values.data.tolist() == [0.75, 0.5]


def test_a_matrix_of_probabilities_is_scores(save, truth):
    run = read_run(truth, save("document,acq,earn\nd1,0.1,0.9\nd2,0.8,0\nd3,0,1\n"))
    assert run.decisions is None
    assert run.scores.values.tolist() == [[0.1, 0.9], [0.8, 0.0], [0.0, 1.0]]


def test_whether_a_matrix_holds_scores_is_told_from_the_whole_file(save, truth):
    first, last = '{"document": "d1", "earn": 1}', '{"document": "d3", "earn": 0}'
    run = read_run(truth, save("\n".join([first, '{"document": "d2", "earn": 0.3, "acq": 0.7}', last])))
    assert run.decisions is None
    assert run.scores.values.toarray().tolist() == [[0.0, 1.0], [0.7, 0.3], [0.0, 0.0]]
    assert run.scores.values.nnz == 4
    bare = read_run(truth, save("\n".join([first, '{"document": "d2", "earn": 0, "acq": 1}', last])))
    assert bare.scores is None
    assert decided(bare) == {"d1": ["earn"], "d2": ["acq"], "d3": []}


class TestTrec:
    RUN = "d1 Q0 earn 1 0.9 sys\nd1 Q0 acq 2 0.2 sys\nd2 Q0 acq 1 0.7 sys\nd3 Q0 acq 1 -3 sys\n"
    QRELS = "d1 0 earn 1\nd2 0 acq 1\nd2 0 earn 2\nd3 0 earn 0\n"

    def test_run_and_qrels(self, save):
        run = read_run(save(self.QRELS, "truth.qrels"), save(self.RUN, "sys.run"))
        assert run.truth.toarray().astype(int).tolist() == [[0, 1], [1, 1], [0, 0]]
        assert run.scores.values.toarray().tolist() == [[0.2, 0.9], [0.7, 0], [-3, 0]]
        assert run.decisions is None

    def test_topics_may_be_categories(self, save):
        swapped = "".join(
            f"{c} Q0 {d} {rest}\n" for d, _, c, rest in (line.split(" ", 3) for line in self.RUN.splitlines())
        )
        qrels = "earn d1 1\nacq d2 1\nearn d2 1\nearn d3 0\n"
        run = read_run(save(qrels, "topics.qrels"), save(swapped, "sys.run"), topic="category")
        assert run.documents == ("d1", "d2", "d3")
        assert run.truth.toarray().astype(int).tolist() == [[0, 1], [1, 1], [0, 0]]
        with pytest.raises(UnknownName, match="TREC topic"):
            read_pairs(save(swapped, "sys.run"), topic="query")

    def test_a_broken_line_is_named(self, save):
        with pytest.raises(InvalidFile, match="line 2: 5 fields"):
            read_pairs(save("d1 Q0 earn 1 0.9 sys\nd1 Q0 acq 2 0.2\n", "sys.run"))
        with pytest.raises(InvalidFile, match=r"line 2: .*score .nan. must be numbers"):
            read_pairs(save("d1 Q0 earn 1 0.9 sys\nd1 Q0 acq 2 nan sys\n", "sys.run"))


class TestFastText:
    def test_training_lines_are_a_truth_and_predictions_a_run(self, save):
        truth = save(
            "__label__earn profits rose 5 %\n__label__acq __label__earn merger\n\n__label__acq x\n", "test.txt"
        )
        run = read_run(
            truth, save("__label__earn\n__label__acq\n__label__earn\n__label__acq __label__earn\n", "pred.txt")
        )
        assert run.documents == ("1", "2", "3", "4")
        assert decided(run) == {"1": ["earn"], "2": ["acq"], "3": ["earn"], "4": ["acq", "earn"]}
        assert run.truth.toarray().astype(int).tolist() == [[0, 1], [1, 1], [0, 0], [1, 0]]

    def test_probabilities_are_scores(self, save):
        truth = save("__label__earn a\n__label__acq b\n", "test.txt")
        run = read_run(truth, save("__label__earn 0.9 __label__acq 0.1\n__label__acq 1.00001\n", "prob.txt"))
        assert run.decisions is None
        assert run.scores.values.toarray().tolist() == [[0.1, 0.9], [1.00001, 0]]

    def test_mixed_lines_are_refused(self, save):
        with pytest.raises(InvalidFile, match="line 2: labels with and without"):
            read_pairs(save("__label__a 0.5\n__label__b\n", "p.txt"))


class TestBadInput:
    def test_documents_that_do_not_agree_are_listed(self, save, truth):
        run = save("document,category\nd1,earn\nd9,acq\n")
        with pytest.raises(
            InvalidFile, match=r"line 3: .*1 documents that are not in the truth \(d9\), and no row for 2"
        ) as error:
            read_run(truth, run)
        assert "--missing drop" in str(error.value)
        assert read_run(truth, run, missing="drop").documents == ("d1",)

    def test_many_ids_are_shortened(self, save, truth):
        rows = "".join(f"x{i:02},earn\n" for i in range(20))
        with pytest.raises(InvalidFile, match=r"x00, x01, x02, x03, x04 and 15 more"):
            read_run(truth, save("document,category\n" + rows))

    def test_no_shared_document(self, save, truth):
        with pytest.raises(InvalidInput, match="share no document"):
            read_run(truth, save("document,category\nx,earn\n"), missing="drop")

    def test_the_intersection_is_that_of_all_runs(self, save, truth):
        one, two = save("document,labels\nd1,earn\nd2,\n", "one.csv"), save("document,labels\nd2,acq\nd3,\n", "two.csv")
        assert [run.documents for run in read_runs(truth, [one, two], missing="drop")] == [("d2",), ("d2",)]

    def test_unknown_categories_are_listed(self, save, truth):
        run = save("document,labels\nd1,earn\nd2,wheat\nd3,\n")
        with pytest.raises(InvalidFile, match=r"line 3: 1 categories are not in the truth: wheat"):
            read_run(truth, run)
        assert read_run(truth, run, unknown="wrong").categories == ("acq", "earn")
        assert read_run(truth, run, categories=["wheat", "corn"]).categories == ("acq", "corn", "earn", "wheat")

    def test_an_unknown_category_without_a_pair_stands_on_no_line(self, save, truth):
        with pytest.raises(InvalidFile, match=r"run\.csv: 1 categories are not in the truth: corn"):
            read_run(truth, save("document,earn,corn\nd1,1,\nd2,0,\nd3,0,\n"))

    @pytest.mark.parametrize("cell", ["acq, earn", "acq|earn"])
    def test_another_separator_of_labels_is_seen(self, cell, save, truth):
        with pytest.raises(InvalidFile, match=r"line 2: .* separate the labels of a cell by ';'"):
            read_run(truth, save(f'document,labels\nd1,"{cell}"\nd2,\nd3,\n'))

    @pytest.mark.parametrize(
        "text, message",
        [
            (
                "document,category\nd1,earn\nd2,acq\nd1,earn\n",
                "line 4: document 'd1' has category 'earn' twice, first on line 2",
            ),
            ("document,labels\nd1,earn\nd1,acq\n", "line 3: document 'd1' occurs twice"),
            ("document,labels\nd1,earn;earn\n", "line 2: label 'earn' occurs twice"),
            ("document,category,score\nd1,earn,nan\n", "line 2: the score is NaN"),
            ("document,category,score\nd1,earn,high\n", "line 2: 'high' is not a number"),
            ("document,category,decision\nd1,earn,maybe\n", "line 2: 'maybe' is not a decision"),
            ("document,category\n,earn\n", "line 2: the row names no document"),
            ("document,category\nd1,earn,0.5\n", "line 2: the row has 3 cells, the header has 2"),
            ('document,category\nd1,"earn\n', "line 2: not a CSV row"),
            ("document,document,category\na,b,c\n", "line 1: column 'document' occurs twice"),
            ("d1,earn\nd2,acq\n", "line 1: expected columns document and category"),
            ("document\nd1\n", "line 1: expected columns document and category"),
            ("document,category\n", "the file has no rows"),
            ("", "the file is empty"),
            ("  \n\n", "the file is empty"),
            ('{"document": "d1"\n', "line 1: broken JSON"),
            ('{"document": "d1", "labels": []}\n[1]\n', "line 2: expected an object, got list"),
            (
                '{"document": "d1", "labels": []}\n{"document": "d2"}\n',
                "line 2: expected columns document and category",
            ),
            ('{"document": "d1", "scores": [1]}\n', "line 1: scores must be an object"),
            ('{"document": "d1", "scores": {"a": NaN}}\n', "line 1: the score is NaN"),
            ("document,a,b\nd1,0.5,x\n", "line 2: 'x' is not a number"),
            (b"document,category\nd1,\xff\xfe\n", "line 2: byte 0xff is not utf-8"),
            (b"PAR1 but not really", "not a Parquet file"),
            (b"PK\x03\x04 as .xlsx begins", "not a workbook"),
        ],
    )
    def test_the_line_and_the_remedy_are_named(self, text, message, save):
        with pytest.raises(InvalidFile) as error:
            read_pairs(save(text))
        assert message in str(error.value)
        assert "Fix:" in str(error.value)

    def test_a_line_break_inside_a_cell_counts(self, save):
        with pytest.raises(InvalidFile, match="line 4: 'x' is not a number"):
            read_pairs(save('document,category,score\nd1,"two\nlines",1\nd2,a,x\n'))

    def test_files_that_are_not_there_or_not_whole(self, tmp_path, save):
        with pytest.raises(InvalidFile, match="no such file"):
            read_pairs(tmp_path / "none.csv")
        with pytest.raises(InvalidFile, match="a folder, not a file"):
            read_pairs(tmp_path)
        with pytest.raises(InvalidFile, match="gzip"):
            read_pairs(save(b"no gzip at all", "x.csv.gz"))
        whole = gzip.compress(b"document,category\n" + b"d,c\n" * 9999)
        with pytest.raises(InvalidFile, match="gzip"):
            read_pairs(save(whole[: len(whole) // 2], "y.csv.gz"))

    def test_a_truth_of_scores_is_refused(self, save):
        with pytest.raises(InvalidFile, match="scores but no labels"):
            read_truth(save("document,category,score\nd1,a,0.5\n"))

    def test_one_document_one_category_nothing_true(self, save):
        run = read_run(save("document,category,decision\nd,a,0\n", "t.csv"), save("document,category\nd,a\n"))
        assert run.truth.nnz == 0
        assert run.decisions.values.nnz == 1


class TestTrainCounts:
    def test_csv_json_and_labels(self, save):
        expected = {"earn": 5, "acq": 0}
        assert read_train_counts(save("category,count\nearn,5\nacq,0\n")).counts == expected
        assert read_train_counts(save(json.dumps(expected), "c.json")).counts == expected
        assert TrainCounts.of(read_truth(save(TRUTH))).counts == {"acq": 1, "earn": 2}
        assert TrainCounts(expected).over(("acq", "corn", "earn")).tolist() == [0, 0, 5]

    @pytest.mark.parametrize(
        "text, message",
        [
            ("category,count\nearn,-1\n", "line 2: '-1' is not a count"),
            ("category,count\na,1\na,2\n", "line 3: category 'a' occurs twice"),
            ("document,category,x\na,b,1\n", "use --train"),
            ('{"a": 1.5}', "1.5 is not a count"),
            ("{", "not JSON"),
        ],
    )
    def test_bad_counts(self, text, message, save):
        with pytest.raises(InvalidFile, match=re.escape(message)):
            read_train_counts(save(text))

    def test_they_reach_the_run_and_add_categories(self, save, truth):
        train = TrainCounts({"wheat": 3, "earn": 2})
        run = read_run(truth, save("document,labels\nd1,wheat\nd2,\nd3,\n"), train=train)
        assert dict(zip(run.categories, run.train_counts.tolist(), strict=True)) == {"acq": 0, "earn": 2, "wheat": 3}

    def test_other_labels_over_the_categories_of_a_run(self, save):
        labels = read_truth(save("document,labels\na,x;y\nb,z\n"))
        assert labels_over(labels, ("z", "x")).toarray().astype(int).tolist() == [[0, 1], [1, 0]]


def test_names_of_runs():
    assert run_names(["a/svm.csv", "knn.jsonl"]) == ["svm", "knn"]
    assert run_names(["a/svm.csv", "b/svm.csv"]) == ["a/svm", "b/svm"]
    assert run_names(["svm.csv", "svm.csv"]) == ["svm", "svm (2)"]
    assert run_names([".csv"]) == [".csv"]


def test_categories_one_a_line(save):
    assert read_categories(save("earn\n\n acq \n", "c.txt")) == ["earn", "acq"]


names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=6).filter(
    lambda name: not name.startswith("__label__")
)


@pytest.mark.slow
@given(st.data())
def test_what_is_written_is_read_again(tmp_path_factory, data):
    documents = data.draw(st.lists(names, min_size=1, max_size=4, unique=True))
    categories = tuple(sorted(data.draw(st.lists(names, min_size=1, max_size=4, unique=True))))
    shape = (len(documents), len(categories))
    grid = st.lists(st.booleans(), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    values = indicator(np.array(data.draw(grid)).reshape(shape))
    scores = np.array(
        data.draw(
            st.lists(
                st.floats(allow_nan=False, allow_infinity=False),
                min_size=values.shape[0] * values.shape[1],
                max_size=values.shape[0] * values.shape[1],
            )
        )
    ).reshape(shape)
    run = Run(
        "r",
        documents,
        categories,
        scores=Scores(scores, categories, documents),
        decisions=Decisions(values, categories, documents),
    )
    truth = Decisions(values, categories, documents)
    folder = tmp_path_factory.mktemp("written")
    for suffix in ("csv", "tsv", "jsonl", "parquet"):
        again = read_run(truth, write_run(run, folder / f"r.{suffix}"))
        assert again.documents == tuple(documents)
        assert np.array_equal(again.scores.values, scores)
        assert (again.decisions.values != values).nnz == 0
        if suffix == "jsonl" or not any(";" in name for name in categories):
            labels = read_run(truth, write_labels(truth, folder / f"l.{suffix}"))
            assert (labels.decisions.values != values).nnz == 0
        again = read_run(truth, write_labels(truth, folder / f"m.{suffix}", layout="long"))
        assert (again.decisions.values != values).nnz == 0
    again = read_run(truth, write_run(run, folder / "r.run", layout="trec"))
    assert np.array_equal(again.scores.values, scores)
    lines = write_labels(truth, folder / "r.txt", layout="fasttext")
    if values.nnz:
        numbered = Decisions(values, categories, [str(i + 1) for i in range(shape[0])])
        assert (read_run(numbered, lines).decisions.values != values).nnz == 0


def test_sparse_scores_are_written_with_a_finite_floor(tmp_path):
    values = sparse.csr_array(np.array([[0.9, 0.0], [0.0, 0.5]]))
    for floor, cells in ((-np.inf, 2), (0.1, 4)):
        run = Run("r", ["a", "b"], ("x", "y"), scores=Scores(values, ("x", "y"), ["a", "b"], floor=floor))
        assert len(read_pairs(write_run(run, tmp_path / "s.csv")).scores) == cells


def test_what_cannot_be_written_is_refused(tmp_path):
    labels = Decisions(indicator([[1]]), ("a;b c",), ["d"])
    run = Run("r", ["d"], ("a;b c",), decisions=labels)
    with pytest.raises(InvalidInput, match="layout='long'"):
        write_labels(labels, tmp_path / "x.csv")
    with pytest.raises(InvalidInput, match="layout='long'"):
        write_labels(labels, tmp_path / "x.qrels", layout="trec")
    with pytest.raises(InvalidInput, match="has no scores"):
        write_run(run, tmp_path / "x.run", layout="trec")
    scored = Run("r", ["d"], ("a",), scores=Scores(np.ones((1, 1)), ("a",), ["d"]))
    with pytest.raises(InvalidInput, match="no decisions to write"):
        write_run(scored, tmp_path / "x.csv", layout="wide")
    with pytest.raises(UnknownName, match="layout"):
        write_labels(labels, tmp_path / "x.csv", layout="log")


def test_long_files_are_read_in_pieces_that_do_not_show(save):
    """More rows than are read at once: names with blanks, empty cells, every line number right."""
    lines = ["document,category,score"]
    for i in range(1000):
        cell = "" if i % 7 == 0 else f" c{i % 5} "
        lines.append(f"d{i // 3},{cell},{'' if i % 11 == 0 else i / 8}")
    found = read_pairs(save("\n".join(lines) + "\n"))
    assert found.documents == tuple(f"d{i}" for i in range(334))
    kept = [i for i in range(1000) if i % 7]
    assert found.lines.tolist() == [i + 2 for i in kept]
    assert [found.categories[c] for c in found.columns] == [f"c{i % 5}" for i in kept]
    assert [found.documents[r] for r in found.rows] == [f"d{i // 3}" for i in kept]
    assert np.array_equal(found.scores, [np.nan if i % 11 == 0 else i / 8 for i in kept], equal_nan=True)
    lines[900] = lines[900].rsplit(",", 1)[0] + ",x"
    with pytest.raises(InvalidFile, match="line 901: 'x' is not a number"):
        read_pairs(save("\n".join(lines)))
    lines[900] = ",c1,1"
    with pytest.raises(InvalidFile, match="line 901: the row names no document"):
        read_pairs(save("\n".join(lines)))


def test_files_of_the_xmc_repository(tmp_path):
    """Labels of a file of vectors are a truth; scores are written and read back to the last digit."""
    (tmp_path / "truth.xmc").write_text("3 6 20\n12,7 0:0.31 5:0.8\n 1:2\n3 0:1\n")
    truth = read_truth(tmp_path / "truth.xmc")
    assert (truth.documents, truth.categories) == (("1", "2", "3"), ("12", "3", "7"))
    assert [sorted(truth.categories[c] for c in row.indices) for row in (truth.values[[i]] for i in range(3))] == [
        ["12", "7"],
        [],
        ["3"],
    ]
    scores = np.array([[0.1, 1 / 3, -2.0], [1e-17, 0.5, 0.25], [3.0, 2.0, 1.0]])
    run = Run("svm", truth.documents, truth.categories, scores=Scores(scores, truth.categories, truth.documents))
    write_run(run, tmp_path / "run.xmc", layout="xmc")
    assert (tmp_path / "run.xmc").read_text().splitlines()[0] == "3 13"
    back = read_run(truth, tmp_path / "run.xmc").scores.values
    assert np.array_equal(back.toarray() if hasattr(back, "toarray") else back, scores)
    other = ("grain", "oil", "7")
    with pytest.raises(InvalidInput, match="'grain' is not a number"):
        write_run(Run("x", ("1",), other, scores=Scores(scores[:1], other, ("1",))), tmp_path / "a.xmc", layout="xmc")
    (tmp_path / "bad.xmc").write_text("1 3\n12:x\n")
    with pytest.raises(InvalidFile, match="not 'label:score'"):
        read_run(truth, tmp_path / "bad.xmc")
