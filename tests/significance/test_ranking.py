"""Rankings, summaries by cells, and intervals; published figures of real submissions where they are at hand."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import metrics

import rubricate as rb
from rubricate.errors import InvalidInput, UnknownName
from rubricate.measures.evaluation_intervals import joint_draws, run_patterns
from rubricate.measures.intervals import SUMMARIES
from rubricate.measures.resampling import count_patterns
from rubricate.significance.ranking import rank_systems

DATA = Path(os.environ.get("RUBRICATE_DATA", "/nowhere")) / "predictions"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the submissions are not on this machine")


def answers(rng, qualities, documents=400, classes=5):
    true = rng.integers(0, classes, documents)
    names = np.array([f"c{i}" for i in range(classes)])
    given_ = {q: np.where(rng.random(documents) < q, true, rng.integers(0, classes, documents)) for q in qualities}
    return names[true].tolist(), {q: names[a].tolist() for q, a in given_.items()}


def value(name, truth, answered, labels):
    common = {"labels": labels, "zero_division": 0}
    return {
        "micro_f1": lambda: metrics.f1_score(truth, answered, average="micro", **common),
        "macro_f1": lambda: metrics.f1_score(truth, answered, average="macro", **common),
        "weighted_f1": lambda: metrics.f1_score(truth, answered, average="weighted", **common),
        "macro_precision": lambda: metrics.precision_score(truth, answered, average="macro", **common),
        "micro_recall": lambda: metrics.recall_score(truth, answered, average="micro", **common),
        "accuracy": lambda: metrics.accuracy_score(truth, answered),
        "balanced_accuracy": lambda: metrics.balanced_accuracy_score(truth, answered),
        "mcc": lambda: metrics.matthews_corrcoef(truth, answered),
        "kappa": lambda: metrics.cohen_kappa_score(truth, answered),
    }[name]()


@pytest.mark.slow
@given(st.integers(2, 5), st.integers(5, 40), st.integers(0, 10**6))
def test_summaries_are_those_of_scikit_learn(classes, documents, seed):
    rng = np.random.default_rng(seed)
    truth = np.r_[np.arange(classes), rng.integers(0, classes, documents)]
    answered = np.r_[np.arange(classes), rng.integers(0, classes, documents)]
    eye = np.eye(classes, dtype=bool)
    sums = count_patterns(sparse.csr_array(eye[truth]), sparse.csr_array(eye[answered])).observed()
    names = ("micro_f1", "macro_f1", "weighted_f1", "macro_precision", "micro_recall", "accuracy", "balanced_accuracy")
    for name in (*names, "mcc", "kappa"):
        expected = value(name, truth, answered, list(range(classes)))
        assert float(SUMMARIES[name](sums, "zero")[0]) == pytest.approx(expected, abs=1e-12), name


def test_patterns_have_the_distribution_of_documents():
    """The same mean and spread of macro-F1 by a multinomial over patterns as by drawing documents."""
    truth, systems = answers(np.random.default_rng(0), (0.6,))
    patterns = run_patterns(rb.as_run(truth, systems[0.6]))
    macro = SUMMARIES["macro_f1"]
    by_patterns = macro(patterns.sums(patterns.drawn(4000, np.random.default_rng(1))), "zero")
    _, by_documents = joint_draws([patterns], "macro_f1", draws=4000, seed=2)
    assert by_patterns.mean() == pytest.approx(by_documents.mean(), abs=5 * by_patterns.std() / 60)
    assert by_patterns.std() == pytest.approx(by_documents.std(), rel=0.06)


def test_a_ranking():
    truth, systems = answers(np.random.default_rng(3), (0.5, 0.8, 0.801, 0.3))
    runs = [rb.as_run(truth, decided, name=str(q)) for q, decided in systems.items()]
    ranking = rank_systems(runs, by="accuracy", draws=300)
    assert [s.system for s in ranking.systems][2:] == ["0.5", "0.3"]
    assert [s.rank for s in ranking.systems] == [1, 2, 3, 4]
    assert set(ranking.systems[0].letters) & set(ranking.systems[1].letters)
    assert not set(ranking.systems[1].letters) & set(ranking.systems[2].letters)
    for system in ranking.systems:
        assert system.low <= system.value <= system.high
        assert system.rank_low <= system.rank <= system.rank_high
    assert ranking.systems[3].rank_low == 4


@pytest.mark.parametrize("by", ["mcc", "weighted_f1", "balanced_accuracy"])
def test_any_measure_ranks(by):
    truth, systems = answers(np.random.default_rng(3), (0.5, 0.9))
    runs = [rb.as_run(truth, decided, name=str(q)) for q, decided in systems.items()]
    ranking = rank_systems(runs, by=by, draws=200)
    assert [s.system for s in ranking.systems] == ["0.9", "0.5"]
    assert ranking.results[0].better == "b"
    assert ranking.systems[0].value == pytest.approx(value(by, truth, systems[0.9], sorted(set(truth))))


def test_what_cannot_be_ranked():
    run = rb.as_run([{"a"}, {"b"}], [{"a"}, {"b"}])
    with pytest.raises(UnknownName, match="macro_f1"):
        rank_systems([run], by="macrof1")
    with pytest.raises(InvalidInput, match="different names"):
        rank_systems([run, run])
    with pytest.raises(InvalidInput, match="no run"):
        rank_systems([])


def test_abstentions_are_coverage_and_accuracy_of_the_answered():
    result = rb.evaluate([{"a"}, {"b"}, {"a"}, {"b"}], [{"a"}, set(), {"b"}, set()])
    assert result.summaries["coverage"] == 0.5
    assert result.summaries["accuracy_answered"] == 0.5
    assert result.summaries["accuracy"] == 0.25


def test_baselines_of_single_label_data():
    result = rb.evaluate(["a", "a", "b", "a"], ["a", "b", "b", "a"])
    assert result.shown_baselines == ("majority", "random")
    assert result.baselines["majority"]["micro"]["recall"] == 0.75
    assert result.baselines["random"]["micro"]["recall"] == pytest.approx(0.75**2 + 0.25**2)


def test_scores_have_auc_and_log_loss_of_scikit_learn():
    rng = np.random.default_rng(4)
    truth, scores = rng.random((60, 3)) < 0.4, rng.random((60, 3)).round(1)
    result = rb.evaluate(truth, scores=scores)
    auc = [metrics.roc_auc_score(truth[:, c], scores[:, c]) for c in range(3)]
    loss = [metrics.log_loss(truth[:, c], scores[:, c]) for c in range(3)]
    assert result.ranking["by_category"]["roc_auc"] == pytest.approx(np.mean(auc))
    assert result.per_category["log_loss"] == pytest.approx(loss)


def test_class_log_loss_is_that_of_scikit_learn():
    rng = np.random.default_rng(4)
    classes, scores = rng.integers(0, 3, 50), rng.dirichlet(np.ones(3), 50)
    result = rb.evaluate(np.eye(3, dtype=int)[classes], scores=scores)
    assert result.probability["class_log_loss"] == pytest.approx(metrics.log_loss(classes, scores, labels=[0, 1, 2]))


@needs_data
@pytest.mark.slow
def test_twenty_submissions_have_the_published_ranking_and_macro_f1():
    """SemEval-2018 task 2, Spanish: the organisers' table, three digits of percent."""
    published = list(csv.DictReader((DATA / "emoji_spanish" / "published.csv").open()))
    runs = rb.read_runs(DATA / "emoji_spanish" / "gold.csv", sorted((DATA / "emoji_spanish" / "runs").glob("*.csv")))
    whole = {run.name: run_patterns(run).observed() for run in runs}
    macro = {name: float(SUMMARIES["macro_f1"](sums, "zero")[0]) for name, sums in whole.items()}
    assert sorted(macro, key=lambda name: -macro[name]) == [row["team"] for row in published]
    for row in published:
        assert 100 * macro[row["team"]] == pytest.approx(float(row["macro_f1_recomputed"]), abs=5.1e-4)
        assert 100 * macro[row["team"]] == pytest.approx(float(row["macro_f1_from_published_table"]), abs=1.5e-3)
        accuracy = 100 * float(SUMMARIES["accuracy"](whole[row["team"]], "zero")[0])
        assert accuracy == pytest.approx(float(row["accuracy_recomputed"]), abs=5.1e-4)


@needs_data
def test_litcovid_has_its_published_figures():
    """BioCreative VII: micro P .9304, R .8028, F1 .8619, macro F1 .8186 at a cut of .5; the first column is PMID."""
    run = rb.read_run(DATA / "litcovid" / "gold.csv", DATA / "litcovid" / "run.csv").cut(0.5)
    result = rb.evaluate(run)
    figures = result.micro["precision"], result.micro["recall"], result.micro["f1"], result.macro["f1"]
    assert [round(figure, 4) for figure in figures] == [0.9304, 0.8028, 0.8619, 0.8186]
