"""Measures that know the hierarchy: hand-worked examples, their definitions, and the properties of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.hierarchy.test_kinship import tree_edges
from tests.hierarchy.test_structure import TREE_A, acyclic_edges
from tests.native.small_cases import SEEDS, count_cases
from tests.oracles import hierarchical_measures as oracle

from rubricate.errors import InvalidInput
from rubricate.hierarchy import Hierarchy
from rubricate.labels import label_matrix
from rubricate.measures import (
    Similarity,
    by_depth,
    by_distance,
    by_similarity,
    category_similarity,
    counts,
    extended_counts,
    how_far,
    macro,
    meeting_counts,
    micro,
    of_kind,
    placed,
    resolve,
    with_ancestors,
)
from rubricate.measures.hierarchical import ways_in_graph, ways_in_tree

pytestmark = pytest.mark.slow

NAMES = ("crude", "nat-gas", "ship", "grain", "corn", "wheat")
TREE = Hierarchy.from_edges(TREE_A)
EXTENDED = ("extended_precision", "extended_recall", "extended_f1", "extended_accuracy", "extended_error")


def matrices(truth, decided, names=NAMES):
    return label_matrix(truth, names)[0], label_matrix(decided, names)[0]


@st.composite
def worlds(draw: st.DrawFn):
    """A tree or graph, categories (one of them outside it, the root perhaps among them), truth and decisions."""
    graph = Hierarchy.from_edges(draw(st.one_of(acyclic_edges(), tree_edges())))
    names = [name for name in graph.names if name != "(root)"]
    categories = draw(st.permutations([*draw(st.lists(st.sampled_from(names), min_size=1, unique=True)), "outside"]))
    sets = st.lists(st.sets(st.sampled_from(categories), max_size=4), min_size=3, max_size=3)
    return graph, tuple(categories), draw(sets), draw(sets)


class TestByHand:
    """Worked out on paper from sunlim2001's formulas, disθ = 2, tree a: crude{nat-gas, ship}, grain{corn, wheat}.

    d1 labelled wheat, assigned grain: 1 link apart, contribution 1 − 1/2 = .5 to grain (false positive) and wheat
    (false negative). d2 labelled corn, assigned corn and ship: 4 links, 1 − 4/2 = −1 to ship. d3 right.
    """

    truth, decided = matrices(
        [{"wheat"}, {"corn"}, {"wheat", "grain"}], [{"grain"}, {"corn", "ship"}, {"wheat", "grain"}]
    )
    table = extended_counts(truth, decided, by_distance(TREE, NAMES, acceptable=2))

    def test_contributions(self):
        assert self.table.fp_con.tolist() == [0, 0, -1, 0.5, 0, 0]
        assert self.table.fn_con.tolist() == [0, 0, 0, 0, 0, 0.5]

    def test_per_category(self):
        # grain: TP 1, FP 1, FpCon .5: P = 1.5/2, R = 1.5/1.5; wheat: TP 1, FN 1, FnCon .5: P = 1.5/1.5, R = 1.5/2.
        # ship: TP 0, FP 1, FpCon −1: P = max(0, −1)/1, R = 0/−1, a denominator below 0.
        assert resolve("extended_precision")(self.table).tolist() == [0, 0, 0, 0.75, 1, 1]
        assert resolve("extended_recall")(self.table, undefined="one").tolist() == [1, 1, 1, 1, 1, 0.75]
        assert resolve("extended_f1")(self.table)[3:] == pytest.approx([6 / 7, 1, 6 / 7])
        assert resolve("extended_accuracy")(self.table)[2:4] == pytest.approx([1 / 3, 2.5 / 3])
        assert resolve("extended_error")(self.table)[2:4] == pytest.approx([2 / 3, 0.5 / 3])

    def test_micro_and_macro(self):
        # Numerators 0 + 1.5 + 1 + 1.5 = 4 (ship's −1 is 0 first); P: 1 + 2 + 1 + 1.5; R: −1 + 1.5 + 1 + 2.
        assert micro("extended_precision", self.table) == pytest.approx(4 / 5.5)
        assert micro("extended_recall", self.table) == pytest.approx(4 / 3.5)  # above 1: see its docstring
        assert macro("extended_precision", self.table) == pytest.approx((0.75 + 1 + 1) / 6)
        assert macro("extended_precision", self.table, undefined="omit") == pytest.approx((0 + 0.75 + 1 + 1) / 4)

    def test_sets_with_ancestors(self):
        # d1 {wheat, grain} against {grain}; d2 {corn, grain} against {corn, grain, ship, crude}; d3 equal.
        where = placed(TREE, NAMES)
        table = counts(with_ancestors(self.truth, where), with_ancestors(self.decided, where), by="document")
        assert (table.tp.tolist(), table.fp.tolist(), table.fn.tolist()) == ([1, 2, 2], [0, 2, 0], [1, 0, 0])
        assert micro("hierarchical_precision", table) == pytest.approx(5 / 7)
        assert micro("hierarchical_recall", table) == pytest.approx(5 / 6)
        assert micro("hierarchical_f1", table) == pytest.approx(10 / 13)

    def test_paths_to_where_labels_meet(self):
        # d1: wheat–grain meet at grain: {wheat, grain} against {grain}. d2: corn is met; ship joins corn through the
        # root: {corn, grain, root} against {corn, ship, crude, root}.
        table = meeting_counts(self.truth, self.decided, placed(TREE, NAMES))
        assert (table.tp.tolist(), table.fp.tolist(), table.fn.tolist()) == ([1, 2, 2], [0, 2, 0], [1, 1, 0])
        assert resolve("lca_f1")(table).tolist() == pytest.approx([2 / 3, 4 / 7, 1])

    def test_by_depth_and_how_far(self):
        first, second = by_depth(self.truth, self.decided, placed(TREE, NAMES))
        assert (first.depth, first.categories, first.tp, first.fp, first.fn) == (1, 2, 1, 1, 0)
        assert (second.depth, second.categories, second.tp, second.fp, second.fn) == (2, 4, 2, 1, 1)
        assert (first.path_precision, first.path_recall) == pytest.approx((3 / 4, 1))
        far = how_far(self.truth, self.decided, placed(TREE, NAMES))
        assert (far.assigned, far.missed) == ((0, 1, 0, 0, 1), (0, 1))
        assert (far.assigned_alone, far.missed_alone) == (0, 0)

    def test_similarity(self):
        # Terms: corn {a, b}, wheat {b, c}, ship {d}. CS(corn, wheat) = 1/2, others 0; ACS = 1/6.
        near = category_similarity([[1, 2, 0, 0], [0, 1, 1, 0], [0, 0, 0, 3]], np.eye(3), ["corn", "wheat", "ship"])
        assert near.average == pytest.approx(1 / 6)
        truth, decided = matrices([{"corn"}], [{"wheat", "ship"}])
        table = extended_counts(truth, decided, by_similarity(near, NAMES, hierarchy=TREE))
        # wheat: (1/2 − 1/6)/(5/6) = .4; ship: −.2; corn, a false negative: .4 − .2.
        assert table.fp_con.tolist() == pytest.approx([0, 0, -0.2, 0, 0, 0.4])
        assert table.fn_con.tolist() == pytest.approx([0, 0, 0, 0, 0.2, 0])


@given(worlds(), st.sampled_from([0.5, 1.0, 2.0, 3.0, 10.0]))
def test_extended_measures_are_as_defined(world, acceptable):
    graph, categories, truth, decided = world
    table = extended_counts(
        *matrices(truth, decided, categories), by_distance(graph, categories, acceptable=acceptable)
    )
    near = oracle.by_distance(list(graph.edges), acceptable)
    every = [oracle.extended(truth, decided, name, near) for name in categories]
    for cell in ("fp_con", "fn_con"):
        assert getattr(table, cell).tolist() == pytest.approx([one[cell] for one in every])
        assert (np.abs(getattr(table, cell)) <= getattr(table, cell[:2])).all()
    for name in ("extended_precision", "extended_recall", "extended_accuracy", "extended_error"):
        wanted = [np.nan if one[name] is None else one[name] for one in every]
        assert resolve(name)(table, undefined="omit") == pytest.approx(np.array(wanted), nan_ok=True)
    tops, below = sum(one["top"] for one in every), sum(one["assigned"] for one in every)
    assert micro("extended_precision", table, undefined="one") == pytest.approx(tops / below if below > 0 else 1.0)
    p, r, f = (resolve(name)(table, undefined="omit") for name in EXTENDED[:3])
    both = ~np.isnan(p) & ~np.isnan(r) & (p + r > 0)
    assert f[both] == pytest.approx((2 * p * r)[both] / (p + r)[both])
    assert resolve("extended_accuracy")(table) + resolve("extended_error")(table) == pytest.approx(1.0)


@given(worlds())
def test_sets_paths_and_distances_are_as_defined(world):
    graph, categories, truth, decided = world
    where, (true, yes) = placed(graph, categories), matrices(truth, decided, categories)
    links = list(graph.edges)
    root = None if graph.root in categories else graph.root
    table = counts(with_ancestors(true, where), with_ancestors(yes, where), by="document")
    lca = meeting_counts(true, yes, where)
    for d, (t, a) in enumerate(zip(truth, decided, strict=True)):
        of_t, of_a = (oracle.augmented(links, labels, root) for labels in (t, a))
        assert (table.tp[d], table.fp[d], table.fn[d]) == (len(of_t & of_a), len(of_a - of_t), len(of_t - of_a))
        of_t, of_a = oracle.connected(links, t, a)
        assert (lca.tp[d], lca.fp[d], lca.fn[d]) == (len(of_t & of_a), len(of_a - of_t), len(of_t - of_a))
    far = how_far(true, yes, where)
    found = [oracle.nearest(links, c, t) for t, a in zip(truth, decided, strict=True) for c in a - t]
    assert far.assigned_alone == found.count(None)
    assert list(far.assigned) == [found.count(k) for k in range(len(far.assigned))]
    assert sum(far.assigned) + far.assigned_alone == len(found)
    levels = by_depth(true, yes, where)
    assert sum(level.tp + level.fp for level in levels) == sum(map(len, decided))


@given(SEEDS)
def test_meeting_graphs_of_few_nodes_are_as_defined(seed):
    """Each of three documents with up to two true and two assigned labels, in a graph of up to six nodes."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(2, 7))
    links = [(f"n{i}", f"n{j}") for j in range(1, nodes) for i in range(j) if i == 0 or rng.random() < 0.3]
    names = tuple(f"n{i}" for i in range(nodes))
    truth, decided = ([{*rng.choice(names, int(rng.integers(0, 3)))} for _ in range(3)] for _ in range(2))
    table = meeting_counts(*matrices(truth, decided, names), placed(Hierarchy.from_edges(links), names))
    for d, (t, a) in enumerate(zip(truth, decided, strict=True)):
        of_t, of_a = oracle.connected(links, t, a)
        assert (table.tp[d], table.fp[d], table.fn[d]) == (len(of_t & of_a), len(of_a - of_t), len(of_t - of_a))
    count_cases(3)


@given(worlds(), st.randoms(use_true_random=False))
def test_relabelling_and_reordering_change_nothing(world, random):
    graph, categories, truth, decided = world
    names = {name: str(k) for k, name in enumerate(random.sample(graph.names, len(graph)), start=100)}
    rename = lambda labels: {names.get(name, name) for name in labels}  # noqa: E731
    links = [(names[a], names[b]) for a, b in graph.edges]
    random.shuffle(links)
    other = Hierarchy.from_edges(links)
    moved = tuple(sorted(rename(categories)))
    one, two = placed(graph, categories), placed(other, moved)
    first = matrices(truth, decided, categories)
    second = matrices([rename(x) for x in truth], [rename(x) for x in decided], moved)
    for name in EXTENDED:
        a, b = (
            macro(name, extended_counts(*labels, by_distance(w.hierarchy, w.categories, acceptable=3)))
            for labels, w in ((first, one), (second, two))
        )
        assert a == pytest.approx(b)
    a, b = (meeting_counts(*labels, w) for labels, w in ((first, one), (second, two)))
    assert (a.tp.tolist(), a.fp.tolist(), a.fn.tolist()) == (b.tp.tolist(), b.fp.tolist(), b.fn.tolist())
    assert how_far(*first, one) == how_far(*second, two)


@given(worlds())
def test_without_contributions_the_extended_measures_are_the_standard_ones(world):
    _, categories, truth, decided = world

    class Indifferent:
        def __init__(self):
            self.categories = categories

        def between(self, a, b):
            return np.zeros(len(a))

    labels = matrices(truth, decided, categories)
    table, plain = extended_counts(*labels, Indifferent()), counts(*labels)
    for name in EXTENDED:
        for undefined in ("zero", "one", "omit"):
            standard = name.removeprefix("extended_")
            for average in (micro, macro):
                both = average(name, table, undefined=undefined), average(standard, plain, undefined=undefined)
                assert both[0] == pytest.approx(both[1], nan_ok=True)
            values = resolve(name)(table, undefined=undefined)
            assert values == pytest.approx(resolve(standard)(plain, undefined=undefined), nan_ok=True)
    assert resolve("extended_f_beta:2")(table) == pytest.approx(resolve("f_beta:2")(plain))
    assert resolve("extended_f_beta:2").symbol == "extF2"


@given(worlds())
def test_perfect_decisions_give_one(world):
    graph, categories, truth, _ = world
    labels = matrices(truth, truth, categories)
    table = extended_counts(*labels, by_distance(graph, categories))
    for name in EXTENDED:
        assert micro(name, table, undefined="one") == (0.0 if name == "extended_error" else 1.0)
    where = placed(graph, categories)
    sets = counts(*(with_ancestors(part, where) for part in labels), by="document")
    for table in (sets, meeting_counts(*labels, where)):
        assert micro("f1", table, undefined="one") == 1.0


@given(worlds())
def test_a_flat_hierarchy_gives_flat_results(world):
    _, categories, truth, decided = world
    flat = Hierarchy.from_edges([("(root)", name) for name in categories])
    labels, where = matrices(truth, decided, categories), placed(flat, categories)
    sets, plain = (
        counts(*(with_ancestors(part, where) for part in labels), by="document"),
        counts(*labels, by="document"),
    )
    assert (sets.tp.tolist(), sets.fp.tolist(), sets.fn.tolist()) == (
        plain.tp.tolist(),
        plain.fp.tolist(),
        plain.fn.tolist(),
    )
    table = extended_counts(*labels, by_distance(flat, categories, acceptable=2))  # all are 2 links apart
    assert micro("extended_f1", table) == pytest.approx(micro("f1", counts(*labels)))
    (level,) = by_depth(*labels, where)
    assert level.f1 == level.path_f1 == pytest.approx(micro("f1", counts(*labels)))


@given(
    st.lists(st.sets(st.sampled_from("abcde")), min_size=1, max_size=8),
    st.lists(st.sets(st.sampled_from("xyz")), min_size=8, max_size=8),
)
def test_similarities_are_as_defined(vectors, labels):
    labels = labels[: len(vectors)]
    X, Y = label_matrix(vectors, tuple("abcde"))[0], label_matrix(labels, tuple("xyz"))[0]
    found = category_similarity(3.0 * X, Y, "xyz")
    wanted = {(a, b): oracle.similarity(vectors, labels, a, b) for a in "xyz" for b in "xyz"}
    a, b = (part.ravel() for part in np.meshgrid(range(3), range(3)))
    assert found.pairs(a, b) == pytest.approx([wanted["xyz"[i], "xyz"[j]] for i, j in zip(a, b, strict=True)])
    pairs = [("x", "y"), ("x", "z"), ("y", "z")]
    assert found.average == pytest.approx(sum(wanted[pair] for pair in pairs) / 3)
    known = Similarity.of_matrix(found.matrix(), "xyz")
    assert known.average == pytest.approx(found.average)
    assert known.within("xz").average == pytest.approx(found.within("xz").average) == pytest.approx(wanted["x", "z"])
    summed = category_similarity(X.astype(float), Y, "xyz", how="sum").matrix()
    assert summed == pytest.approx(summed.T)


def test_alike_categories_say_nothing_and_one_category_has_no_pairs():
    alike = category_similarity([[1.0], [1.0]], np.eye(2), ["corn", "wheat"])
    assert alike.average == pytest.approx(1.0)
    table = extended_counts(*matrices([{"corn"}], [{"wheat"}]), by_similarity(alike, NAMES))
    assert table.fp_con.tolist() == [0] * 6
    assert category_similarity([[1.0]], [[1]], ["corn"]).average == 0.0


def test_a_label_and_its_ancestor_at_once():
    """{wheat, grain} against {wheat}: grain is missed, 1 link away; the sets with ancestors are the same."""
    labels = matrices([{"wheat", "grain"}], [{"wheat"}])
    table = extended_counts(*labels, by_distance(TREE, NAMES))
    assert table.fn_con.tolist() == [0, 0, 0, 0.5, 0, 0]
    where = placed(TREE, NAMES)
    sets = counts(*(with_ancestors(part, where) for part in labels), by="document")
    assert micro("hierarchical_f1", sets) == 1.0


def test_what_cannot_be_placed_or_measured():
    with pytest.raises(InvalidInput, match="no category of the run is in the hierarchy"):
        placed(TREE, ["earn", "acq"])
    assert placed(TREE, ["earn", "corn", "(root)"]).outside == ("earn", "(root)")
    for acceptable in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InvalidInput, match="acceptable distance"):
            by_distance(TREE, NAMES, acceptable=acceptable)
    with pytest.raises(InvalidInput, match="symmetric matrix of 2 × 2"):
        Similarity.of_matrix([[1, 0.2], [0.3, 1]], ["a", "b"])
    with pytest.raises(InvalidInput, match="between −1 and 1"):
        Similarity.of_matrix([[1, 2], [2, 1]], ["a", "b"])
    with pytest.raises(InvalidInput, match="has a similarity"):
        by_similarity(Similarity.of_matrix(np.eye(2), ["a", "b"]), NAMES)
    with pytest.raises(InvalidInput, match="3 document vectors and labels of 2"):
        category_similarity(np.eye(3), np.eye(2), ["a", "b"])
    with pytest.raises(InvalidInput, match="nearness of 1 categories for 6"):
        extended_counts(*matrices([{"corn"}], [{"corn"}]), by_distance(TREE, ["corn"]))
    with pytest.raises(InvalidInput, match="β must be"):
        resolve("extended_f_beta:-1")(extended_counts(*matrices([], []), by_distance(TREE, NAMES)))


class Counted:
    """A nearness that counts the pairs it is asked for."""

    def __init__(self, inner):
        self.inner, self.categories, self.pairs = inner, inner.categories, 0

    def between(self, a, b):
        self.pairs += len(a)
        return self.inner.between(a, b)


def test_twenty_thousand_categories_cost_only_the_wrong_decisions():
    n, rng = 20_000, np.random.default_rng(0)
    tree = Hierarchy.from_edges([(f"c{i // 2}", f"c{i}") for i in range(1, n)])
    names = tuple(f"c{i}" for i in range(n))
    true = rng.integers(0, n, n)
    decided = np.where(np.arange(n) % 4 == 0, true // 2, true)
    labels = [sparse.csr_array((np.ones(n, bool), (np.arange(n), part)), shape=(n, n)) for part in (true, decided)]
    near = Counted(by_distance(tree, names))
    table = extended_counts(*labels, near)
    where = placed(tree, names)
    sets = counts(*(with_ancestors(part, where) for part in labels), by="document")
    lca, far = meeting_counts(*labels, where), how_far(*labels, where)
    wrong = int((true != decided).sum())
    assert near.pairs <= 2 * wrong, "each false positive and each false negative has one label beside it"
    assert table.fp_con.sum() == pytest.approx(wrong / 2)
    assert (far.assigned, sum(far.missed)) == ((0, wrong), wrong)
    assert micro("hierarchical_precision", sets) == 1.0
    assert lca.fn.sum() == wrong


def test_the_compiled_ways_of_trees_are_those_of_graphs():
    """Every pair of a random tree of 60 nodes and 5 outside it."""
    n, rng = 60, np.random.default_rng(5)
    tree = Hierarchy.from_edges([(str(rng.integers(max(0, i - 9), i)), str(i)) for i in range(1, n)])
    where = placed(tree, tuple(str(i) for i in range(n + 5)))
    x, y = (part.ravel() for part in np.meshgrid(np.arange(n + 5), np.arange(n + 5)))
    ours, theirs = ways_in_tree(x, y, where), ways_in_graph(x, y, where)
    assert np.array_equal(ours.far, theirs.far)
    assert np.array_equal(ours.x.items, theirs.x.items)
    assert np.array_equal(ours.y.items, theirs.y.items)
    assert np.array_equal(np.diff(theirs.starts), ours.far >= 0)


class TestLeastGraphs:
    """Where a label has several nearest partners or paths, one is enough."""

    def sets(self, edges, truth, decided, names):
        where = placed(Hierarchy.from_edges(edges), names)
        table = meeting_counts(*matrices([truth], [decided], names), where)
        return int(table.tp[0]), int(table.fp[0]), int(table.fn[0])

    @pytest.mark.parametrize(
        ("truth", "decided", "f1"), [("HI", "HJ", 2 / 3), ("BL", "A", 0.4), ("A", "FGHJKL", 1 / 6)]
    )
    def test_as_another_program(self, truth, decided, f1):
        """The cases of lca_metrics 0.1.0 (Shinya Suzuki), by its own tests; the graph is theirs, upside down."""
        links = {"A": "BCDE", "B": "H", "C": "FG", "E": "IJK", "I": "L", "D": "L"}
        edges = [(parent, child) for parent, children in links.items() for child in children]
        tp, fp, fn = self.sets(edges, {*truth}, {*decided}, tuple("ABCDEFGHIJKL"))
        assert 2 * tp / (2 * tp + fp + fn) == pytest.approx(f1)

    def test_one_of_two_nearest_partners(self):
        # t lies 4 links from a and from b, through the root; a has its own true label u beside it. To join t with a
        # costs the assigned side p; to join it with b nothing more than b's own way, since b has no nearer label.
        edges = [("r", "s"), ("s", "t"), ("r", "p"), ("p", "a"), ("p", "u"), ("r", "q"), ("q", "b")]
        names = ("t", "a", "u", "b", "s", "p", "q")
        # True {t, u, s, r, p}, assigned {a, b, p, q, r}: a and u meet at p, t and b at r.
        assert self.sets(edges, {"t", "u"}, {"a", "b"}, names) == (2, 3, 3)

    def test_one_of_two_paths_of_a_diamond(self):
        edges = [("r", "p"), ("r", "q"), ("p", "x"), ("q", "x"), ("r", "y")]
        names = ("x", "y", "p", "q")
        # x – p – r or x – q – r, one of them: {x, p, r} against {y, r}; all ways would give {x, p, q, r}.
        assert self.sets(edges, {"x"}, {"y"}, names) == (1, 1, 2)

    def test_the_way_that_labels_share(self):
        edges = [("r", "p"), ("r", "q"), ("p", "x"), ("q", "x"), ("q", "z"), ("r", "y")]
        names = ("x", "y", "z", "p", "q")
        # x and z can both go by q: {x, z, q, r} against {y, r}.
        assert self.sets(edges, {"x", "z"}, {"y"}, names) == (1, 1, 3)

    def test_too_many_choices_keep_all(self, monkeypatch):
        edges = [("r", "p"), ("r", "q"), ("p", "x"), ("q", "x"), ("r", "y")]
        names = ("x", "y", "p", "q")
        for name in ("CHOICES", "WAYS"):
            monkeypatch.setitem(meeting_counts.__globals__, name, 1)
            assert self.sets(edges, {"x"}, {"y"}, names) == (1, 1, 3)
            monkeypatch.undo()

    def test_a_ladder_of_diamonds_is_bounded(self):
        """2⁴⁰ shortest paths between the ends."""
        edges = [
            pair for k in range(40) for side in "ab" for pair in ((f"n{k}", f"{side}{k}"), (f"{side}{k}", f"n{k + 1}"))
        ]
        edges.append(("n0", "y"))
        names = ("n40", "y")
        assert self.sets(edges, {"n40"}, {"y"}, names) == (1, 1, 120)


def test_every_hierarchical_measure_is_found_by_kind():
    assert set(of_kind("extended")) == set(EXTENDED)
    assert set(of_kind("ancestors")) == {"hierarchical_precision", "hierarchical_recall", "hierarchical_f1"}
    assert set(of_kind("lca")) == {"lca_precision", "lca_recall", "lca_f1"}
