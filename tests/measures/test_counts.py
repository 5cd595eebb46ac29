"""Tables and the measures of counts: against exact fractions, scikit-learn, and the relations of the papers."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import fbeta_score, multilabel_confusion_matrix, precision_recall_fscore_support
from tests.measures.strategies import label_pairs
from tests.oracles import measures as oracle
from tests.tally import count_cases

from rubricate import registry
from rubricate.errors import InvalidInput, UnknownName
from rubricate.labels import indicator
from rubricate.measures import acceptor, counts, family, macro, mean, micro, of_kind, rejector, resolve, total
from rubricate.measures.contingency import e_beta, f1, f_beta, precision, recall
from rubricate.types import Counts

CONVENTIONS = ("zero", "one", "omit")
cells = st.integers(0, 12)


def table_of(tp, fp, fn, tn):
    return Counts(*(np.array([cell]) for cell in (tp, fp, fn, tn)))


@given(label_pairs())
def test_tables_agree_with_counting_one_by_one_and_with_scikit_learn(pair):
    truth, decided = pair
    found = counts(indicator(truth), indicator(decided))
    assert list(zip(found.tp, found.fp, found.fn, found.tn, strict=True)) == oracle.table(truth, decided)
    theirs = multilabel_confusion_matrix(np.c_[truth, truth[:, 0]], np.c_[decided, decided[:, 0]])[: truth.shape[1]]
    assert np.array_equal(theirs.reshape(-1, 4), np.c_[found.tn, found.fp, found.fn, found.tp])


@given(label_pairs())
def test_tables_of_documents_are_the_tables_of_the_transpose(pair):
    truth, decided = pair
    by_document = counts(indicator(truth), indicator(decided), by="document")
    assert list(zip(by_document.tp, by_document.fp, by_document.fn, by_document.tn, strict=True)) == oracle.table(
        truth.T, decided.T
    )


@given(label_pairs(), st.sampled_from(CONVENTIONS))
def test_averages_agree_with_exact_fractions(pair, undefined):
    tables = oracle.table(*pair)
    found = counts(*map(indicator, pair))
    summed = tuple(map(sum, zip(*tables, strict=True)))
    for name in set(of_kind("counts")) - {"mcc"}:  # a square root is no fraction
        exact = oracle.settle(oracle.measure(name, *summed), undefined)
        assert micro(name, found, undefined=undefined) == pytest.approx(
            math.nan if exact is None else float(exact), rel=1e-15, nan_ok=True
        )
        exact = oracle.macro(name, tables, undefined)
        assert macro(name, found, undefined=undefined) == pytest.approx(
            math.nan if exact is None else float(exact), rel=1e-14, nan_ok=True
        )


@given(label_pairs(), st.sampled_from([("zero", 0), ("one", 1), ("omit", np.nan)]))
def test_averages_agree_with_scikit_learn(pair, convention):
    truth, decided = (np.c_[part, part[:, 0]] for part in pair)
    undefined, division = convention
    found = counts(indicator(truth), indicator(decided))
    for average, ours in (("micro", micro), ("macro", macro)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            p, r, f, _ = precision_recall_fscore_support(truth, decided, average=average, zero_division=division)
        assert ours(precision, found, undefined=undefined) == pytest.approx(p, nan_ok=True)
        assert ours(recall, found, undefined=undefined) == pytest.approx(r, nan_ok=True)
        assert ours(f1, found, undefined=undefined) == pytest.approx(f, nan_ok=True)


@given(label_pairs(), st.sampled_from([0.0, 0.5, 1.0, 2.0, 10.0, math.inf]))
def test_f_beta_agrees_with_scikit_learn(pair, beta):
    truth, decided = (np.c_[part, part[:, 0]] for part in pair)
    found = counts(indicator(truth), indicator(decided))
    theirs = fbeta_score(truth, decided, beta=beta, average=None, zero_division=0)
    assert f_beta(found, beta=beta) == pytest.approx(theirs)
    assert e_beta(found, beta=beta) == pytest.approx(1 - theirs)


@given(cells, cells, cells, cells)
def test_the_error_of_evaluation2011_is_mended(tp, fp, fn, tn):
    """EV11 prints E = (FN + TP)/(2TP + FP + FN); by its own definition |A Δ B| / (|A| + |B|) it is (FP + FN)/(…)."""
    table = table_of(tp, fp, fn, tn)
    if 2 * tp + fp + fn:
        assert e_beta(table)[0] == pytest.approx((fp + fn) / (2 * tp + fp + fn))
    else:
        assert e_beta(table)[0] == 1.0
    assert e_beta(table)[0] == 1.0 - f1(table)[0]


@given(cells, cells, cells, st.sampled_from([0.25, 0.5, 0.9, 1.0, 1.1, 2.0, 4.0]))
def test_the_relation_of_the_mean_and_f_beta(tp, fp, fn, beta):
    """sign((P + R)/2 − F_β) = sign((P − R)(β²P − R)), for P, R > 0; EV11's case P < R holds only for β < √(R/P)."""
    table = table_of(tp, fp, fn, 0)
    p, r = float(precision(table)[0]), float(recall(table)[0])
    if not tp:
        count_cases(0)
        return
    left = (p + r) / 2 - float(f_beta(table, beta=beta)[0])
    right = (p - r) * (beta * beta * p - r)
    if abs(right) > 1e-12:
        assert np.sign(left) == np.sign(right)
    else:
        assert left == pytest.approx(0, abs=1e-12)
    assert (p + r) / 2 >= float(f1(table)[0]) - 1e-15
    count_cases()


def test_the_second_case_of_evaluation2011_fails_for_a_large_beta():
    table = table_of(1, 3, 0, 0)
    p, r, f = precision(table)[0], recall(table)[0], f_beta(table, beta=3)[0]
    assert p < r
    assert (p + r) / 2 < f


def test_the_trivial_systems_of_yang1999():
    """Section 3.4: 93 categories, 1.2 of them a document on average, make the rejector's error 1.2/93 = 1.3 %."""
    n = 100
    truth = indicator(
        np.array([[i % 93 == c or (i % 5 == 0 and (i + 1) % 93 == c) for c in range(93)] for i in range(n)])
    )
    none, every = rejector(truth), acceptor(truth)
    assert round(micro("error", none), 3) == 0.013 == round(macro("error", none), 3)
    assert micro("accuracy", none) == 1 - micro("error", none)
    assert micro("recall", every) == 1.0
    assert micro("precision", every) == pytest.approx(1.2 / 93)
    assert micro("f1", none) == 0.0
    assert micro("precision", none, undefined="one") == 1.0
    assert np.array_equal(none.tp, counts(truth, indicator(np.zeros(truth.shape))).tp)
    assert np.array_equal(every.fp, counts(truth, indicator(np.ones(truth.shape))).fp)


def test_the_unlabelled_documents_of_yang1999():
    """Section 5.2: where 58 % of the documents have no label, rejecting everything is right for those 58 %."""
    truth = indicator(np.array([[1]] * 42 + [[0]] * 58))
    assert micro("accuracy", rejector(truth)) == 0.58
    assert micro("accuracy", acceptor(truth)) == 0.42


@given(label_pairs(), st.randoms(use_true_random=False))
def test_the_order_of_categories_changes_nothing_to_the_last_bit(pair, random):
    order = list(range(pair[0].shape[1]))
    random.shuffle(order)
    found, other = (counts(*(indicator(part[:, columns]) for part in pair)) for columns in (sorted(order), order))
    for name in of_kind("counts"):
        assert micro(name, found) == micro(name, other)
        assert macro(name, found) == macro(name, other)


def test_stored_zeros_duplicates_and_unsorted_rows_are_read_as_meant():
    truth = sparse.csr_array((np.array([True, False, True]), np.array([2, 1, 0]), np.array([0, 3, 3])), shape=(2, 3))
    assert counts(truth, truth).tp.tolist() == [1, 0, 1]
    coordinates = (np.array([0, 0]), np.array([1, 1]))
    doubled = sparse.coo_array((np.ones(2), coordinates), shape=(1, 2))
    assert counts(doubled, indicator([[0, 1]])).tp.tolist() == [0, 1]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_nothing_to_count(shape):
    empty = indicator(sparse.csr_array(shape, dtype=bool))
    found = counts(empty, empty)
    assert len(found) == shape[1]
    assert micro("f1", found) == 0.0
    assert math.isnan(micro("f1", found, undefined="omit"))
    assert math.isnan(macro("f1", found, undefined="omit"))
    assert len(counts(empty, empty, by="document")) == shape[0]


def test_families_of_cuts_are_summed_tables():
    one = Counts(*(np.array(c) for c in ([1, 2], [3, 4], [5, 6], [7, 8])))
    found = family([one, total(one)])
    assert (found.tp.tolist(), found.fp.tolist(), found.fn.tolist(), found.tn.tolist()) == (
        [3, 3], [7, 7], [11, 11], [15, 15],
    )  # fmt: skip


def test_errors_say_what_to_do():
    with pytest.raises(InvalidInput, match="2 documents × 1 categories, the decisions 1 × 1"):
        counts(indicator([[1], [0]]), indicator([[1]]))
    with pytest.raises(UnknownName, match="Did you mean 'zero'"):
        micro("f1", table_of(0, 0, 0, 0), undefined="zerro")
    with pytest.raises(UnknownName, match="Did you mean 'recall'"):
        resolve("recal")
    with pytest.raises(InvalidInput, match="takes no argument"):
        resolve("recall:2")
    with pytest.raises(InvalidInput, match="β must be a number"):
        resolve("f_beta:x")
    with pytest.raises(InvalidInput, match="from 0 to ∞"):
        f_beta(table_of(1, 1, 1, 1), beta=-1)
    with pytest.raises(UnknownName, match="way to count"):
        counts(indicator([[1]]), indicator([[1]]), by="row")


def test_shorthand_binds_beta():
    two = resolve("e_beta:2")
    table = table_of(3, 1, 2, 5)
    assert two(table) == e_beta(table, beta=2)
    assert (two.kind, two.symbol, two.greater_is_better) == ("counts", "E2", False)
    assert registry.load("measures", "f_beta").symbol == "Fβ"


def test_the_mean_is_correctly_rounded():
    values = np.array([1e16, 1.0, -1e16, 1.0])
    assert mean(values) == 0.5
    assert math.isnan(mean(np.array([np.nan])))
