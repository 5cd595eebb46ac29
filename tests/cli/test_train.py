"""`rubricate train` as a new user meets it: files of several kinds, the summary, errors, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rubricate as rb
from rubricate import cli

pytestmark = pytest.mark.slow

WORDS = {
    "grain": "wheat corn harvest barley",
    "fuel": "oil crude gas pipeline",
    "trade": "tariff export import surplus",
}


def stories(n=80, seed=1, several=True):
    rng = np.random.default_rng(seed)
    choices = [("grain",), ("fuel",), ("trade",), ("grain", "trade")][: 4 if several else 3]
    for number in range(n):
        labels = choices[rng.integers(len(choices))]
        words = [word for label in labels for word in WORDS[label].split()] + ["market", "price"]
        yield f"d{number}", " ".join(rng.choice(words, 8)), labels


@pytest.fixture
def rubricate(monkeypatch, capsys, tmp_path):
    """Run the program in a folder of files; gives its exit code, output and talk."""
    monkeypatch.chdir(tmp_path)
    rows = list(stories())
    lines = [f'{name},"{text}",{";".join(labels)}\n' for name, text, labels in rows]
    (tmp_path / "news.csv").write_text("id,text,labels\n" + "".join(lines))
    objects = [
        {"key": n, "story": t, "topics": list(x), "part": "train" if i < 60 else "test"}
        for i, (n, t, x) in enumerate(rows)
    ]
    (tmp_path / "news.jsonl").write_text("".join(json.dumps(row) + "\n" for row in objects))

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rubricate", "train", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return run


def test_a_csv_file_with_no_options(rubricate, tmp_path):
    code, out, talk = rubricate("news.csv", "-o", "m.rubric")
    assert (code, talk) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("m.rubric: 3 categories from 80 documents (1.2")
    assert "MicroMacro" in lines[1]
    assert lines[2].startswith("representation: ")
    assert lines[4].split() == ["micro-F1", "macro-F1"]
    assert lines[5].startswith("cross-validated, 80")
    assert "classify --abstain" in out
    model = rb.Categorizer.open("m.rubric")
    assert model.engine == "threads"
    assert f"{model.cross_validated['micro_f1']:.4f}" in lines[5]
    assert model.ids_[3] == "d3"


def test_json_has_every_figure_with_its_interval(rubricate):
    options = ("--text", "story", "--labels", "topics", "--id", "key", "--split", "part")
    code, out, _ = rubricate("news.jsonl", "-o", "m.rubric", *options, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["documents"] == 60
    assert found["test"]["documents"] == 20
    for part in ("cross_validation", "test"):
        low, high = found[part]["micro_f1_interval"]
        assert 0 <= low <= found[part]["micro_f1"] <= high <= 1
    assert found["cross_validation"]["folds"] == 5
    assert found["coverage"][-1]["coverage"] == 1
    assert "corpus:news|split:column" in found["signature"]


def test_the_test_figures_are_those_of_evaluate(rubricate):
    code, out, _ = rubricate("news.csv", "-o", "m.rubric", "--test", "0.25", "--seed", 3, "--json")
    assert code == 0
    corpus = rb.load("news.csv", test=0.25, seed=3)
    result = rb.evaluate(rb.Categorizer.open("m.rubric").run(corpus))
    assert json.loads(out)["test"]["micro_f1"] == result.micro["f1"]
    assert json.loads(out)["test"]["macro_f1"] == result.macro["f1"]


def test_every_choice_reaches_the_model(rubricate):
    options = ("--classifier", "knn", "--set", "k=7", "--weights", "lnc", "--select", "chi2:12", "--cut", "scut:0.2")
    code, _, _ = rubricate(
        "news.csv", "-o", "m", *options, "--folds", 3, "--seed", 4, "--min-df", 2, "--set", "analyzer__stem=null"
    )
    assert code == 0
    model = rb.Categorizer.open("m")
    assert repr(model.classifier) == "KNN(k=7)"
    assert (model.weights, model.select, model.cut, model.folds) == ("lnc", "chi2:12", "scut:0.2", 3)
    assert (model.seed, model.min_df, model.analyzer.stem, model.analyzer.title) == (4, 2, None, 2)


def test_single_labels_are_said_to_be(rubricate, tmp_path):
    rows = [f"{text}\t{labels[0]}\n" for _, text, labels in stories(several=False)]
    (tmp_path / "one.tsv").write_text("body\tclass\n" + "".join(rows))
    code, out, _ = rubricate("one.tsv", "-o", "m")
    assert code == 0
    assert "every document has one label: the best category is assigned" in out


def test_folders_lines_and_unlabelled_documents(rubricate, tmp_path):
    for name, text, labels in stories(several=False):
        (tmp_path / "tree" / labels[0]).mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / labels[0] / name).write_text(text)
    assert rubricate("tree", "-o", "m")[0] == 0
    assert rb.Categorizer.open("m").categories_ == ("fuel", "grain", "trade")
    (tmp_path / "news.csv").write_text((tmp_path / "news.csv").read_text() + "x1,weather report,\n")
    code, out, _ = rubricate("news.csv", "-o", "m", "--folds", 0, "--cut", 0)
    assert code == 0
    assert "1 documents without a label" in out
    assert "no cross-validation" in out


def test_vectors_in_parquet_or_npy(rubricate, tmp_path):
    rows = list(stories())
    X = np.array(
        [[sum(word in text.split() for word in words.split()) for words in WORDS.values()] for _, text, _ in rows]
    )
    table = {
        "id": [r[0] for r in rows],
        "labels": [list(r[2]) for r in rows],
        "embedding": X.astype(np.float32).tolist(),
    }
    pq.write_table(pa.table(table), tmp_path / "v.parquet")
    np.save(tmp_path / "v.npy", X)
    code, _, _ = rubricate("v.parquet", "-o", "a", "--vectors", "embedding", "--json")
    assert code == 0
    code, _, _ = rubricate("news.csv", "-o", "b", "--vectors", "v.npy", "--json")
    assert code == 0
    first, second = rb.Categorizer.open("a"), rb.Categorizer.open("b")
    assert first.signature().weights == "precomputed"
    assert np.array_equal(first.decision_function(X), second.decision_function(X))
    code, _, talk = rubricate("v.parquet", "-o", "a", "--vectors", "labels")
    assert code == 2
    assert "something other than lists of numbers" in talk
    np.save(tmp_path / "v.npy", X[:-1])
    code, _, talk = rubricate("news.csv", "-o", "b", "--vectors", "v.npy")
    assert code == 2
    assert "79 rows for more documents" in talk


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("none.csv", "-o", "m"), 2, "no such file"),
        (("nwswire", "-o", "m"), 2, "Did you mean 'newswire'"),
        (("news.csv", "-o", "none/m"), 2, "folder that does not exist"),
        (("news.csv", "-o", "."), 2, "is a folder"),
        (("news.csv", "-o", "m", "--text", "txt"), 2, "did you mean 'text'"),
        (("news.csv", "-o", "m", "--classifier", "svn"), 2, "Did you mean 'svm'"),
        (("news.csv", "-o", "m", "--weights", "lct"), 2, "Did you mean"),
        (("news.csv", "-o", "m", "--cut", "scot"), 2, "Did you mean 'scut'"),
        (("news.csv", "-o", "m", "--set", "K=2"), 2, "no parameter of the classifier named 'K'"),
        (("news.csv", "-o", "m", "--set", "C"), 2, "expected NAME=VALUE"),
        (("news.csv", "-o", "m", "--set", "analyser__stem=null"), 2, "Did you mean 'analyzer'"),
        (("news.csv", "-o", "m", "--folds", 0), 2, "learns from out-of-fold scores"),
        (("news.csv", "-o", "m", "--test", 2), 2, "between 0 and 1"),
    ],
)
def test_wrong_usage_is_one_sentence(rubricate, tmp_path, arguments, code, reason):
    found, out, talk = rubricate(*arguments)
    assert found == code
    assert reason in talk
    assert out == ""
    assert talk.count("\n") == 1
    assert not (tmp_path / "m").exists()


def test_data_without_labels_are_refused(rubricate, tmp_path):
    (tmp_path / "bare.csv").write_text("text\nwheat\noil\n")
    code, _, talk = rubricate("bare.csv", "-o", "m")
    assert code == 2
    assert "no column 'labels'" in talk
    (tmp_path / "same.csv").write_text("text,labels\nwheat,a\noil,a\n")
    code, _, talk = rubricate("same.csv", "-o", "m")
    assert code == 2
    assert "nothing to tell apart" in talk


@pytest.mark.proof
def test_standard_input(tmp_path):
    rows = "".join(json.dumps({"text": text, "labels": list(labels)}) + "\n" for _, text, labels in stories())
    command = [sys.executable, "-m", "rubricate", "train", "-", "-o", str(tmp_path / "m"), "--json"]
    if not _has_main():
        command[1:3] = ["-c", "from rubricate.cli import main; main()"]
    done = subprocess.run(command, input=rows, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["documents"] == 80
    assert done.stderr == ""


def _has_main():
    import importlib.util

    return importlib.util.find_spec("rubricate.__main__") is not None


@pytest.mark.skipif(os.name == "nt", reason="signals differ on Windows")
def test_ctrl_c_leaves_the_old_model_and_exit_code_130(tmp_path):
    (tmp_path / "m").write_bytes(b"old")
    code = "from rubricate.cli import main; main()"
    command = [sys.executable, "-c", code, "train", "newswire", "-o", str(tmp_path / "m")]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    time.sleep(2.5)
    assert running.poll() is None, "the run ended before it could be interrupted"
    os.kill(running.pid, signal.SIGINT)
    _, talk = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "interrupted" in talk
    assert "Traceback" not in talk
    assert (tmp_path / "m").read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["m"]


def test_warnings_are_one_sentence_with_a_remedy(rubricate, tmp_path):
    """Names of categories that no document has; nothing of the place in the code where the warning was made."""
    options = ["--classifier", "word", "--folds", "0", "--cut", "0.1"]
    command = [sys.executable, "-c", "from rubricate.cli import main; main()", "train", "news.csv", "-o", "m", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "rubricate: no word of 3 of 3 names occurs in the documents ('fuel', 'grain', 'trade'): they score 0; "
        "describe them in `names`, a mapping or a file (--set names=FILE)\n"
    )


@pytest.mark.parametrize("value", ["-1", "abc"])
def test_a_bad_seed_is_named(rubricate, value):
    options = ("news.csv", "-o", "m.rubric", "--classifier", "ripper", "--cut", "0.5", "--set", f"seed={value}")
    code, _, talk = rubricate(*options)
    assert code == 2
    assert "must be a whole number from 0 on; got" in talk
    code, _, talk = rubricate(*options[:-1], f"classifier__seed={value}")
    assert code == 2
    assert "RIPPER: seed must be a whole number from 0 on; got" in talk


def test_terms_are_said_by_options_of_their_own(rubricate, tmp_path):
    (tmp_path / "words.txt").write_text("market\nprice\n")
    code, _, _ = rubricate("news.csv", "-o", "m", "--stop", "words.txt", "--stem", "none", "--ngrams", "1,2")
    assert code == 0
    model = rb.Categorizer.open("m")
    assert (model.analyzer.stop, model.analyzer.stem, model.analyzer.ngrams) == (["market", "price"], None, (1, 2))
    assert any(" " in name for name in model.representation_.names())
    assert "market" not in model.representation_.names()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--ngrams", "2,1"), "ngrams must be a length or a range"),
        (("--ngrams", "x"), "ngrams must be a length or a range"),
        (("--set", "analyzer__ngrams=2,1"), "ngrams must be a length or a range"),
        (("--stop", "nowhere.txt"), "cannot read it as a stop list"),
        (("--stem", "portr"), "Did you mean 'porter'"),
        (("--tokens", "wrds"), "Did you mean 'words'"),
    ],
)
def test_terms_that_cannot_be_made_are_refused(rubricate, options, message):
    code, _, talk = rubricate("news.csv", "-o", "m", *options)
    assert code == 2
    assert message in talk
    assert "Traceback" not in talk


def test_vectors_with_a_test_file_and_without_texts(rubricate, tmp_path):
    rng = np.random.default_rng(0)
    classes = rng.integers(3, size=60)
    rows = rng.normal(size=(60, 4))
    rows[np.arange(60), classes] += 4
    for name, part in (("a", slice(0, 40)), ("b", slice(40, 60))):
        np.save(tmp_path / f"{name}.npy", rows[part])
        lines = [f"{name}{i},c{c}\n" for i, c in enumerate(classes[part])]
        (tmp_path / f"{name}.csv").write_text("id,labels\n" + "".join(lines))
    code, out, _ = rubricate(
        "a.csv", "-o", "m", "--vectors", "a.npy", "--test", "b.csv", "--test-vectors", "b.npy", "--json"
    )
    assert code == 0
    assert json.loads(out)["test"]["documents"] == 20
    assert json.loads(out)["test"]["accuracy"] > 0.8
    for wrong in (["--test", "b.csv"], ["--test", "0.2", "--test-vectors", "b.npy"]):
        code, _, talk = rubricate("a.csv", "-o", "m", "--vectors", "a.npy", *wrong)
        assert code != 0
        assert "--test-vectors" in talk


def test_a_cut_that_does_not_suit_single_labels_is_said(rubricate, tmp_path):
    lines = [f'{name},"{text}",{labels[0]}\n' for name, text, labels in stories(several=False)]
    (tmp_path / "one.csv").write_text("id,text,labels\n" + "".join(lines))
    code, out, _ = rubricate("one.csv", "-o", "m", "--cut", "micro_macro", "--classifier", "svm", "--folds", "2")
    assert code == 0
    assert "MicroMacro may assign none or several" in out
    (tmp_path / "few.csv").write_text("id,text,labels\nx,wheat,grain\n")
    code, out, _ = rubricate("one.csv", "-o", "m", "--test", "few.csv", "--classifier", "svm", "--folds", "2")
    assert "2 of 3 categories have no test documents" in out
