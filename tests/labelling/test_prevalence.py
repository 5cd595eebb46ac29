"""Prevalence: every method by hand, equal to QuaPy for single labels, right under shift, with intervals and drift."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from scipy import sparse

from rubricate import cli
from rubricate.errors import InvalidInput, UnknownName
from rubricate.labelling import LabelledSample, class_shares, drift, prevalence
from rubricate.labelling.quantification import LabelledScores, Unlabelled, quantify
from rubricate.types import Decisions, Run, Scores


def _drawn(shares, documents, seed):
    """A system whose scores are normal, 2 apart for positives: documents with these shares of two categories."""
    rng = np.random.default_rng(seed)
    truth = rng.random((documents, 2)) < shares
    scores = rng.normal(size=truth.shape) + np.where(truth, 1.0, -1.0)
    ids = tuple(f"d{row}" for row in range(documents))
    decided = Decisions(sparse.csr_array(scores > 0), ("a", "b"), ids)
    return Run("system", ids, ("a", "b"), Scores(scores, ("a", "b"), ids), decided), truth


def test_the_methods_by_hand():
    chances = np.array([[0.9], [0.6], [0.2], [0.1]])
    own = Unlabelled((chances > 0.5).astype(float), chances, np.ones((1, 4)))
    held = LabelledScores(
        np.array([[1.0], [1], [0], [0], [1]]),
        np.array([[0.8], [0.7], [0.3], [0.1], [0.6]]),
        np.array([[1.0], [1], [1], [0], [0]]),
        np.ones((1, 5)),
    )
    assert quantify(own, None, "cc")[0, 0] == 0.5
    assert quantify(own, None, "pcc")[0, 0] == pytest.approx(0.45)
    # tpr 2/3, fpr 1/2: (.5 − .5) / (1/6) = 0. Soft rates .6 and .35: (.45 − .35) / .25 = .4.
    assert quantify(own, held, "acc")[0, 0] == pytest.approx(0.0, abs=1e-12)
    assert quantify(own, held, "pacc")[0, 0] == pytest.approx(0.4)
    found = quantify(own, held, "em")[0, 0]
    ratio, other = found / 0.6, (1 - found) / 0.4
    corrected = (ratio * chances / (ratio * chances + other * (1 - chances))).mean()
    assert found == pytest.approx(corrected, abs=2e-4)


def test_class_shares_have_the_numbers_of_quapy():
    # quapy 0.2.3: ACC.solve_adjustment(method="inversion", solver="minimize") with ACC's and PACC's rates; EMQ.EM.
    i = np.arange(60)
    raw = np.abs(np.sin(np.outer(i + 1, [1.0, 2.3, 3.7]))) + 0.8 * np.eye(3)[i % 3]
    chances = raw / raw.sum(axis=1, keepdims=True)
    golden = {
        "pacc": ([0.15817361, 0.38819198, 0.45363441], 1e-5),
        "acc": ([0.34265676, 0.41363634, 0.2437069], 1e-5),
        "em": ([0.06170266, 0.35293807, 0.58535927], 1e-8),
    }
    for method, (expected, tolerance) in golden.items():
        shares = class_shares(chances[40:], held_chances=chances[:40], held_labels=i[:40] % 3, method=method)
        assert shares == pytest.approx(expected, abs=tolerance)
        assert shares.sum() == pytest.approx(1)


def test_corrections_are_right_where_counting_is_wrong():
    known, labels = _drawn((0.3, 0.1), 3000, 0)
    run, truth = _drawn((0.7, 0.02), 3000, 1)
    held = (known, sparse.csr_array(labels))
    target = truth.mean(axis=0)
    counted = [row.estimate for row in prevalence(run, method="cc", draws=0)]
    assert np.abs(counted - target).max() > 0.05
    for method in ("acc", "pacc", "em"):
        rows = prevalence(run, held_out=held, method=method, draws=20)
        assert [row.estimate for row in rows] == pytest.approx(target, abs=0.05)  # 2.5 standard errors
        assert all(row.low <= row.estimate <= row.high for row in rows)
    rows = prevalence(run, held_out=held, draws=10)
    assert [row.method for row in rows] == ["pacc", "pacc"]


@pytest.mark.slow
def test_the_intervals_cover():
    known, labels = _drawn((0.3, 0.1), 1000, 0)
    hits = []
    for seed in range(1, 13):
        run, truth = _drawn((0.5, 0.05), 1000, seed)
        rows = prevalence(run, held_out=(known, sparse.csr_array(labels)), method="pacc", draws=60, seed=seed)
        hits += [row.low <= value <= row.high for row, value in zip(rows, truth.mean(axis=0), strict=True)]
    # 24 intervals of 95 %: below 20 hits has a probability of .003 if they were independent.
    assert sum(hits) >= 20


def test_drift_is_found_and_its_absence_too():
    known, _ = _drawn((0.3, 0.1), 2000, 0)
    same, _ = _drawn((0.3, 0.1), 2000, 1)
    other, _ = _drawn((0.3, 0.4), 2000, 2)
    assert all(row.adjusted_p > 0.05 for row in drift(same, known))
    assert [row.adjusted_p < 0.05 for row in drift(other, known)] == [False, True]


def test_labels_of_a_sample_give_the_estimate_of_the_population():
    run, truth = _drawn((0.3, 0.1), 1500, 3)
    rows = np.random.default_rng(0).choice(1500, 200, replace=False)
    sample = LabelledSample(rows, np.zeros(200, np.int64), np.array([1500]), sparse.csr_array(truth[rows]))
    found = prevalence(run, truth=sample)
    assert all(row.method == "sample" for row in found)
    assert all(row.low <= value <= row.high for row, value in zip(found, truth.mean(axis=0), strict=True))


def test_what_cannot_be_done_is_refused():
    run, _ = _drawn((0.3, 0.1), 50, 0)
    with pytest.raises(UnknownName, match="pacc"):
        prevalence(run, method="pac")
    with pytest.raises(InvalidInput, match="learns from labelled"):
        prevalence(run, method="acc")
    with pytest.raises(InvalidInput, match="sample"):
        prevalence(run, method="sample")


def test_labelled_documents_of_one_kind_leave_the_count_as_it_is():
    run, _ = _drawn((0.3, 0.1), 50, 0)
    none = sparse.csr_array((50, 2), dtype=bool)
    for method in ("acc", "pacc"):
        rows = prevalence(run, held_out=(run, none), method=method, draws=5)
        assert all(0 <= row.estimate <= 1 for row in rows)


def test_the_command(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name, seed in (("run", 1), ("held", 2)):
        run, truth = _drawn((0.4, 0.2), 300, seed)
        rows = [
            f"{d},{c},{float(run.scores.values[i, k])!r},{int(run.decisions.values[i, k])}"
            for i, d in enumerate(run.documents)
            for k, c in enumerate("ab")
        ]
        (tmp_path / f"{name}.csv").write_text("document,category,score,decision\n" + "\n".join(rows))
        labels = [
            f"{d},{';'.join(c for c, yes in zip('ab', row, strict=True) if yes)}"
            for d, row in zip(run.documents, truth, strict=True)
        ]
        (tmp_path / f"{name}-truth.csv").write_text("document,labels\n" + "\n".join(labels))
    few = "\n".join((tmp_path / "run-truth.csv").read_text().splitlines()[:101])
    (tmp_path / "few.csv").write_text(few)

    def run_command(*arguments):
        monkeypatch.setattr(sys, "argv", ["rubricate", "prevalence", *arguments])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    code, out, _ = run_command("run.csv", "--truth", "few.csv", "--json")
    assert code == 0
    rows = json.loads(out)["prevalence"]
    assert [set(row) for row in rows] == [{"category", "estimate", "low", "high", "method"}] * 2
    code, out, _ = run_command(
        "run.csv",
        "--held-out",
        "held-truth.csv",
        "--held-out-run",
        "held.csv",
        "--json",
        "--method",
        "em",
        "--draws",
        "20",
    )
    assert code == 0
    found = json.loads(out)
    assert [row["method"] for row in found["prevalence"]] == ["em", "em"]
    assert len(found["drift"]) == 2
    code, _, err = run_command("run.csv", "--held-out", "held-truth.csv")
    assert (code, "give both" in err) == (2, True)
