"""Try every property of the kernels on many fresh random cases and report how many: `make soak CASES=100000`.

Each property compares a kernel with its slow, obvious twin (tests/oracles). Seeds are fresh in every run; a case that
fails is printed and kept by hypothesis. The report, one JSON object, says how many cases each property was tried on.

    python tools/soak.py --cases 100000 --seconds 600 [TEST …] > docs/soak.json
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from importlib.metadata import version

TESTS = ("tests/kernels",)
STATISTICS = re.compile(r"^(tests/\S+::\S+):\n((?:\n|  .*\n)+)", re.MULTILINE)
PASSING = re.compile(r"(\d+) passing(?: examples?)?, (\d+) failing")


def cases(output: str) -> dict[str, tuple[int, int]]:
    """Return the passing and failing cases of each property from pytest's output.

    >>> cases("tests/a.py::f:\\n\\n  - during generate phase:\\n    - 7 passing, 0 failing, and 0 invalid\\n\\n")
    {'tests/a.py::f': (7, 0)}
    """
    tried: dict[str, tuple[int, int]] = {}
    for name, text in STATISTICS.findall(output):
        pairs = [(int(passing), int(failing)) for passing, failing in PASSING.findall(text)]
        tried[name] = (sum(a for a, _ in pairs), sum(b for _, b in pairs))
    return tried


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", default=TESTS)
    parser.add_argument("--cases", type=int, default=100_000, help="for each property")
    parser.add_argument("--seconds", type=float, default=None, help="for all of them; what is done by then is reported")
    options = parser.parse_args()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-show-statistics"]
    environment = os.environ | {"HYPOTHESIS_PROFILE": "soak", "HYPOTHESIS_CASES": str(options.cases)}
    began, tried, failed = time.monotonic(), {}, []
    for test in options.tests:
        left = None if options.seconds is None else max(1.0, options.seconds - (time.monotonic() - began))
        try:
            done = subprocess.run([*command, test], env=environment, stdout=subprocess.PIPE, text=True, timeout=left)
        except subprocess.TimeoutExpired:
            print(f"{test}: no time left", file=sys.stderr)
            continue
        tried |= cases(done.stdout)
        if done.returncode not in (0, 5):  # 5: no test was chosen
            failed.append(test)
            print(done.stdout, file=sys.stderr)
    report = {
        "cases wanted": options.cases,
        "properties": len(tried),
        "cases": sum(passing for passing, _ in tried.values()),
        "failed": failed,
        "seconds": round(time.monotonic() - began),
        "python": platform.python_version(),
        "numba": version("numba"),
        "numpy": version("numpy"),
        "by property": {name: passing for name, (passing, _) in sorted(tried.items())},
    }
    print(json.dumps(report, indent=2))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
