"""Try the properties of the native functions on many fresh random cases and report how many: `make soak CASES=20000`.

Each property compares a native function with its slow, obvious twin (tests/oracles) or with the definition of its
result. Cases are drawn from the strategies of the properties by plain random numbers (tools/plain_draws.py); seeds are
fresh in every run. A case that fails is printed with what was drawn.

    python tools/soak.py --cases 20000 --seconds 600 --report docs/soak.json [rb_function …]

Which functions a property calls is observed, not declared. The cases of a function are shared out among its properties.
A report that exists is continued until every function has as many cases as wanted, unless it was made with other C
files or other versions of Python or NumPy.
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

from tests.tally import EXAMPLES  # noqa: E402

from rubricate.native import library  # noqa: E402

LOADER = ("rb_level", "rb_stamp", "rb_free_buffer", "rb_test_allocations")
"""Functions of the loader, which have no loops."""
ABOUT_THE_LIBRARY = ("test_build.py", "test_library.py", "test_sanitizers.py", "test_soaking.py")
TIES = ("tests/native/test_boosting.py::test_agrees_with_the_slow_twin",)
"""Properties of greedy choices in which rounding decides between equal gains, once in some thousand cases."""
EXPORTED = re.compile(r"^RB_EXPORT\b[^;(]*?\b(rb_\w+)\s*\(", re.MULTILINE)
SEEDS = 2**31 - 1
"""Arguments called `seed` are drawn from this many: the tests themselves take a few thousand."""
SECONDS_BETWEEN_REPORTS = 15.0


def functions() -> list[str]:
    """Return the names of all native functions."""
    return sorted({*EXPORTED.findall((ROOT / "native" / "rubricate.h").read_text("utf-8"))} - {*LOADER})


def files() -> list[str]:
    """Return the files with properties of native functions."""
    return [
        str(path) for path in sorted((ROOT / "tests/native").glob("test_*.py")) if path.name not in ABOUT_THE_LIBRARY
    ]


class Recorded(library.Call):
    """A native function that notes that it was called."""

    names: set[str] = set()  # noqa: RUF012

    def __call__(self, *values: Any) -> Any:
        """Call the function."""
        self.names.add(self.name)
        return super().__call__(*values)


class Soak:
    """A plugin of pytest that collects all properties and then runs each on many cases."""

    def __init__(self, options: argparse.Namespace, report: dict[str, Any]) -> None:
        self.options, self.report = options, report
        self.written = time.monotonic()
        self.calls: dict[str, set[str]] = {}
        self.shares: dict[str, int] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the properties, each twice: first a few cases, then its share."""
        properties = [item for item in items if hasattr(getattr(item, "obj", None), "hypothesis")]
        items[:] = [item for item in properties if item.nodeid not in TIES]
        items += items

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> bool:
        """Run one property in place of pytest."""
        test, name = pyfuncitem.obj.hypothesis, pyfuncitem.nodeid
        fixed = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        strategies = dict(test._given_kwargs)
        if "seed" in strategies:
            from hypothesis import strategies as st

            strategies["seed"] = st.integers(0, SEEDS)
        cases = Cases(strategies, secrets.randbits(63), pyfuncitem.obj)
        if name not in self.calls:
            Recorded.names.clear()
            self._run(name, lambda: cases.run(test.inner_test, **fixed), 0, self.options.first)
            self.calls[name] = {*Recorded.names}
        else:
            self.shares = self.shares or self._shares()
            self._run(name, lambda: cases.run(test.inner_test, **fixed), self.shares[name])
        return True

    def _shares(self) -> dict[str, int]:
        """Return how many cases each property should have, so that every function chosen has enough."""
        chosen = {*(self.options.functions or functions())}
        users = {name: sum(name in called for called in self.calls.values()) for name in chosen}
        cases = self.options.cases
        return {p: max((-(-cases // users[f]) for f in called & chosen), default=0) for p, called in self.calls.items()}

    def _run(self, name: str, run: Any, wanted: int, least: int = 0) -> None:
        """Run a property until it has as many cases as wanted, and on this many examples at least."""
        counts, examples = self.report["by property"], 0
        while (counts.get(name, 0) < wanted or examples < least) and time.monotonic() < self.options.end:
            try:
                examples += 1
                EXAMPLES.clear()
                run()
                counts[name] = counts.get(name, 0) + sum(EXAMPLES or [1])
            except Invalid:
                continue
            except Exception:
                self.report["failed"].append(name)
                traceback.print_exc()
                break
            if time.monotonic() - self.written > SECONDS_BETWEEN_REPORTS:
                self.write()

    def write(self) -> None:
        """Write the report to its file."""
        report, counts = self.report, self.report["by property"]
        report["by function"] = {
            name: sum(counts.get(p, 0) for p, called in self.calls.items() if name in called) for name in functions()
        }
        report["cases"], report["functions"] = sum(counts.values()), len(report["by function"])
        report["fewest cases of a function"] = min(report["by function"].values(), default=0)
        report["seconds"] = round(self.options.before + time.monotonic() - self.options.began)
        self.options.report.write_text(json.dumps(report, indent=2, sort_keys=True) + "\n")
        self.written = time.monotonic()


def begun(options: argparse.Namespace) -> dict[str, Any]:
    """Return the report to continue, or a new one."""
    made_with = {"python": platform.python_version(), "numpy": version("numpy"), "sources": library.STAMP}
    if options.report.exists():
        old: dict[str, Any] = json.loads(options.report.read_text())
        if {name: old.get(name) for name in made_with} == made_with:
            options.before = old["seconds"]
            return old | {"failed": []}
    return made_with | {"by property": {}, "failed": []}


def observed(options: argparse.Namespace) -> Soak:
    """Run the properties and return what was seen."""
    library.Call = Recorded  # type: ignore[misc]
    vars(library.core).clear()
    soak = Soak(options, begun(options))
    flags = ["-q", "-s", "-n", "0", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib", "--no-header"]
    pytest.main([*flags, *files()], plugins=[soak])
    soak.write()
    return soak


def main() -> None:
    """Soak, and end with 1 if a property failed or a function has no property."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--cases", type=int, default=20_000, help="for each function")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for all; what is done by then is reported")
    parser.add_argument(
        "--first", type=int, default=30, help="examples of every property, to see which functions it calls"
    )
    parser.add_argument("--report", type=Path, default=Path("build/soak.json"))
    options = parser.parse_args()
    options.began, options.before = time.monotonic(), 0
    options.end = options.began + options.seconds
    report = observed(options).report
    print(json.dumps({name: value for name, value in report.items() if not name.startswith("by ")}))
    sys.exit(bool(report["failed"]) or not report["fewest cases of a function"])


if __name__ == "__main__":
    main()
