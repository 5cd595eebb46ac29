"""Print the oldest versions that pyproject.toml allows, as constraints: `numpy>=2.0` becomes `numpy==2.0`.

    python tools/oldest.py EXTRA …

Only what Rubricate itself needs, and the extras that are named; tools for tests may be new.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

REQUIREMENT = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?>=([0-9.]+)$")


def oldest(requirements: list[str]) -> list[str]:
    """Return the lower bound of each requirement as a pin; one without a bound is an error.

    >>> oldest(["numpy>=2.0", "rubricate[report]"])
    ['numpy==2.0']
    """
    own = [each for each in requirements if not each.startswith("rubricate[")]
    matches = [(each, REQUIREMENT.match(each.replace(" ", ""))) for each in own]
    if unbounded := [each for each, match in matches if match is None]:
        raise SystemExit(f"no lower bound: {', '.join(unbounded)}")
    return [f"{match[1]}=={match[2]}" for _, match in matches if match]


def main() -> None:
    project = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text())["project"]
    chosen = [*project["dependencies"]]
    for extra in sys.argv[1:]:
        chosen += project["optional-dependencies"][extra]
    print("\n".join(oldest(chosen)))


if __name__ == "__main__":
    main()
