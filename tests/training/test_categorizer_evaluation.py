"""`evaluate`: the whole result, from any input, with intervals, and printed."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from tests.measures.strategies import label_pairs, scored

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.types import Decisions, Run, Scores

RNG = np.random.default_rng(0)
TRUTH = RNG.random((60, 5)) < 0.3
SCORES = np.clip(RNG.random((60, 5)) * 0.6 + TRUTH * 0.3, 0, 1)
DECIDED = SCORES > 0.5


def whole(**options):
    return rb.evaluate(TRUTH, DECIDED, scores=SCORES, train_counts=[1, 5, 20, 40, 60], **options)


def test_the_parts_of_a_result():
    found = whole()
    measured = {"accuracy", "error", "f1", "fallout", "kappa", "mcc", "precision", "recall"}
    assert set(found.micro) == measured == set(found.macro)
    assert set(found.baselines) == {"rejector", "acceptor"}
    examples = {"example_f1", "example_precision", "example_recall", "hamming_loss", "subset_accuracy"}
    assert set(found.examples) == examples
    assert found.convention == "zero"
    assert found.micro["f1"] == pytest.approx(f1_score(TRUTH, DECIDED, average="micro"))
    assert found.macro["f1"] == pytest.approx(f1_score(TRUTH, DECIDED, average="macro"))
    assert len(found.per_category["average_precision"]) == 5
    assert found.ranking["break_even"]["way"] == "one global threshold"
    assert set(found.probability) == {"brier", "ece", "log_loss"}
    assert found.by_frequency[0].low == 1
    assert "undefined:zero" in str(found.signature)


def test_the_curves_of_scores_are_there():
    ranking = whole().ranking
    bins, abstaining = ranking["reliability"], ranking["abstention"]
    assert sum(bins["counts"]) == TRUTH.size
    gaps = np.abs(np.array(bins["observed"], float) - np.array(bins["predicted"], float))
    assert np.nansum(gaps * bins["counts"]) / TRUTH.size == pytest.approx(whole().probability["ece"])
    best = SCORES.argmax(axis=1)
    assert abstaining["coverage"][-1] == 1.0
    assert abstaining["error"][-1] == pytest.approx(1 - TRUTH[np.arange(len(TRUTH)), best].mean())
    assert len(abstaining["coverage"]) == len(abstaining["confidence"]) <= 10
    assert "reliability" not in rb.evaluate(TRUTH, scores=SCORES * 2).ranking


@pytest.mark.parametrize("name", ["eleven_point", "example_f1", "brier", "hierarchical_f1"])
def test_more_measures_are_those_of_counts(name):
    with pytest.raises(InvalidInput, match=f"'{name}' is not made of the counts"):
        rb.evaluate(TRUTH, DECIDED, measures=[name])


def test_json_holds_everything_without_nan():
    plain = json.loads(json.dumps(whole(bootstrap=20).to_dict(), allow_nan=False))
    assert {"micro", "macro", "per_category", "ranking", "convention", "baselines", "signature"} <= set(plain)
    assert plain["per_category"]["3"]["tp"] == int((TRUTH & DECIDED)[:, 3].sum())
    empty = rb.evaluate(np.zeros((2, 2)), np.zeros((2, 2)), undefined="omit").to_dict()
    assert empty["micro"]["f1"] is None
    json.dumps(empty, allow_nan=False)


def test_printing_gives_the_table_of_yangliu1999():
    lines = str(whole()).splitlines()
    assert lines[0].split() == ["system", "miR", "miP", "miF1", "maF1", "error"]
    assert [line.split()[0] for line in lines[1:4]] == ["run", "rejector", "acceptor"]


def test_a_run_gives_what_its_parts_give():
    names, ids = tuple("01234"), tuple(map(str, range(60)))
    run = Run(
        "r", ids, names,
        scores=Scores(SCORES, names, ids), decisions=Decisions(indicator(DECIDED), names, ids), truth=indicator(TRUTH),
    )  # fmt: skip
    one, other = rb.evaluate(run).to_dict(), rb.evaluate(TRUTH, DECIDED, scores=SCORES, name="r").to_dict()
    assert one == other
    with pytest.raises(InvalidInput, match="give the run alone"):
        rb.evaluate(run, DECIDED)


def test_decisions_alone_and_scores_alone():
    assert rb.evaluate(TRUTH, DECIDED).ranking == {}
    scored_only = rb.evaluate(TRUTH, scores=SCORES)
    assert scored_only.micro == {}
    assert scored_only.ranking["eleven_point"] > 0.5
    assert rb.evaluate(TRUTH, scores=SCORES * 2).probability == {}


def test_more_measures_by_name():
    found = rb.evaluate(TRUTH, DECIDED, measures=("f_beta:2", "e_beta:0.5"))
    assert found.micro["f_beta:2"] > 0
    assert found.micro["e_beta:0.5"] == pytest.approx(
        1 - rb.evaluate(TRUTH, DECIDED, measures=("f_beta:0.5",)).micro["f_beta:0.5"]
    )


def test_intervals_hold_the_value_and_follow_the_seed():
    found = whole(bootstrap=200, seed=3)
    for name, intervals in found.intervals.items():
        where, *steps = name.split(".")
        value = getattr(found, where)
        for step in steps:
            value = value[step]
        for one in intervals:
            assert one.low - 0.02 <= value <= one.high + 0.02, (name, one.method)
    assert whole(bootstrap=50, seed=1).intervals == whole(bootstrap=50, seed=1).intervals
    assert {one.method for one in found.intervals["micro.recall"]} == {"wilson", "studentized"}
    assert {"ranking.by_category.break_even", "ranking.by_category.eleven_point", "probability.brier"} <= set(
        found.intervals
    )
    assert {one.method for one in whole().intervals["micro.recall"]} == {"wilson"}


def test_resampling_every_document_once_gives_the_values_themselves(monkeypatch):
    """With each document drawn once every interval is a point: the number itself."""
    real = np.random.default_rng

    class Once:
        bit_generator = SimpleNamespace(state=None)  # blocks of draws take over the state of the generator

        def integers(self, low, high, size):
            return np.arange(high)

        def multinomial(self, n, shares, draws):
            return np.tile(np.rint(n * shares).astype(np.int64), (draws, 1))

    monkeypatch.setattr(np.random, "default_rng", lambda seed=0: Once() if seed == 0 else real(seed))
    found, points = whole(bootstrap=1), 0
    for name, intervals in found.intervals.items():
        where, *steps = name.split(".")
        value = getattr(found, where)
        for step in steps:
            value = value[step]
        for drawn in intervals:
            if drawn.method != "wilson":  # one draw has no spread: measures of counts then have Wilson's interval alone
                assert (drawn.low, drawn.high) == (pytest.approx(value), pytest.approx(value)), name
                points += 1
    assert points > 5
    ranked = {name for name in found.ranking if isinstance(found.ranking[name], float)}
    assert {f"ranking.{name}" for name in ranked} | {"probability.ece", "ranking.break_even.micro"} <= set(
        found.intervals
    )


@given(label_pairs())
def test_any_labels_are_measured(pair):
    found = rb.evaluate(*pair, undefined="omit")
    assert set(found.row()) == {"miR", "miP", "miF1", "maF1", "error"}
    json.dumps(found.to_dict(), allow_nan=False)
    str(found)


@given(scored())
def test_any_scores_are_measured(pair):
    scores, truth = pair
    found = rb.evaluate(truth, scores=scores)
    json.dumps(found.to_dict(), allow_nan=False)
    assert math.isnan(found.ranking["average_precision"]) == (not truth.any())


@pytest.mark.slow
def test_a_scikit_learn_pipeline():
    X, Y = make_multilabel_classification(n_samples=120, n_classes=4, random_state=0)
    model = OneVsRestClassifier(LogisticRegression(max_iter=1000)).fit(X[:80], Y[:80])
    found = rb.evaluate(Y[80:], model.predict(X[80:]), scores=model.predict_proba(X[80:]), train_counts=Y[:80])
    assert found.micro["f1"] == pytest.approx(f1_score(Y[80:], model.predict(X[80:]), average="micro"))
    assert found.probability["brier"] < 0.25
    assert sum(band.categories for band in found.by_frequency) == 4


@pytest.mark.slow
def test_memory_follows_the_labels_not_the_grid():
    """100,000 × 10,000 with 3 labels a document would be 10⁹ cells: 1 GB of booleans."""
    import tracemalloc

    n, m = 100_000, 10_000
    rng = np.random.default_rng(0)
    parts = []
    for _ in range(2):
        columns = rng.integers(0, m, 3 * n).astype(np.int32)
        matrix = sparse.csr_array(
            (np.ones(3 * n, bool), columns, np.arange(0, 3 * n + 1, 3, dtype=np.int32)), shape=(n, m)
        )
        parts.append(indicator(matrix))
    ids, names = range(n), tuple(map(str, range(m)))
    run = Run("big", ids, names, decisions=Decisions(parts[1], names, ids), truth=parts[0])
    rb.evaluate(np.eye(2), np.eye(2))
    tracemalloc.start()
    rb.evaluate(run)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6


def test_a_run_without_truth_is_refused():
    run = Run("r", ["d"], ("a",), decisions=Decisions(indicator([[1]]), ("a",), ["d"]))
    with pytest.raises(InvalidInput, match="no truth to be measured against"):
        rb.evaluate(run)
