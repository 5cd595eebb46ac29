"""What every significance test must meet; the tests are found by themselves."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

from rubricate import registry
from rubricate.hierarchy import Hierarchy
from rubricate.labels import indicator
from rubricate.types import Decisions, Run, Scores, Significance

pytestmark = pytest.mark.slow

NAMES = registry.names("significance")
MEASURES = ("recall", "precision", "error", "accuracy", "micro_f1", "macro_f1", "hierarchical_f1", "extended_f1")
TREE = Hierarchy.from_edges([(f"c{c // 3:02}", f"c{c:02}") for c in range(1, 18)])


def _run(name: str, truth: np.ndarray, scores: np.ndarray, names: tuple[str, ...], documents: list[str]) -> Run:
    return Run(
        name,
        documents,
        names,
        scores=Scores(scores, names, documents),
        decisions=Decisions(indicator(scores > 0.5), names, documents),
        truth=indicator(truth),
    )


def _world(
    seed: int, *strengths: float, documents: int = 150, categories: int = 18
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Scores that are right where noise of the given strength does not carry them over 0.5."""
    rng = np.random.default_rng(seed)
    truth = rng.random((150, 18)) < 0.15
    return truth, [truth + rng.normal(0, s, truth.shape) for s in strengths]


def _runs(truth: np.ndarray, scores: list[np.ndarray], rows=None, columns=None) -> list[Run]:
    rows = np.arange(truth.shape[0]) if rows is None else rows
    columns = np.arange(truth.shape[1]) if columns is None else columns
    names, documents = tuple(f"c{c:02}" for c in columns), [f"d{d}" for d in rows]
    cut = np.ix_(rows, columns)
    return [_run(n, truth[cut], s[cut], names, documents) for n, s in zip("abcdef", scores, strict=False)]


def _options(name: str, baseline: Run) -> list[dict]:
    """Each measure the test offers, and a baseline where it wants one; few draws."""
    test = registry.load("significance", name)
    takes = inspect.signature(test).parameters
    fixed = {"samples": 499} if "samples" in takes else {}
    if "baseline_a" in takes:
        fixed |= {"baseline_a": baseline, "baseline_b": baseline}
    if "hierarchy" in takes:
        fixed |= {"hierarchy": TREE}
    return [{**fixed, "measure": m} for m in test.measures] if test.measures else [fixed]


def _cases() -> list[tuple[str, int]]:
    sizes = {name: len(registry.load("significance", name).measures) or 1 for name in NAMES}
    return [(name, i) for name, size in sizes.items() for i in range(size)]


@pytest.fixture(params=_cases(), ids=lambda case: f"{case[0]}-{case[1]}")
def case(request):
    name, i = request.param
    truth, scores = _world(1, 0.3, 0.34, 0.36)
    runs = _runs(truth, scores)
    return registry.load("significance", name), _options(name, runs[2])[i], runs, truth, scores


def test_there_are_the_five_of_the_paper_and_more() -> None:
    symbols = {registry.load("significance", name).symbol for name in NAMES}
    assert {"s", "S", "T", "T'", "p"} <= symbols
    assert len(symbols) == len(NAMES) >= 13


@pytest.mark.parametrize("name", NAMES)
def test_a_test_says_what_it_is(name: str) -> None:
    test = registry.load("significance", name)
    assert len(inspect.getdoc(test) or "") > 100
    assert test.needs in ("proportions", "counts", "decisions", "scores")
    assert set(test.measures) <= set(MEASURES)


def test_a_result_is_complete(case) -> None:
    test, options, runs, *_ = case
    found = test(*runs[:2], **options)
    assert isinstance(found, Significance)
    assert (found.test, found.a, found.b) == (test.symbol, "a", "b")
    assert 0 <= found.p_value <= 1
    assert math.isfinite(found.statistic)
    assert found.n > 0
    assert found.method
    assert found.effect_name
    assert math.isfinite(found.effect)
    assert found.symbol in (">>", ">", "~", "<", "<<")
    assert (found.better is None) == (found.symbol == "~")


def test_a_system_against_itself_is_no_evidence(case) -> None:
    test, options, runs, *_ = case
    found = test(runs[0], runs[0], **options)
    assert (found.symbol, found.better, found.direction) == ("~", None, 0)
    assert found.p_value >= 0.5
    assert found.effect == 0


def test_swapping_the_systems_mirrors_the_result(case) -> None:
    test, options, runs, *_ = case
    there, back = test(*runs[:2], **options), test(runs[1], runs[0], **options)
    assert there.p_value == pytest.approx(back.p_value, rel=1e-12)
    assert there.n == back.n
    assert there.direction == -back.direction
    assert there.effect == pytest.approx(-back.effect, rel=1e-12)
    assert there.symbol == back.symbol.translate(str.maketrans("<>", "><"))
    assert {there.better, back.better} in ({None}, {"a", "b"})


def test_the_order_of_documents_and_categories_does_not_matter(case) -> None:
    test, options, runs, truth, scores = case
    rng = np.random.default_rng(3)
    moved = _runs(truth, scores, rng.permutation(truth.shape[0]), rng.permutation(truth.shape[1]))
    if "baseline_a" in options:
        options = {**options, "baseline_a": moved[2], "baseline_b": moved[2]}
    there, again = test(*runs[:2], **options), test(*moved[:2], **options)
    assert there.p_value == pytest.approx(again.p_value, rel=1e-9)
    assert there.statistic == pytest.approx(again.statistic, rel=1e-9)
    assert there.n == again.n


def test_a_much_better_system_is_found(case) -> None:
    test, options, *_ = case
    truth, scores = _world(2, 0.2, 0.6, 0.6)
    runs = _runs(truth, scores)
    if "baseline_a" in options:
        options = {**options, "baseline_a": runs[2], "baseline_b": runs[2]}
    found = test(*runs[:2], **options)
    assert (found.better, len(found.symbol)) == ("a", 2)
    assert test(runs[1], runs[0], **options).better == "b"


def test_the_same_call_gives_the_same_result(case) -> None:
    test, options, runs, *_ = case
    assert test(*runs[:2], **options) == test(*runs[:2], **options)


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (0, 3)])
@pytest.mark.parametrize("truth_value", [0.0, 1.0])
def test_small_and_empty_worlds(case, shape: tuple[int, int], truth_value: float) -> None:
    """One document, one category, none at all, nothing true, everything true."""
    test, options, *_ = case
    truth = np.full(shape, truth_value, bool)
    runs = _runs(truth, [np.zeros(shape), np.ones(shape), np.zeros(shape)])
    if "baseline_a" in options:
        options = {**options, "baseline_a": runs[2], "baseline_b": runs[2]}
    found = test(*runs[:2], **options)
    assert 0 <= found.p_value <= 1
    assert math.isfinite(found.statistic)
