"""Soaking: every kernel has a property to try, and cases are drawn from its strategies."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def tools(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    yield
    for name in ("soak", "plain_draws"):
        sys.modules.pop(name, None)


def test_every_kernel_has_a_property():
    import soak

    kernels = soak.kernels()
    assert len(kernels) > 50
    assert {*soak.ELSEWHERE} <= {*kernels}
    for kernel in kernels:
        file, _, name = soak.home(kernel).partition("::")
        source = (ROOT / file).read_text()
        assert "@given" in source.partition(f"def {name}(")[0] if name else "@given" in source, kernel


@given(
    number=st.integers(3, 7),
    values=st.lists(st.floats(0, 1), min_size=1, max_size=4).map(sorted),
    table=st.integers(1, 3).flatmap(lambda n: arrays(float, (n, 2), elements=st.sampled_from([0.0, 1.0]))),
    word=st.text("ab", max_size=5),
    random=st.randoms(use_true_random=False),
    data=st.data(),
)
def draws(number, values, table, word, random, data):
    assume(number != 4)
    assert number in (3, 5, 6, 7)
    assert values == sorted(values)
    assert 0 <= values[0] <= values[-1] <= 1
    assert table.shape[1] == 2
    assert {*word} <= {*"ab"}
    assert 0 <= random.random() < 1
    assert data.draw(st.booleans()) in (True, False)


def test_cases_keep_to_their_strategies_and_are_not_all_alike():
    from plain_draws import Cases, Invalid

    cases, numbers, invalid = Cases(dict(draws.hypothesis._given_kwargs), 1, draws), set(), 0
    for _ in range(200):
        try:
            numbers.add(cases.run(draws.hypothesis.inner_test)["number"])
        except Invalid:
            invalid += 1
    assert numbers == {3, 5, 6, 7}
    assert 10 < invalid < 90, "number 4 is one in five"


def test_a_case_that_fails_says_what_was_drawn():
    from plain_draws import Cases

    def test(number):
        assert number < 5, "five is too many"

    cases = Cases({"number": st.integers(5, 5)}, 1, test)
    with pytest.raises(AssertionError) as raised:
        cases.run(test)
    assert raised.value.__notes__ == ["drawn: {'number': 5}"]
