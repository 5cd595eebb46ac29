"""Samples and what they say of all documents: designs, files, coverage, equality with ppi-python, hostile input."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats

from rubricate import cli
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.labelling import (
    LabelledSample,
    draw_sample,
    planned_size,
    population_estimates,
    powered_mean,
    read_labelled,
    read_sample,
    write_sample,
)
from rubricate.labelling.population_categories import fit_curve, mover, wilson_ends
from rubricate.labelling.sample import allocate
from rubricate.measures.intervals import wilson
from rubricate.types import Decisions, Run, Scores

pytestmark = pytest.mark.slow

CATEGORIES = ("common", "middle", "rare")


def _population(documents=2000, seed=0, scores=True):
    """A system with calibrated probabilities for categories of about 30, 10 and 1 %."""
    rng = np.random.default_rng(seed)
    logits = rng.normal([-1.5, -3.6, -7.5], [2.0, 2.0, 2.0], (documents, 3))
    chances = 1 / (1 + np.exp(-logits))
    truth = rng.random(chances.shape) < chances
    ids = tuple(f"d{row}" for row in range(documents))
    decided = Decisions(sparse.csr_array(chances >= 0.5), CATEGORIES, ids)
    scored = Scores(chances, CATEGORIES, ids) if scores else None
    return Run("system", ids, CATEGORIES, scored, decided), truth


def _uniform(run, truth, n, rng):
    rows = rng.choice(len(run.documents), n, replace=False)
    labels = sparse.csr_array(truth[rows])
    return LabelledSample(rows, np.zeros(n, np.int64), np.array([len(run.documents)]), labels)


def _of_sample(sample, truth):
    return LabelledSample(sample.rows, sample.stratum, sample.sizes, sparse.csr_array(truth[sample.rows]))


def _micro_f1(truth, decided):
    return 2 * (truth & decided).sum() / (truth.sum() + decided.sum())


def test_intervals_hold_their_promise_and_predictions_narrow_them():
    run, truth = _population()
    decided = run.decisions.values.toarray()
    target, shares = _micro_f1(truth, decided), truth.mean(axis=0)
    rng, hits, widths = np.random.default_rng(1), [], []
    for _ in range(100):
        sample = _uniform(run, truth, 150, rng)
        helped, alone = (population_estimates(sample, run, labels_alone=bare) for bare in (False, True))
        row = [helped.get("micro_f1").low <= target <= helped.get("micro_f1").high]
        row += [
            helped.get("prevalence", name).low <= share <= helped.get("prevalence", name).high
            for name, share in zip(CATEGORIES, shares, strict=True)
        ]
        hits.append(row)
        widths.append(
            [
                found.get(measure, name).high - found.get(measure, name).low
                for found in (helped, alone)
                for measure, name in (("micro_f1", None), *(("prevalence", name) for name in CATEGORIES))
            ]
        )
    # 100 draws: the standard error of a coverage of .95 is .022. benchmarks/few_labels.py has 2,000 draws.
    assert (np.mean(hits, axis=0) >= 0.88).all()
    mean = np.mean(widths, axis=0)
    assert (mean[:4] <= mean[4:] * 1.001).all()
    assert mean[0] < 0.9 * mean[4]
    assert mean[1] < 0.8 * mean[5]


def test_a_sample_without_a_mistake_still_leaves_doubt_about_averages():
    """Nine documents of a category that are all right show no variance; the interval must not shrink to a point."""
    rng = np.random.default_rng(0)
    truth = np.column_stack([rng.random(400) < 0.5, np.arange(400) % 20 == 0])
    ids = tuple(map(str, range(400)))
    decided = Decisions(sparse.csr_array(truth), ("common", "rare"), ids)
    run = Run("right", ids, ("common", "rare"), None, decided)
    found = population_estimates(_uniform(run, truth, 150, rng), run, labels_alone=True)
    assert found.get("precision", "rare").labelled == 9
    for name in ("macro_precision", "macro_recall", "macro_f1"):
        row = found.get(name)
        assert row.estimate == 1.0
        assert 0.03 < row.high - row.low < 0.4, name
        small = found.get(name.replace("macro", "micro"))
        assert 0.005 < small.high - small.low < 0.1, name


def test_micro_averages_have_the_degrees_of_freedom_that_kurtosis_leaves():
    """One document of forty brings most of the mistakes: Student's t with 2n / (κ − 1) degrees, by SciPy's figures."""
    rng = np.random.default_rng(3)
    truth = rng.random((1000, 30)) < 0.1
    decided = truth.copy()
    decided[::10, 0], decided[5] = True, True
    ids, names = tuple(map(str, range(1000))), tuple(f"c{c}" for c in range(30))
    run = Run("system", ids, names, None, Decisions(sparse.csr_array(decided), names, ids))
    rows = np.arange(40)
    sample = LabelledSample(rows, np.zeros(40, np.int64), np.array([1000]), sparse.csr_array(truth[rows]))
    found = population_estimates(sample, run, labels_alone=True).get("micro_precision")
    right, all_decided = (truth & decided)[rows].sum(axis=1), decided[rows].sum(axis=1)
    value = right.sum() / all_decided.sum()
    u = right - value * all_decided
    freedom = 2 * 40 / (stats.kurtosis(u, fisher=False) - 1)
    error = np.sqrt(u.var(ddof=1) / 40 * (1 - 40 / 1000)) / all_decided.mean()
    reach = stats.t.ppf(0.975, freedom) * error / (value * (1 - value))
    centre = np.log(value / (1 - value))
    assert freedom < 10
    assert (found.low, found.high) == pytest.approx(tuple(1 / (1 + np.exp(-(centre + e))) for e in (-reach, reach)))


def test_labelling_everything_leaves_no_doubt():
    run, truth = _population(300)
    found = population_estimates(_uniform(run, truth, 300, np.random.default_rng(0)), run)
    target = _micro_f1(truth, run.decisions.values.toarray())
    row = found.get("micro_f1")
    assert row.estimate == pytest.approx(target, abs=1e-6)
    assert row.high - row.low < 1e-3
    assert found.get("prevalence", "common").estimate == pytest.approx(truth[:, 0].mean(), abs=1e-9)


def test_too_few_labels_give_an_interval_and_no_number():
    run, truth = _population()
    found = population_estimates(_uniform(run, truth, 60, np.random.default_rng(3)), run)
    rare = found.get("f1", "rare")
    assert np.isnan(rare.estimate)
    assert 0 <= rare.low < rare.high <= 1
    assert np.isnan(found.get("macro_f1").estimate)
    assert found.left_out == ("rare",)
    assert not np.isnan(found.get("macro_f1_labelled").estimate)
    assert json.loads(json.dumps(found.to_dict()))["estimates"][0].keys() == {
        "measure", "category", "estimate", "low", "high", "labelled",
    }  # fmt: skip


def _powered_example(shift):
    i = np.arange(40)
    y = ((i * 7 + shift) % 5 < 2).astype(float)
    return y, y * 0.2 + ((i * 3) % 7) / 10, ((np.arange(300) * 11) % 13) / 20


def test_the_powered_mean_has_the_numbers_of_ppi_python():
    # ppi_py.ppi_mean_pointestimate and ppi_mean_ci(alpha=.05), ppi-python 0.2.3, on these numbers.
    golden = {
        0: (0.3268804193525866, 0.18351229427439927, 0.4702485444307739),
        1: (0.31650000000000006, 0.177689873860054, 0.45531012613994615),
    }
    for shift, expected in golden.items():
        assert powered_mean(*_powered_example(shift)) == pytest.approx(expected, abs=1e-12)


def test_the_powered_mean_equals_ppi_python_where_it_is_installed():
    ppi = pytest.importorskip("ppi_py")
    rng = np.random.default_rng(4)
    for _ in range(20):
        y = (rng.random(200) < 0.3).astype(float)
        g, rest = np.clip(y * rng.random() + rng.random(200), 0, 1), rng.random(3000)
        low, high = ppi.ppi_mean_ci(y, g, rest, alpha=0.05)
        assert powered_mean(y, g, rest)[1:] == pytest.approx((float(low[0]), float(high[0])), abs=1e-12)


@pytest.mark.parametrize("design", ["uniform", "stratified", "neyman"])
def test_designs_are_unbiased_and_later_batches_extend_earlier_ones(design):
    run, truth = _population(1500)
    values = []
    for seed in range(60):
        sample = draw_sample(run, 120, design=design, seed=seed)
        assert len(sample.documents) == 120
        assert len(set(sample.documents)) == 120
        values.append(float(_of_sample(sample, truth).mean(truth[sample.rows, 0].astype(float))))
    # Horvitz–Thompson: the mean over the draws is the population's share within three standard errors.
    assert abs(np.mean(values) - truth[:, 0].mean()) < 3 * np.std(values) / np.sqrt(60) + 1e-12
    first = draw_sample(run, 80, design=design, seed=7)
    more = draw_sample(run, 70, earlier=first)
    assert set(first.documents) < set(more.documents)
    assert len(more.documents) == 150
    assert more.documents[:80] == first.documents
    assert set(more.batch[80:].tolist()) == {2}
    counts = np.bincount(more.stratum)
    assert more.probability == pytest.approx((counts / more.sizes)[more.stratum])


def test_neyman_narrows_micro_f1():
    run, truth = _population(3000)
    width = {}
    for design in ("uniform", "neyman"):
        draws = [draw_sample(run, 150, design=design, seed=seed) for seed in range(25)]
        rows = [population_estimates(_of_sample(draw, truth), run).get("micro_f1") for draw in draws]
        width[design] = np.mean([row.high - row.low for row in rows])
    assert width["neyman"] < width["uniform"]


def test_the_planned_size_gives_the_width_that_was_asked_for():
    run, truth = _population(4000)
    n = planned_size(run, 0.1)
    found = population_estimates(_of_sample(draw_sample(run, n), truth), run, labels_alone=True).get("micro_f1")
    assert 0.06 < found.high - found.low < 0.13
    assert planned_size(run, 0.05) > n
    with pytest.raises(InvalidInput, match="width"):
        planned_size(run, 0)


@given(
    st.integers(2, 60),
    st.lists(st.tuples(st.integers(1, 40), st.floats(0, 2)), min_size=1, max_size=6),
)
def test_allocation_uses_every_document_once(n, strata):
    sizes = np.array([size for size, _ in strata])
    spreads = np.array([spread for _, spread in strata])
    given_ = allocate(n, sizes, spreads, least=np.zeros(len(sizes), np.int64))
    assert (given_ <= sizes).all()
    assert (given_ >= np.minimum(2, sizes)).all()
    assert given_.sum() == min(max(n, np.minimum(2, sizes).sum()), sizes.sum())


@given(st.integers(0, 50), st.integers(1, 50))
def test_wilson_of_arrays_equals_the_scalar_one(successes, trials):
    successes = min(successes, trials)
    low, high = wilson_ends(np.array([successes / trials]), np.array([trials]))
    plain = wilson(successes, trials)
    assert (low[0], high[0]) == pytest.approx((plain.low, plain.high), abs=1e-12)


def test_mover_of_one_stratum_is_its_interval():
    total, low, high = mover(np.array([[0.3]]), (np.array([[0.2]]), np.array([[0.5]])), np.array([[1.0]]))
    assert (total[0], low[0], high[0]) == pytest.approx((0.3, 0.2, 0.5))


def test_the_curve_finds_the_slope_of_calibrated_logits():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4000, 2))
    labels = (rng.random(scores.shape) < 1 / (1 + np.exp(-(0.5 + 2 * scores)))).astype(float)
    curve = fit_curve(scores, labels, np.ones(4000))
    assert (curve.intercept, curve.slope) == pytest.approx((0.5, 2.0), abs=0.12)


def test_decisions_alone_are_enough():
    run, truth = _population(scores=False)
    found = population_estimates(_uniform(run, truth, 200, np.random.default_rng(0)), run).get("micro_f1")
    assert found.low < _micro_f1(truth, run.decisions.values.toarray()) < found.high


# Hostile input


def test_no_labelled_document():
    with pytest.raises(InvalidInput, match="no labelled document"):
        LabelledSample(np.zeros(0, int), np.zeros(0, int), np.array([10]), sparse.csr_array((0, 3), dtype=bool))


def test_a_stratum_without_labels_is_refused():
    with pytest.raises(InvalidInput, match="no labelled document"):
        LabelledSample(np.array([0]), np.array([0]), np.array([5, 5]), sparse.csr_array(np.ones((1, 2), bool)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A population of 400 documents, its predictions and its truth, as files."""
    monkeypatch.chdir(tmp_path)
    run, truth = _population(400)
    with Path("run.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["document", *CATEGORIES])
        writer.writerows(
            [name, *map(repr, map(float, row))] for name, row in zip(run.documents, run.scores.values, strict=True)
        )
    labels = {
        name: ";".join(c for c, yes in zip(CATEGORIES, row, strict=True) if yes)
        for name, row in zip(run.documents, truth, strict=True)
    }
    return tmp_path, run, labels


@pytest.fixture
def rubricate(monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rubricate", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return run


def _fill(path, labels, *, skip=0):
    with Path(path).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows[: len(rows) - skip]:
        row["labels"] = labels[row["document"]]
    with Path(path).open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return rows


@pytest.mark.parametrize("design", ["uniform", "stratified", "neyman"])
def test_the_commands_from_sample_to_estimate(folder, rubricate, design):
    _, _, labels = folder
    code, _, err = rubricate("sample", "run.csv", "-n", 100, "-o", "to-label.csv", "--design", design, "--seed", 3)
    assert (code, "cut at .5" in err) == (0, True)
    code, _, err = rubricate("evaluate", "to-label.csv", "run.csv", "--population", "run.csv", "--json")
    assert (code, "no document is labelled" in err) == (2, True)
    rows = _fill("to-label.csv", labels)
    assert list(rows[0])[:2] == ["document", "labels"]
    code, out, _ = rubricate("evaluate", "to-label.csv", "run.csv", "--population", "run.csv", "--json")
    assert code == 0
    estimates = json.loads(out)["estimates"]
    assert {"micro_f1", "macro_f1", "f1", "precision", "recall", "prevalence"} <= {row["measure"] for row in estimates}
    assert all(set(row) == {"measure", "category", "estimate", "low", "high", "labelled"} for row in estimates)
    code, _, _ = rubricate("sample", "run.csv", "-n", 50, "-o", "more.csv", "--extend", "to-label.csv")
    assert code == 0
    assert len(read_sample("more.csv").sample.documents) == 150
    code, out, _ = rubricate("evaluate", "more.csv", "run.csv", "--population", "run.csv")
    assert (code, "micro_f1" in out, "100 of them labelled" in out) == (0, True, True)


def test_a_size_for_a_width(folder, rubricate):
    code, _, err = rubricate("sample", "run.csv", "--width", "0.2", "--measure", "micro_f1", "-o", "a.csv")
    assert (code, "for an interval of width 0.2" in err) == (0, True)
    code, _, err = rubricate("sample", "run.csv", "-n", 5, "-o", "a.xlsx")
    assert code == 2
    assert "ends in .csv" in err
    code, _, err = rubricate("sample", "run.csv", "-o", "a.csv")
    assert (code, "-n 200" in err) == (2, True)


def test_a_changed_probability_is_refused(folder, rubricate):
    _, run, labels = folder
    write_sample(draw_sample(run, 40, design="neyman"), "s.csv")
    rows = _fill("s.csv", labels)
    for change in ("0.5", "0", "x"):
        text = Path("s.csv").read_text().replace(f",{rows[5]['probability']},", f",{change},", 6)
        Path("changed.csv").write_text(text)
        with pytest.raises(InvalidFile, match=r"design of document|has no weight|not a number"):
            read_sample("changed.csv")
        code, _, err = rubricate("evaluate", "changed.csv", "run.csv", "--population", "run.csv")
        assert (code, "line" in err) == (2, True)


def test_labels_outside_the_population(folder, rubricate):
    (folder[0] / "few.csv").write_text("document,labels\nnowhere,common\n")
    code, _, err = rubricate("evaluate", "few.csv", "run.csv", "--population", "run.csv")
    assert (code, "labels outside the population" in err) == (2, True)
    (folder[0] / "few.csv").write_text("document,labels\nd1,comon\n")
    code, _, err = rubricate("evaluate", "few.csv", "run.csv", "--population", "run.csv")
    assert (code, "labels outside the population" in err) == (2, True)


def test_all_labels_equal(folder, rubricate):
    (folder[0] / "few.csv").write_text("document,labels\n" + "".join(f"d{i},\n" for i in range(30)))
    code, out, _ = rubricate("evaluate", "few.csv", "run.csv", "--population", "run.csv", "--json")
    assert code == 0
    rows = {(row["measure"], row["category"]): row for row in json.loads(out)["estimates"]}
    assert rows["recall", "common"]["estimate"] is None
    assert (rows["recall", "common"]["low"], rows["recall", "common"]["high"]) == (0, 1)
    assert rows["micro_recall", None]["estimate"] is None


def test_predictions_of_another_system_are_refused(folder, rubricate):
    text = (folder[0] / "run.csv").read_text().splitlines()
    rows = [f"{line.split(',')[0]},0.9,0.9,0.9" for line in text[1:]]
    (folder[0] / "other.csv").write_text("\n".join([text[0], *rows]))
    (folder[0] / "few.csv").write_text("document,labels\n" + "".join(f"d{i},common\n" for i in range(30)))
    code, _, err = rubricate("evaluate", "few.csv", "other.csv", "--population", "run.csv")
    assert (code, "same system" in err) == (2, True)


def test_a_sample_of_another_run_is_not_extended(folder):
    _, run, _ = folder
    first = draw_sample(run, 40, design="neyman")
    other, _ = _population(400, seed=9)
    with pytest.raises(InvalidInput, match="differs from the one"):
        draw_sample(other, 10, earlier=first)


def test_plain_labels_count_as_a_uniform_sample(folder):
    path, run, labels = folder
    (path / "few.csv").write_text("document,labels\n" + "".join(f"{d},{labels[d]}\n" for d in run.documents[:50]))
    sample = read_labelled("few.csv", run)
    assert sample.uniform
    assert sample.weights == pytest.approx(np.full(50, 1 / 50))


def test_a_category_that_is_never_assigned_has_an_interval_and_not_a_point():
    """Without hits all residuals of a ratio are zero; GoEmotions has such categories: coverage fell to .80 there."""
    run, truth = _population()
    never = run.decisions.values.toarray()
    never[:, 0] = False
    silent = Run(
        "silent", run.documents, CATEGORIES, run.scores, Decisions(sparse.csr_array(never), CATEGORIES, run.documents)
    )
    found = population_estimates(_uniform(silent, truth, 200, np.random.default_rng(0)), silent)
    for measure in ("recall", "f1"):
        row = found.get(measure, "common")
        assert row.low == 0
        assert row.high > 0.01
    assert found.get("precision", "common").high == 1
