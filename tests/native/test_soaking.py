"""Soaking: every native function has a property to try, and cases are drawn from its strategies."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def tools(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    yield
    for name in ("soak", "plain_draws"):
        sys.modules.pop(name, None)


def test_every_native_function_has_a_property(tmp_path):
    """Seen by running each property on a few cases, in a process of its own."""
    report = tmp_path / "soak.json"
    command = [sys.executable, str(ROOT / "tools/soak.py"), "--cases", "1", "--first", "8", "--report", str(report)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    written = json.loads(report.read_text())
    assert written["functions"] > 50
    assert [name for name, cases in written["by function"].items() if not cases] == []


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
