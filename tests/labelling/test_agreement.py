"""Agreement of annotators: equal to the definitions and to other packages, with gaps, label sets and hostile input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
from tests.oracles import agreement as oracle
from tests.tally import count_cases

from rubricate.errors import InvalidInput
from rubricate.labelling import agreement, alternative_annotator
from rubricate.labels import label_matrix
from rubricate.types import Decisions

NONE = None
# The fixtures that irrCAC 0.4.4 publishes with its tests (test/unit/irrCAC/raw; Gwet, Handbook of Inter-Rater
# Reliability, 4th edition), with the values asserted there: percent agreement, AC1, Fleiss' kappa.
IRRCAC = {
    "raw_4raters": (
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, NONE],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ),
    "raw_5observers": (
        [1, 1, 2, NONE, 0, 0, 1, 1, 2, 2, NONE, 0, 1, 3, 1],
        [1, 1, 3, 0, 0, 0, 0, NONE, 2, 1, 1, 0, 2, 3, 1],
        [2, 0, 3, 0, 0, 0, 2, 2, 2, 1, 0, 0, 2, 2, 1],
        [NONE, 1, 3, NONE, NONE, NONE, NONE, 0, NONE, 1, 0, 0, 2, 2, NONE],
        [2, NONE, NONE, 0, 0, 0, 1, NONE, 2, NONE, NONE, NONE, NONE, 3, 1],
    ),
    "raw_gender": (
        [*"aaaaabbbcaaaaab"],
        [*"aaaababccaaaaba"],
        [*"abbcaabbcabbcaa"],
        [*"ccccaabbcccccaa"],
    ),
    "raw_ben_gerry": ([*"aabbdcccedda"], [*"babbbccce", NONE, *"dd"]),
}
PUBLISHED = {
    "raw_4raters": (0.818, 0.775, 0.761),
    "raw_5observers": (0.616, 0.497, 0.458),
    "raw_gender": (0.456, 0.208, 0.129),
    "raw_ben_gerry": (0.727, 0.661, 0.649),
}


def _annotator(values):
    kept = [(f"d{i}", {str(value)}) for i, value in enumerate(values) if value is not None]
    matrix, names = label_matrix([labels for _, labels in kept])
    return Decisions(matrix, names, tuple(name for name, _ in kept))


@pytest.mark.parametrize("name", IRRCAC)
def test_the_published_fixtures_of_irrcac(name):
    found = agreement([_annotator(values) for values in IRRCAC[name]], draws=0).overall
    percent, ac1, fleiss = PUBLISHED[name]
    assert (round(found["percent"].estimate, 3), round(found["ac1"].estimate, 3)) == (percent, ac1)
    assert round(found["fleiss"].estimate, 3) == fleiss


def test_alpha_equals_krippendorff_0_9():
    # krippendorff.alpha(reliability_data, level_of_measurement="nominal"), krippendorff 0.9.0, on the fixtures above.
    golden = {
        "raw_4raters": 0.743421052631579,
        "raw_5observers": 0.4805302402651201,
        "raw_gender": 0.1434074074074074,
        "raw_ben_gerry": 0.6648936170212766,
    }
    for name, value in golden.items():
        found = agreement([_annotator(values) for values in IRRCAC[name]], draws=0).overall
        assert found["alpha"].estimate == pytest.approx(value, abs=1e-12)
        # One label per document: equal or not is the only distance.
        assert found["alpha_masi"].estimate == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_kappas_equal_scikit_learn_and_statsmodels(seed):
    rng = np.random.default_rng(seed)
    same = rng.integers(0, 4, 200)
    said = np.array([np.where(rng.random(200) < 0.7, same, rng.integers(0, 4, 200)) for _ in range(3)])
    three = agreement([[str(v) for v in row] for row in said], draws=0)
    assert three.overall["fleiss"].estimate == pytest.approx(fleiss_kappa(aggregate_raters(said.T)[0]), abs=1e-12)
    two = agreement([[str(v) for v in row] for row in said[:2]], draws=0)
    assert two.overall["kappa"].estimate == pytest.approx(cohen_kappa_score(*said[:2]), abs=1e-12)
    for row in two.categories:
        own = [rater == int(row.category) for rater in said[:2]]
        assert row.kappa == pytest.approx(cohen_kappa_score(*own), abs=1e-12)
    for row in three.categories:
        table = aggregate_raters((int(row.category) == said.T).astype(int))[0]
        assert row.kappa == pytest.approx(fleiss_kappa(table), abs=1e-12)


def test_equal_to_krippendorff_where_it_is_installed():
    krippendorff = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(5)
    said = rng.integers(0, 3, (4, 60)).astype(float)
    said[rng.random((4, 60)) < 0.2] = np.nan
    judged = [_annotator([None if np.isnan(v) else int(v) for v in row]) for row in said]
    expected = krippendorff.alpha(said, level_of_measurement="nominal")
    assert agreement(judged, draws=0).overall["alpha"].estimate == pytest.approx(expected, abs=1e-12)


SETS = st.frozensets(st.sampled_from("abcde"))


@pytest.mark.slow
@given(st.lists(st.lists(st.one_of(st.none(), SETS), min_size=3, max_size=3), min_size=2, max_size=12))
def test_alpha_of_label_sets_follows_its_definition(rows):
    units = [[labels for labels in row if labels is not None] for row in rows]
    judgements = [labels for unit in units if len(unit) > 1 for labels in unit]
    if len(set(judgements)) < 2:
        count_cases(0)
        return
    judged = []
    for a in range(3):
        own = [(f"d{i}", row[a]) for i, row in enumerate(rows) if row[a] is not None]
        matrix, names = label_matrix([labels for _, labels in own], tuple("abcde"))
        judged.append(Decisions(matrix, names, tuple(name for name, _ in own)))
    found = agreement(judged, draws=0).overall
    assert found["alpha_masi"].estimate == pytest.approx(oracle.alpha(units, oracle.masi), abs=1e-9)
    assert found["alpha_jaccard"].estimate == pytest.approx(oracle.alpha(units, oracle.jaccard), abs=1e-9)
    assert found["alpha"].estimate == pytest.approx(oracle.alpha(units, lambda a, b: float(a != b)), abs=1e-9)
    count_cases()


def test_intervals_enclose_the_estimate_and_shrink():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 2000)
    said = [np.where(rng.random(2000) < 0.8, truth, rng.integers(0, 3, 2000)).astype(str) for _ in range(2)]
    small, large = (agreement([part[:n] for part in said], draws=400).overall for n in (100, 2000))
    for name in ("percent", "kappa", "alpha", "ac1", "alpha_masi"):
        assert small[name].low < small[name].estimate < small[name].high
        assert large[name].high - large[name].low < 0.5 * (small[name].high - small[name].low)
    # The jackknife of the distances and the bootstrap of nominal alpha are two ways to one interval here.
    assert small["alpha_masi"].low == pytest.approx(small["alpha"].low, abs=0.03)


def test_disagreements_name_what_everyone_said():
    found = agreement([[{"a"}, {"a", "b"}, {"c"}], [{"a"}, {"a"}, {"b"}]], names=("ann", "bob"), draws=0)
    assert [item.document for item in found.disagreements] == ["2", "1"]
    assert found.disagreements[0].labels == {"ann": ("c",), "bob": ("b",)}
    assert found.disagreements[1].distance == pytest.approx(2 / 3)


def test_one_annotator_is_refused():
    with pytest.raises(InvalidInput, match="at least two annotators"):
        agreement([["a", "b"]])


def test_annotators_without_a_common_document_are_refused():
    with pytest.raises(InvalidInput, match="no document was labelled by two"):
        agreement([_annotator(["a", None]), _annotator([None, "a"])])


def test_all_labels_equal_has_no_kappa_but_full_agreement():
    found = agreement([["a", "a"], ["a", "a"]], draws=20)
    assert found.overall["percent"].estimate == 1
    assert np.isnan(found.overall["alpha"].estimate)
    assert np.isnan(found.overall["kappa"].estimate)
    row = json.loads(json.dumps(found.to_dict()))["categories"][0]
    assert (row["percent"], row["kappa"], row["alpha"], row["ac1"]) == (1.0, None, None, 1.0)


def test_a_model_that_copies_the_majority_may_stand_in_and_noise_may_not():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 120)
    people = [np.where(rng.random(120) < 0.75, truth, rng.integers(0, 3, 120)).astype(str) for _ in range(3)]
    good = alternative_annotator(people, truth.astype(str))
    assert good.passes
    assert good.winning_rate == 1
    bad = alternative_annotator(people, rng.integers(0, 3, 120).astype(str))
    assert not bad.passes
    assert bad.advantage < good.advantage


def test_the_test_of_a_model_by_hand():
    # One annotator's four documents: d = W^h − W^f = (1, 0, 0, −1) against ε = .2: t = (0 − .2) / (.8165 / 2) = −.4899,
    # P(T_3 <= −.4899) = .3289 (scipy.stats.t.cdf, SciPy 1.16).
    from rubricate.labelling.alternative import _rejected, _t_test

    assert _t_test(np.array([1.0, 0, 0, -1]), 0.2) == pytest.approx(0.32887, abs=1e-4)
    assert _rejected({"a": 0.001, "b": 0.02, "c": 0.5}, 0.05) == {"a": True, "b": False, "c": False}
    with pytest.raises(InvalidInput, match="three annotators"):
        alternative_annotator([["a"], ["a"]], ["a"])


def test_the_command(rubricate, tmp_path):
    for name, cells in {"a": ("x", "x;y", ""), "b": ("x", "y", ""), "c": ("x", "x;y", "y")}.items():
        rows = "".join(f"d{i},{cell}\n" for i, cell in enumerate(cells))
        (tmp_path / f"{name}.csv").write_text("document,labels\n" + rows)
    code, out, _ = rubricate("agree", "a.csv", "b.csv", "--json")
    assert code == 0
    result = json.loads(out)
    assert set(result["categories"][0]) == {"category", "percent", "kappa", "alpha", "ac1", "low", "high"}
    assert {"percent", "kappa", "fleiss", "alpha", "alpha_masi", "alpha_jaccard", "ac1"} <= set(result["overall"])
    code, out, _ = rubricate("agree", "a.csv", "b.csv", "c.csv", "--model", "a.csv")
    assert code == 0
    assert "Alternative annotator test" in out
    code, _, err = rubricate("agree", "a.csv")
    assert (code, "at least two" in err) == (2, True)
