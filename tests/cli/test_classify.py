"""`rubricate classify`: every output, what evaluate makes of it, streams, bounded memory, errors."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from tests.cli.test_train import WORDS, stories

import rubricate as rb
from rubricate import cli
from rubricate.cli import document_options as inputs

pytestmark = pytest.mark.slow

TEXTS = ["wheat corn harvest", "tariff export", "wheat tariff", "", 'oil, "crude"\ngas']


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    rows = list(stories(150))
    found = rb.Categorizer(engine="serial").fit([r[1] for r in rows], [r[2] for r in rows])
    found.save(tmp_path_factory.mktemp("model") / "m.rubric")
    found.path = tmp_path_factory.getbasetemp()
    return found


@pytest.fixture
def rubricate(model, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    model.save(tmp_path / "m.rubric")
    with (tmp_path / "new.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "labels"])
        writer.writerows([f"n{i}", text, "grain"] for i, text in enumerate(TEXTS))

    def run(*arguments, command="classify"):
        monkeypatch.setattr(sys, "argv", ["rubricate", command, *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return run


def test_csv_has_id_and_labels(rubricate, model):
    code, out, talk = rubricate("m.rubric", "new.csv")
    assert (code, talk) == (0, "")
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[0] == ["id", "labels"]
    assert rows[1:] == [[f"n{i}", ";".join(labels)] for i, labels in enumerate(model.classify(TEXTS))]


def test_json_lines_have_id_labels_and_scores(rubricate, model):
    code, out, _ = rubricate("m.rubric", "new.csv", "--json", "--top", 2, "--explain")
    assert code == 0
    for line, text, labels in zip(out.splitlines(), TEXTS, model.classify(TEXTS), strict=True):
        found = json.loads(line)
        assert found["labels"] == list(labels)
        best = dict(model.rank([text], 2)[0])
        assert {name: found["scores"][name] for name in best} == best
        assert set(found["scores"]) == {*best, *labels}
        evidence = model.explain(text, limit=5)
        expected = _sums((name, one.source, one.weight) for name, why in evidence.items() for one in why)
        assert _sums((e["category"], e["source"], e["weight"]) for e in found["evidence"]) == pytest.approx(expected)
        assert all(
            text[each["start"] : each["end"]].startswith(each["source"].strip("…")[:4]) for each in found["evidence"]
        )
    assert found["id"] == "n4"


def _sums(items):
    """Return the weight of every term for every category, summed over its places in the text."""
    weights = {}
    for category, source, weight in items:
        weights[category, source] = weights.get((category, source), 0) + weight
    return weights


def test_top_gives_a_row_a_category(rubricate, model):
    code, out, _ = rubricate("m.rubric", "new.csv", "--top", 3)
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == ["id", "category", "score", "decision"]
    assert len(rows) == 3 * len(TEXTS)
    scores = model.decision_function(TEXTS)
    for row in rows:
        assert float(row["score"]) == scores[int(row["id"][1:]), model.categories_.index(row["category"])]


def test_abstaining_and_explaining_in_csv(rubricate, model):
    sure = model.confidence(TEXTS)
    level = float(np.sort(sure)[1]) + 1e-9
    code, out, _ = rubricate("m.rubric", "new.csv", "--abstain", level, "--explain")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["abstained"] for row in rows] == [str(int(p < level)) for p in sure]
    assert all(row["labels"] == "" for row in rows if row["abstained"] == "1")
    assert [float(row["confidence"]) for row in rows] == pytest.approx(sure.tolist(), abs=1e-4)
    assert "wheat +" in rows[0]["evidence"]
    code, out, _ = rubricate("m.rubric", "new.csv", "--abstain", level, "--json")
    assert [json.loads(line)["labels"] is None for line in out.splitlines()] == (sure < level).tolist()


@pytest.mark.parametrize("options", [(), ("--top", 3), ("--json",), ("--json", "--top", 3)])
def test_evaluate_reads_what_classify_writes(rubricate, model, options):
    name = "run.jsonl" if "--json" in options else "run.csv"
    assert rubricate("m.rubric", "new.csv", "--output", name, *options)[:2] == (0, "")
    code, out, talk = rubricate("new.csv", name, "--json", "--new-categories", command="evaluate")
    assert code == 0, talk
    truth = [{"grain"}] * len(TEXTS)
    there = rb.evaluate(truth, [set(labels) for labels in model.classify(TEXTS)])
    assert json.loads(out)["micro"]["f1"] == pytest.approx(there.micro["f1"])


def test_other_forms_of_documents(rubricate, model, tmp_path, monkeypatch):
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({"story": text, "head": "oil"}) + "\n" for text in TEXTS))
    code, out, _ = rubricate("m.rubric", "t.jsonl", "--text", "story", "--title", "head", "--json")
    assert code == 0
    titled = rb.Documents(
        [str(i) for i in range(5)], TEXTS, model.run(TEXTS).decisions.values, model.categories_, titles=["oil"] * 5
    )
    assert [tuple(json.loads(line)["labels"]) for line in out.splitlines()] == model.classify(titled)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("oil gas")
    assert rubricate("m.rubric", "folder")[1].splitlines()[1].endswith(",fuel")
    (tmp_path / "lines.txt").write_text("oil gas\r\nwheat corn\n")
    assert rubricate("m.rubric", "lines.txt", "--format", "lines")[1] == "id,labels\n1,fuel\n2,grain\n"


@pytest.mark.parametrize(
    "data", [b"text\noil gas\n", b"\xef\xbb\xbftext\noil gas\n", b'{"text": "oil gas"}\n', b' \n{"text": "oil gas"}\n']
)
def test_standard_input_says_itself_what_it_is(rubricate, monkeypatch, data):
    class Piped:
        buffer = io.BufferedReader(io.BytesIO(data))

    monkeypatch.setattr(sys, "stdin", Piped())
    assert rubricate("m.rubric", "-")[:2] == (0, "id,labels\n1,fuel\n")


def test_a_pipe_is_answered_while_it_flows(model, tmp_path):
    """A batch is written when it is full, not when the input ends."""
    model.save(tmp_path / "m")
    command = [
        sys.executable,
        "-c",
        "from rubricate.cli import main; main()",
        "classify",
        str(tmp_path / "m"),
        "-",
        "--json",
    ]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    running.stdin.write('{"text": "oil gas"}\n' * (inputs.BATCH + 5000))
    running.stdin.flush()
    assert json.loads(running.stdout.readline())["labels"] == ["fuel"]
    running.stdin.close()
    assert sum(1 for _ in running.stdout) == inputs.BATCH + 4999
    assert running.wait(timeout=60) == 0


def test_a_reader_that_stops_early_is_no_error(model, tmp_path):
    model.save(tmp_path / "m")
    (tmp_path / "many.txt").write_text("oil gas\n" * 20_000)
    command = [
        sys.executable,
        "-c",
        "from rubricate.cli import main; main()",
        "classify",
        str(tmp_path / "m"),
        str(tmp_path / "many.txt"),
        "--format",
        "lines",
    ]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "id,labels\n"
    running.stdout.close()
    assert running.wait(timeout=60) == 0
    assert running.stderr.read() == ""


def test_memory_does_not_grow_with_the_documents(rubricate, tmp_path, monkeypatch):
    monkeypatch.setattr(inputs, "BATCH", 256)
    rng = np.random.default_rng(0)
    words = [word for line in WORDS.values() for word in line.split()]
    lines = [" ".join(rng.choice(words, 12)) + "\n" for _ in range(500)]
    peaks = []
    for times in (4, 40):
        (tmp_path / "many.txt").write_text("".join(lines * times))
        tracemalloc.start()
        assert rubricate("m.rubric", "many.txt", "--format", "lines", "-o", "out.csv")[0] == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert sum(1 for _ in (tmp_path / "out.csv").open()) == 500 * times + 1
    assert peaks[1] < 1.5 * peaks[0]


def test_vectors_on_the_command_line(rubricate, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), ["a", "b"] * 30
    X[::2, 0] += 3
    found = rb.Categorizer(rb.SVM(), weights=None).fit(X, y)
    found.save(tmp_path / "v.rubric")
    np.save(tmp_path / "v.npy", X)
    code, out, _ = rubricate("v.rubric", "v.npy", "--json")
    assert code == 0
    assert [json.loads(line)["labels"][0] for line in out.splitlines()] == found.predict(X).tolist()
    code, _, talk = rubricate("v.rubric", "new.csv")
    assert code == 2
    assert 'field "vectors"' in talk
    np.save(tmp_path / "w.npy", X[:, :3])
    code, _, talk = rubricate("v.rubric", "w.npy")
    assert code == 2
    assert "X has 3 features, but Categorizer is expecting 4" in talk
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01")
    assert rubricate("v.rubric", "bad.npy")[0] == 2


def test_a_cut_over_the_whole_set_is_given_the_whole_set(rubricate, tmp_path, monkeypatch):
    rows = list(stories(60))
    found = rb.Categorizer(rb.SVM(), cut="pcut:1", folds=0).fit([r[1] for r in rows], [r[2] for r in rows])
    found.save(tmp_path / "p.rubric")
    monkeypatch.setattr(inputs, "BATCH", 7)
    (tmp_path / "l.txt").write_text("".join(r[1] + "\n" for r in rows))
    code, out, _ = rubricate("p.rubric", "l.txt", "--format", "lines", "--json")
    assert code == 0
    assert [tuple(json.loads(line)["labels"]) for line in out.splitlines()] == found.classify([r[1] for r in rows])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("none.rubric", "new.csv"), "no such file"),
        (("new.csv", "new.csv"), "not a usable model"),
        (("m.rubric", "none.csv"), "no such file"),
        (("m.rubric", "new.csv", "--text", "txt"), "did you mean 'text'"),
        (("m.rubric", "new.csv", "--abstain", 60), "between 0 and 1"),
        (("m.rubric", "new.csv", "-o", "none/x.csv"), "cannot be written"),
        (("m.rubric", "new.csv", "--encoding", "utf-99"), "no encoding"),
    ],
)
def test_wrong_files_get_one_clear_sentence(rubricate, arguments, reason):
    code, out, talk = rubricate(*arguments)
    assert code == 2
    assert reason in talk
    assert talk.count("\n") == 1
    assert "id,labels" not in out or out == "id,labels\n"


def test_an_error_half_way_leaves_no_output_file(rubricate, tmp_path):
    (tmp_path / "half.jsonl").write_text('{"text": "oil"}\n' * 3000 + "{broken\n")
    code, _, talk = rubricate("m.rubric", "half.jsonl", "-o", "out.csv")
    assert code == 2
    assert "line 3001" in talk
    assert not (tmp_path / "out.csv").exists()
    assert not [each for each in tmp_path.iterdir() if each.name.endswith(".part")]


def test_names_that_hold_the_separator(rubricate, tmp_path):
    found = rb.Categorizer(rb.SVM(), folds=0).fit(["wheat", "oil", "corn", "gas"], ["a;b", "c", "a;b", "c"])
    found.save(tmp_path / "s.rubric")
    code, _, talk = rubricate("s.rubric", "new.csv")
    assert code == 2
    assert "give --separator or --json" in talk
    assert rubricate("s.rubric", "new.csv", "--separator", "|")[0] == 0
    assert rubricate("s.rubric", "new.csv", "--json")[0] == 0


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals on Windows")
def test_progress_is_shown_on_a_terminal_only(model, tmp_path):
    import pty

    model.save(tmp_path / "m")
    (tmp_path / "many.jsonl").write_text('{"text": "oil gas"}\n' * 3000)
    leader, follower = pty.openpty()
    command = [
        sys.executable,
        "-c",
        "from rubricate.cli import main; main()",
        "classify",
        str(tmp_path / "m"),
        str(tmp_path / "many.jsonl"),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=follower, text=True, check=False, timeout=120)
    os.close(follower)
    shown = os.read(leader, 1 << 16).decode()
    os.close(leader)
    assert done.returncode == 0
    assert done.stdout.count("\n") == 3001
    assert "classifying" in shown


@pytest.mark.parametrize("options", [(), ("--top", 3), ("--abstain", 0.9), ("--top", 2, "--abstain", 0.9)])
def test_parquet_has_the_columns_of_csv(rubricate, tmp_path, options):
    from pyarrow import parquet

    assert rubricate("m.rubric", "new.csv", *options, "-o", "run.parquet")[0] == 0
    assert rubricate("m.rubric", "new.csv", *options, "-o", "run.csv")[0] == 0
    rows = parquet.read_table(tmp_path / "run.parquet").to_pylist()
    expected = list(csv.DictReader((tmp_path / "run.csv").open(newline="")))
    assert [list(row) for row in rows] == [list(row) for row in expected]
    for row, cells in zip(rows, expected, strict=True):
        assert row["id"] == cells["id"]
        if "labels" in row:
            assert ";".join(row["labels"] or ()) == cells["labels"]
        else:
            assert (row["category"], str(row["score"]), str(int(row["decision"]))) == tuple(cells.values())[1:4]
        if "abstained" in row:
            assert (f"{row['confidence']:.4f}", str(int(row["abstained"]))) == (cells["confidence"], cells["abstained"])
            assert "labels" not in row or (row["labels"] is None) == row["abstained"]


def test_evaluate_reads_parquet_and_compressed_answers(rubricate, tmp_path):
    figures = []
    for name, options in (("a.csv", ()), ("a.parquet", ()), ("a.jsonl.gz", ("--json",)), ("a.csv.gz", ())):
        assert rubricate("m.rubric", "new.csv", "-o", name, *options)[0] == 0
        code, out, talk = rubricate("new.csv", name, "--json", "--new-categories", command="evaluate")
        assert code == 0, talk
        figures.append(json.loads(out)["micro"]["f1"])
    assert len(set(figures)) == 1
    assert (tmp_path / "a.jsonl.gz").read_bytes()[:2] == b"\x1f\x8b"


def test_parquet_and_json_lines_exclude_each_other(rubricate, tmp_path):
    code, _, talk = rubricate("m.rubric", "new.csv", "--json", "-o", "run.parquet")
    assert code == 2
    assert "leave out --json" in talk
    assert not (tmp_path / "run.parquet").exists()


@pytest.mark.parametrize(
    ("name", "options"),
    [("a.xlsx", ()), ("a.PDF", ()), ("a.tsv.gz", ()), ("a.jsonl", ()), ("a.parquet.gz", ()), ("a.csv", ("--json",))],
)
def test_a_name_of_another_format_is_refused_before_anything_is_read(rubricate, tmp_path, name, options):
    code, out, talk = rubricate("none.rubric", "none.csv", "-o", name, *options)
    assert (code, out) == (2, "")
    assert f"-o {name}" in talk
    assert "ends in .csv, .csv.gz or .parquet, or with --json in .jsonl or .jsonl.gz" in talk
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(("name", "options"), [("run", ()), ("tmp.Xa3b", ()), ("a.TXT", ()), ("a.json", ("--json",))])
def test_a_name_that_promises_no_format_takes_either(rubricate, tmp_path, name, options):
    assert rubricate("m.rubric", "new.csv", "-o", name, *options)[0] == 0
    assert (tmp_path / name).read_text("utf-8").startswith("{" if options else "id,labels\n")


@pytest.mark.parametrize("name", ["half.jsonl", "half.jsonl.gz", "half.parquet"])
def test_an_error_half_way_leaves_no_parquet_file(rubricate, tmp_path, name):
    import gzip

    from pyarrow import parquet, table

    if name.endswith("parquet"):
        parquet.write_table(table({"text": ["oil"] * 9000, "id": ["a"] * 8999 + [""]}), tmp_path / name)
    else:
        lines = ('{"text": "oil"}\n' * 9000 + "{broken\n").encode()
        (tmp_path / name).write_bytes(gzip.compress(lines) if name.endswith("gz") else lines)
    for target in ("out.parquet", "out.csv.gz"):
        code, _, talk = rubricate("m.rubric", name, "-o", target)
        assert code == 2
        assert "line 9" in talk
        assert not (tmp_path / target).exists()
    assert not [each for each in tmp_path.iterdir() if each.name.endswith(".part")]


def test_answers_do_not_depend_on_batches_or_threads(rubricate, tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    words = [word for line in WORDS.values() for word in line.split()]
    lines = [" ".join(rng.choice(words, 5)) for _ in range(600)]
    (tmp_path / "many.jsonl").write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
    outputs = set()
    for batch, cores in ((8192, 1), (7, 1), (7, 3), (100, 2)):
        monkeypatch.setattr(inputs, "BATCH", batch)
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        assert rubricate("m.rubric", "many.jsonl", "--json", "--top", 2, "-o", "out.jsonl")[0] == 0
        outputs.add((tmp_path / "out.jsonl").read_bytes())
    assert len(outputs) == 1


def on_terminal(*arguments):
    """Return what a terminal receives as standard output and standard error of the program."""
    pty = pytest.importorskip("pty")
    main, side = pty.openpty()
    command = [sys.executable, "-m", "rubricate", "classify", *map(str, arguments)]
    with subprocess.Popen(command, stdin=side, stdout=side, stderr=side) as program:
        os.close(side)
        received = b""
        while True:
            try:
                part = os.read(main, 1 << 16)
            except OSError:  # Linux reports the closed terminal as an error, others by no bytes
                part = b""
            if not part:
                break
            received += part
        os.close(main)
        assert program.wait(timeout=120) == 0
    return received.decode("utf-8").replace("\r\n", "\n")


@pytest.mark.parametrize("terminal", ["xterm-256color", "dumb"])
def test_no_progress_bar_runs_into_answers_on_a_terminal(rubricate, model, monkeypatch, terminal):
    monkeypatch.setenv("TERM", terminal)
    expected = rubricate("m.rubric", "new.csv")[1]
    shown = on_terminal("m.rubric", "new.csv")
    assert shown.startswith(expected)
    assert "classifying" not in shown
    labels = ";".join(model.classify(["wheat corn harvest"])[0])
    assert on_terminal("m.rubric", "--say", "wheat corn harvest").startswith(f"id,labels\n1,{labels}\n")


def test_a_terminal_shows_progress_while_answers_go_to_a_file(rubricate, tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "classifying" in on_terminal("m.rubric", "new.csv", "-o", "out.csv")
    assert (tmp_path / "out.csv").read_text("utf-8") == rubricate("m.rubric", "new.csv")[1]
