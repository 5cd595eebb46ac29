"""Labels and decisions to check: wrong labels come first, corrections gain what the formula says, hostile input."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import average_precision_score, f1_score

import rubricate as rb
from rubricate.errors import InvalidInput, UnknownName
from rubricate.labelling import review_order, suspects
from rubricate.labelling.label_suspects import document_surprise
from rubricate.types import Decisions, Run, Scores

NAMES = tuple("abcde")


def _system(documents=600, seed=0, dense=True):
    """Probabilities that are nearly right, and the truth."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(-2.0, 2.5, (documents, 5))
    chances = 1 / (1 + np.exp(-logits))
    truth = rng.random(chances.shape) < chances
    ids = tuple(f"d{row}" for row in range(documents))
    values = chances if dense else sparse.csr_array(np.where(chances > 0.02, chances, 0))
    decided = Decisions(sparse.csr_array(chances >= 0.5), NAMES, ids)
    scores = Scores(values, NAMES, ids, -np.inf if dense else 0.0)
    return Run("system", ids, NAMES, scores, decided, sparse.csr_array(truth)), truth, chances


def _flipped(truth, share, rng):
    noisy, rows = truth.copy(), rng.choice(len(truth), int(share * len(truth)), replace=False)
    for row in rows:
        noisy[row, rng.integers(5)] ^= True
    return noisy, np.isin(np.arange(len(truth)), rows)


@pytest.mark.parametrize("dense", [True, False])
def test_flipped_labels_come_first(dense):
    run, truth, _ = _system(1500, dense=dense)
    noisy, wrong = _flipped(truth, 0.05, np.random.default_rng(1))
    changed = Run(run.name, run.documents, NAMES, run.scores, None, sparse.csr_array(noisy))
    surprise = document_surprise(changed)
    assert average_precision_score(wrong, surprise) > 5 * wrong.mean()
    found = suspects(changed, limit=10)
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)
    assert all(set(item.given) != set(item.suggested) and item.reason for item in found)


def test_a_swapped_label_is_named():
    run, truth, chances = _system(400)
    row = int(np.argmax(chances[:, 0] - chances[:, 1]))
    noisy = truth.copy()
    noisy[row, :2] = [False, True]
    changed = Run(run.name, run.documents, NAMES, run.scores, None, sparse.csr_array(noisy))
    found = {item.document: item for item in suspects(changed, limit=40)}
    item = found[f"d{row}"]
    assert "a" in item.suggested
    assert "b" not in item.suggested
    assert "b" in item.given
    assert "labelled b" in item.reason


TEXTS = ["wheat corn", "corn exports", "crude oil", "oil gas", "wheat harvest", "gas pipe"] * 5
GOOD = ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 5


def test_a_wrong_label_is_the_first_suspect_of_both_commands_and_every_name(rubricate, tmp_path):
    wrong = ["fuel" if row == 7 else name for row, name in enumerate(GOOD)]
    first = rb.suspects(TEXTS, wrong)
    assert first[0].document == "7"
    assert (first[0].given, first[0].suggested) == (("fuel",), ("grain",))
    assert rb.suspects(rb.labelling.out_of_fold_scores(TEXTS, wrong)) == first
    estimated = rb.estimate("svm", TEXTS, wrong)
    with pytest.warns(DeprecationWarning, match="is now suspects"):
        assert rb.suspects(estimated, TEXTS, wrong) == first
    for package, old in (
        (rb.labelling, "suspicious_labels"),
        (rb.labelling, "LabelSuspect"),
        (rb.estimation, "suspects"),
        (rb.estimation, "Suspect"),
    ):
        with pytest.warns(DeprecationWarning, match=r"is now rubricate\.labelling\.[Ss]uspect"):
            assert getattr(package, old) in (rb.suspects, rb.labelling.Suspect)
    rows = "".join(f"{row},{text},{name}\n" for row, (text, name) in enumerate(zip(TEXTS, wrong, strict=True)))
    (tmp_path / "news.csv").write_text(f"id,text,labels\n{rows}")
    listed = json.loads(rubricate("suspects", "news.csv", "-n", 3, "--json")[1])["suspects"]
    same = json.loads(rubricate("estimate", "news.csv", "--suspects", 3, "--json")[1])["suspects"]
    assert [{name: each[name] for name in same[0]} for each in listed] == same
    assert "7 (surprise" in rubricate("estimate", "news.csv", "--suspects", 3)[1]


def test_suspects_of_vectors_of_few_documents_and_of_texts_without_words():
    X = np.array([[1.0, 0.1 * row] if row % 2 else [-1.0, 0.1 * row] for row in range(8)])
    names = ["a" if row % 2 else "b" for row in range(8)]
    names[3] = "b"
    assert rb.suspects(X, names)[0].document == "3"
    numbers = [f"{row % 3}{row % 3} {row}" for row in range(24)]
    assert len(rb.suspects(numbers, [str(row % 3) for row in range(24)], limit=None)) < 24
    with pytest.raises(InvalidInput, match="3 documents cannot be scored"):
        rb.suspects(TEXTS[:3], GOOD[:3])


def test_checking_needs_labels_and_scores():
    run, _, _ = _system(20)
    with pytest.raises(InvalidInput, match="no labels"):
        suspects(Run("x", run.documents, NAMES, run.scores))
    with pytest.raises(InvalidInput, match="no scores"):
        suspects(Run("x", run.documents, NAMES, None, run.decisions, run.truth))


def test_a_review_gains_more_than_lowest_confidence():
    run, truth, chances = _system(2000, seed=3)
    budget = 300
    decided = chances >= 0.5

    def after(row, column, average):
        checked = decided.copy()
        checked[row, column] = truth[row, column]
        return f1_score(truth, checked, average=average)

    doubt = np.argsort(np.abs(chances - 0.5), axis=None)[:budget]
    usual = np.unravel_index(doubt, chances.shape)
    for measure, average in (("micro_f1", "micro"), ("macro_f1", "macro")):
        found = review_order(run, budget=budget, measure=measure)
        row = [int(item.document[1:]) for item in found.decisions]
        column = [NAMES.index(item.category) for item in found.decisions]
        value = after(row, column, average)
        assert value > after(*usual, average)
        assert found.curve[-1][0] == budget
        assert found.curve[-1][1] == pytest.approx(value, abs=0.02)
        assert [n for n, _ in found.curve] == sorted(n for n, _ in found.curve)


def test_the_gains_by_hand():
    # One category, q = .8 decided and q = .3 not: TP .8, FP .2, FN .3, F1 = 1.6 / 2.1.
    ids, chances = ("x", "y"), np.array([[0.8], [0.3]])
    decided = Decisions(sparse.csr_array(chances > 0.5), ("a",), ids)
    found = review_order(Run("s", ids, ("a",), Scores(chances, ("a",), ids), decided), budget=2)
    gain = {item.document: item.gain for item in found.decisions}
    now = 1.6 / 2.1
    assert gain["y"] == pytest.approx(0.3 * (3.6 / 3.6 - now), abs=1e-5)
    assert gain["x"] == pytest.approx(0.2 * (1.6 / 1.6 - now), abs=1e-5)
    assert found.curve[-1] == (2, pytest.approx(1.0, abs=1e-5))
    with pytest.raises(UnknownName, match="micro_f1"):
        review_order(Run("s", ids, ("a",), None, decided), measure="f1")
    with pytest.raises(InvalidInput, match="budget"):
        review_order(Run("s", ids, ("a",), None, decided), budget=0)


def test_the_commands(rubricate, tmp_path):
    run, truth, chances = _system(60)
    words = ("apple", "boat", "cloud", "door", "engine")
    with (tmp_path / "run.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["document", *NAMES])
        writer.writerows([d, *map(float, row)] for d, row in zip(run.documents, chances, strict=True))
    with (tmp_path / "docs.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text", "labels"])
        for d, row in zip(run.documents, truth, strict=True):
            labels = ";".join(c for c, yes in zip(NAMES, row, strict=True) if yes)
            writer.writerow([d, " ".join(w for w, yes in zip(words, row, strict=True) if yes) or "none", labels])
    for extra in (("--run", "run.csv"), ()):
        code, out, err = rubricate("suspects", "docs.csv", *extra, "-n", 5, "--json")
        assert code == 0, err
        rows = json.loads(out)["suspects"]
        assert all({"document", "text", "given", "suggested", "reason"} <= set(row) for row in rows)
    assert len(rows) <= 5
    code, out, _ = rubricate("suspects", "docs.csv", "--run", "run.csv")
    assert (code, "Labels worth checking" in out) == (0, True)
    assert max(map(len, out.splitlines())) <= 80
    code, out, _ = rubricate("review", "run.csv", "--budget", 7, "--json")
    assert code == 0
    found = json.loads(out)
    assert len(found["decisions"]) == 7
    assert found["curve"][0]["checked"] == 0
    code, out, _ = rubricate("review", "run.csv", "--measure", "macro_f1")
    assert (code, "expected macro_f1" in out) == (0, True)
