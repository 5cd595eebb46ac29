"""Write the record: `python -m tests.record.make` adds what is missing, `… make PART CASE …` renews cases.

Renew a case only where its numbers were meant to change, in a commit that names the cause.
"""

from __future__ import annotations

import sys
import time

from tests.record.parts import CASES, SENSITIVE
from tests.record.recording import computed, processor, store, stored


def main(part: str | None = None, *names: str) -> None:
    """Compute and store the cases named, or those that have no entry yet."""
    if not stored("machine"):
        store("machine", {"processor": processor()})
    for name, cases in CASES.items():
        if part in (None, name):
            entries = stored(name)
            for case in names or sorted(cases.keys() - entries.keys()):
                start = time.perf_counter()
                entries[case] = computed(cases[case])
                print(f"{time.perf_counter() - start:6.2f} s  {name}, {case}", file=sys.stderr)
                store(name, {case: entries[case] for case in cases if case in entries})
                if case.startswith(SENSITIVE):
                    store("machine", stored("machine") | {f"{name}, {case}": processor()})


if __name__ == "__main__":
    main(*sys.argv[1:])
