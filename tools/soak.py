"""Try the properties of the kernels on many fresh random cases and report how many: `make soak CASES=100000`.

Each property compares a kernel with its slow, obvious twin (tests/oracles) or with the definition of its result. Cases
are drawn from the strategies of the properties by plain random numbers (tools/plain_draws.py); seeds are fresh in every
run. A case that fails is printed with what was drawn.

    python tools/soak.py --cases 100000 --seconds 600 --report docs/soak.json [KERNEL …]

The properties of tests/kernels/test_K.py are those of the kernel K; others are named in `ELSEWHERE`. The cases are
those of a kernel, shared out among its properties. A report that exists is continued: cases are added until each kernel
has as many as wanted, unless it was made with other versions of Python, Numba or NumPy.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import secrets
import sys
import time
import traceback
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from plain_draws import Cases, Invalid

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.kernels.small_cases import TALLY  # noqa: E402

KERNELS = ROOT / "src" / "rubricate" / "kernels"
ELSEWHERE = {
    "boosting": "tests/kernels/test_boosting.py::test_few_rows_agree_with_the_slow_twin",
    "lane_code": "tests/kernels/test_svm_lanes.py::test_row_times_weights_and_back",
    "meeting_paths": "tests/measures/test_hierarchical.py::test_meeting_graphs_of_few_nodes_are_as_defined",
    "nnet": "tests/classifiers/test_nnet.py::test_a_pass_over_two_documents_is_that_of_finite_differences",
    "story_words": "tests/kernels/test_stories.py::test_every_story_is_the_one_of_the_slow_twin",
    "svm_bias": "tests/kernels/test_svm_local.py::test_the_best_bias_is_the_best_of_all_breakpoints",
    "svm_fold": "tests/classifiers/svm/test_hard.py::test_folding_lonely_terms_keeps_all_products",
}
COMPILED = re.compile(r"^@(numba\.|_?intrinsic)", re.MULTILINE)
SEEDS = 2**31 - 1
"""Arguments called `seed` are drawn from so many: the tests themselves take a few thousand."""
OFTEN = 15.0
"""Seconds between two writings of the report."""


def kernels() -> list[str]:
    """Return the names of all files with compiled functions."""
    return sorted(path.stem for path in KERNELS.glob("*.py") if COMPILED.search(path.read_text("utf-8")))


def home(kernel: str) -> str:
    """Return where the properties of a kernel are: a test, or a file of tests.

    >>> home("best"), home("story_words")
    ('tests/kernels/test_best.py', 'tests/kernels/test_stories.py::test_every_story_is_the_one_of_the_slow_twin')
    """
    return ELSEWHERE.get(kernel, f"tests/kernels/test_{kernel}.py")


class Soak:
    """A plugin of pytest that runs each property on many cases, in turns, and keeps the report."""

    def __init__(self, kernel: str, options: argparse.Namespace, report: dict[str, Any]) -> None:
        self.kernel, self.options, self.report = kernel, options, report
        self.counts: dict[str, int] = report["by kernel"].setdefault(kernel, {})
        self.written = time.monotonic()
        self.left = 0

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the properties, and share out the cases."""
        items[:] = [item for item in items if hasattr(getattr(item, "obj", None), "hypothesis")]
        wanted = -(-self.options.cases // max(len(items), 1))
        self.wanted = {item.nodeid: wanted for item in items}

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> bool:
        """Run one property in place of pytest."""
        test = pyfuncitem.obj.hypothesis
        fixed = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        strategies = dict(test._given_kwargs)
        if "seed" in strategies:
            from hypothesis import strategies as st

            strategies["seed"] = st.integers(0, SEEDS)
        cases = Cases(strategies, secrets.randbits(63), pyfuncitem.obj)
        self._run(pyfuncitem.nodeid, lambda: cases.run(test.inner_test, **fixed))
        return True

    def _run(self, name: str, run: Any) -> None:
        done = self.counts.get(name, 0)
        while done < self.wanted[name] and time.monotonic() < self.options.end:
            try:
                TALLY[0] = 1
                run()
                done += TALLY[0]
            except Invalid:
                continue
            except Exception:
                self.report["failed"].append(name)
                traceback.print_exc()
                break
            if time.monotonic() - self.written > OFTEN:
                self._write(name, done)
        self._write(name, done)

    def _write(self, name: str, done: int) -> None:
        self.counts[name], self.written = done, time.monotonic()
        write(self.report, self.options)


def write(report: dict[str, Any], options: argparse.Namespace) -> None:
    """Write the report to its file."""
    totals = {kernel: sum(counts.values()) for kernel, counts in report["by kernel"].items()}
    report["cases"], report["kernels"] = sum(totals.values()), len(totals)
    report["fewest cases of a kernel"] = min((totals.get(kernel, 0) for kernel in kernels()), default=0)
    report["seconds"] = round(options.before + time.monotonic() - options.began)
    options.report.write_text(json.dumps(report, indent=2, sort_keys=True) + "\n")


def begun(options: argparse.Namespace) -> dict[str, Any]:
    """Return the report to continue, or a new one."""
    versions = {"python": platform.python_version(), "numba": version("numba"), "numpy": version("numpy")}
    if options.report.exists():
        old: dict[str, Any] = json.loads(options.report.read_text())
        if {name: old.get(name) for name in versions} == versions:
            options.before = old["seconds"]
            return old | {"failed": []}
    return versions | {"by kernel": {}, "failed": []}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--cases", type=int, default=100_000, help="for each kernel")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for all; what is done by then is reported")
    parser.add_argument("--report", type=Path, default=Path("build/soak.json"))
    options = parser.parse_args()
    options.began, options.before = time.monotonic(), 0
    options.end = options.began + options.seconds
    report = begun(options)
    flags = ["-q", "-s", "-n", "0", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib", "--no-header"]
    for kernel in options.kernels or kernels():
        if sum(report["by kernel"].get(kernel, {}).values()) < options.cases and time.monotonic() < options.end:
            pytest.main([*flags, home(kernel)], plugins=[Soak(kernel, options, report)])
    write(report, options)
    print(json.dumps({name: value for name, value in report.items() if name != "by kernel"}))
    sys.exit(bool(report["failed"]))


if __name__ == "__main__":
    main()
