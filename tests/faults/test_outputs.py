"""What is written for people: rules appear whole, names cannot steer a terminal, cells cannot run in a spreadsheet."""

from __future__ import annotations

import csv
import errno
import io
import os
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rubricate as rb
from rubricate.cli import main
from rubricate.cli.output import guarded_terminal, visible
from rubricate.errors import InvalidFile
from rubricate.hierarchy import read_taxonomy
from rubricate.io.prediction_files import write_labels
from rubricate.io.predictions import read_pairs
from rubricate.io.text_files import inert
from rubricate.rules import read_rules, write_rules

ESCAPE = "\x1b[2Jowned\x07"
HOSTILE = "=HYPERLINK(1)"


@pytest.fixture
def base(tmp_path):
    (tmp_path / "new.rules").write_text("wheat if wheat;\n")
    return read_rules(tmp_path / "new.rules")


def test_rules_that_cannot_be_written_leave_the_old_file(tmp_path, base, monkeypatch):
    target = tmp_path / "old.rules"
    target.write_text("corn if corn;\n")
    target.chmod(0o600)

    def fail(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(InvalidFile, match="No space left"):
            write_rules(base, target)
    assert target.read_text() == "corn if corn;\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.rules", "old.rules"], "no part file is left"
    link = tmp_path / "link.rules"
    link.symlink_to(target)
    write_rules(base, link)
    assert link.is_symlink()
    assert read_rules(target) == base
    assert target.stat().st_mode & 0o777 == 0o600


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(monkeypatch, *command):
    """Return what a command shows on a terminal, on standard output and error."""
    out, err = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(sys, "argv", ["rubricate", *map(str, command)])
    with pytest.raises(SystemExit):
        main()
    return out.getvalue(), err.getvalue()


def test_names_cannot_steer_the_terminal(tmp_path, monkeypatch):
    rules = tmp_path / "names.rules"
    rules.write_text(f'"{ESCAPE}grain" if wheat;\n'.replace("\x1b", "\\x1b").replace("\x07", "\\x07"))
    out, err = shown(monkeypatch, "rules", "check", rules)
    assert "grain" in out + err
    assert "\x1b" not in out + err
    documents = tmp_path / "news.csv"
    documents.write_text(f"text,labels\nwheat,{ESCAPE}grain\noil,{ESCAPE}crude\n")
    out, _ = shown(monkeypatch, "corpus", "show", documents)
    assert r"\x1b[2Jowned\x07grain" in out
    assert not set(out) & {"\x1b", "\x07"}


def test_names_in_messages_are_made_visible_everywhere(tmp_path, monkeypatch, capsys):
    """Messages may be read from a log on a terminal later, so they are made visible in a file, too."""
    documents = tmp_path / f"{ESCAPE}news.csv"
    documents.write_text("text,labels\nwheat,grain\n")
    monkeypatch.setattr(sys, "argv", ["rubricate", "corpus", "show", str(documents), "-o", "text=none"])
    with pytest.raises(SystemExit):
        main()
    message = capsys.readouterr().err
    assert r"\x1b[2Jowned\x07news.csv" in message
    assert "\x1b" not in message


def test_pipes_and_files_get_every_byte(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", plain := io.StringIO())
        with guarded_terminal():
            print(ESCAPE)
    assert plain.getvalue() == f"{ESCAPE}\n"


@given(st.text(st.characters()))
def test_visible_text_holds_no_control_character(text):
    kept = visible(text)
    assert not any(sign for sign in kept if sign not in "\n\t" and (sign < " " or "\x7f" <= sign < "\xa0"))
    assert visible(kept) == kept
    assert not text.isprintable() or kept == text


@given(st.text())
def test_no_inert_cell_starts_like_a_formula(cell):
    assert not inert(cell).startswith(("=", "+", "-", "@", "\t", "\r"))
    assert inert(cell).removeprefix("'") == cell.removeprefix("'")


def test_runs_are_disarmed_on_request_only(tmp_path):
    names, documents = (HOSTILE, "corn"), ("d1", "@d2")
    values = np.array([[True, False], [False, True]])
    decisions = rb.types.Decisions(rb.labels.indicator(values), names, documents)
    for layout, column in (("wide", "labels"), ("long", "category")):
        plain = write_labels(decisions, tmp_path / "plain.csv", layout=layout)
        assert {*read_pairs(plain).categories} == {*names}
        safe = write_labels(decisions, tmp_path / "safe.csv", layout=layout, disarm=True)
        rows = list(csv.DictReader(safe.open()))
        assert [(row["document"], row[column]) for row in rows] == [("d1", f"'{HOSTILE}"), ("'@d2", "corn")]


def test_classified_documents_are_disarmed_on_request(tmp_path, monkeypatch):
    (tmp_path / "news.rules").write_text(f'"{HOSTILE}" if wheat;\n')
    (tmp_path / "news.csv").write_text("id,text\n@1,wheat rose\n-2,oil fell\n")
    for flag, expected in (((), ["@1", HOSTILE]), (("--disarm",), ["'@1", f"'{HOSTILE}"])):
        out = tmp_path / "out.csv"
        command = ["rubricate", "rules", "run", tmp_path / "news.rules", tmp_path / "news.csv", *flag, "-o", out]
        monkeypatch.setattr(sys, "argv", list(map(str, command)))
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code in (0, None)
        assert list(csv.reader(out.open()))[1] == expected


@pytest.mark.parametrize("encoding", ["a\0b", "", "no-such", "base64", "undefined"])
def test_encodings_that_do_not_exist_are_one_error(tmp_path, encoding):
    (tmp_path / "news.csv").write_text("text,labels\nwheat,grain\n")
    (tmp_path / "tree.txt").write_text("a\tb\n")
    for call in (
        lambda: rb.load(tmp_path / "news.csv", encoding=encoding),
        lambda: read_taxonomy(tmp_path / "tree.txt", encoding=encoding),
    ):
        with pytest.raises(rb.errors.InvalidInput, match=r"encoding|not undefined"):
            call()


def test_an_encoding_that_does_not_say_where_it_fails_is_one_error(tmp_path):
    (tmp_path / "news.csv").write_bytes(b"text,labels\nxn--\xff,grain\n")
    with pytest.raises(InvalidFile, match="not idna"):
        rb.load(tmp_path / "news.csv", encoding="idna")


def broken_models():
    """Models whose learned state somebody has changed by hand."""
    fitted = rb.NB().fit(np.eye(3), np.array(["a", "b", "c"]))
    fitted.category_counts_ = fitted.category_counts_[:1]
    yield fitted
    fitted = rb.KNN(k=1).fit(sparse.csr_array(np.eye(3)), np.array(["a", "b", "c"]))
    fitted.vectors_.indices[0] = 99
    yield fitted
    fitted = rb.NB().fit(np.eye(3), np.array(["a", "b", "c"]))
    fitted.term_counts_ = sparse.csr_array((1 << 25, 3))
    fitted.n_features_in_, fitted.term_totals_ = 1 << 25, np.zeros(3)
    yield fitted


@pytest.mark.parametrize("model", [*broken_models()], ids=["shapes", "indices", "almost empty"])
def test_what_cannot_be_opened_is_not_saved(tmp_path, model):
    """Without the check `save` wrote the file, and the loss was noticed when it was opened."""
    target = tmp_path / "model.rubric"
    target.write_bytes(b"old")
    with pytest.raises(rb.errors.InvalidInput, match="not opened again"):
        rb.save(model, target)
    assert target.read_bytes() == b"old"
