"""List the tests that `make quick` leaves out, from the times of a whole run: `python tools/slow_tests.py REPORT.xml`.

REPORT.xml is what `pytest --junitxml=REPORT.xml` wrote. Writes `tests/slow.txt`: test functions of which one case took
more than .06 seconds, or all cases together more than .15, measured with coverage.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
CASE, FUNCTION = 0.06, 0.15


def main() -> None:
    """Write the list."""
    times: dict[str, list[float]] = defaultdict(list)
    for case in ET.parse(sys.argv[1]).iter("testcase"):
        file = f"{case.get('classname', '').replace('.', '/')}.py"
        if (ROOT / file).is_file():  # not a doctest
            times[f"{file}::{case.get('name', '').partition('[')[0]}"].append(float(case.get("time", 0)))
    slow = [name for name, taken in times.items() if max(taken) > CASE or sum(taken) > FUNCTION]
    (ROOT / "tests" / "slow.txt").write_text("\n".join(sorted(slow)) + "\n", encoding="utf-8")
    print(f"{len(slow)} of {len(times)} test functions")


if __name__ == "__main__":
    main()
