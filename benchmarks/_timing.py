"""Side-by-side timing: ours and the peer in one run, interleaved, medians, after checking for the same result.

Every row says when and at which revision it was measured. With `--cpu` on the command line, seconds are CPU seconds of
this process and of the child processes that it waited for: on a busy machine wall times say what else was running.
Rows of more than one thread stay in wall time.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

CPU = "--cpu" in sys.argv
"""Whether rows of one thread are timed by CPU seconds."""
REST = 0.05
"""Seconds between two calls on several threads."""


def today() -> str:
    """Return the date, as in 2026-11-18."""
    return datetime.now(UTC).date().isoformat()


@cache
def revision() -> str:
    """Return the short name of the commit that is checked out, with "+" if files differ from it."""

    def git(*arguments: str) -> str:
        folder = Path(__file__).parent
        return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout

    try:
        name = git("rev-parse", "--short", "HEAD").strip()
        changed = git("status", "--porcelain", "--untracked-files=no", "--", "../src", "../native")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{name}+" if changed else name


@dataclass(frozen=True)
class Row:
    """One line of a benchmark table; `ratio` is the time of the peer over ours."""

    id: str
    work: str
    peer: str
    ours_s: float
    peer_s: float
    ratio: float
    same_result: bool
    threads: int
    date: str = field(default_factory=today)
    revision: str = field(default_factory=revision)


def measure(function: Callable[[], Any], *, threads: int = 1) -> tuple[float, Any]:
    """Return the seconds and the result of one call.

    Rows of several threads rest before it: those of OpenMP spin for some milliseconds after a call, on the cores of the
    next one.
    """
    if threads > 1:
        time.sleep(REST)
    clock = cpu_seconds if CPU and threads == 1 else time.perf_counter
    start = clock()
    result = function()
    return clock() - start, result


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of the children that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def side_by_side(
    ours: Callable[[], Any],
    peer: Callable[[], Any],
    *,
    id: str,
    work: str,
    peer_name: str,
    same: Callable[[Any, Any], bool],
    threads: int = 1,
    repeats: int = 5,
) -> Row:
    """Call both once to warm up and compare the results, then alternate; the row has the medians."""
    agree = bool(same(ours(), peer()))
    pairs = [(measure(ours, threads=threads)[0], measure(peer, threads=threads)[0]) for _ in range(repeats)]
    ours_s, peer_s = (statistics.median(times) for times in zip(*pairs, strict=True))
    return Row(id, work, peer_name, ours_s, peer_s, peer_s / ours_s, agree, threads)


def publish(rows: Sequence[Row], description: str) -> None:
    """Print the rows: a table, or with --json a list."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true", help="print a JSON list")
    parser.add_argument("--cpu", action="store_true", help="time rows of one thread by CPU seconds")
    chosen = parser.parse_args()
    if chosen.cpu:
        rows = [replace(row, work=f"{row.work}; CPU seconds") if row.threads == 1 else row for row in rows]
    if chosen.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    for row in rows:
        same = "same result" if row.same_result else "RESULTS DIFFER"
        print(
            f"{row.id:>20}  ours {row.ours_s:9.4f} s  peer {row.peer_s:9.4f} s  ratio {row.ratio:7.2f}"
            f"  {row.threads} thread(s)  {same}  {row.peer}: {row.work}"
        )
