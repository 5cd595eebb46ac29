"""Fuzz parsers: `python tests/fuzz/fuzz.py --seconds 60 [PARSER …]` prints one JSON line per parser.

    {"parser": "csv", "executions": 812345, "crashes": 0, "seconds": 60.0, "engine": "atheris"}

Each parser runs in a process of its own. With Atheris (coverage-guided, `make fuzz` gets it) libFuzzer chooses the
inputs; without it inputs are mutated, and those that reach new lines of the package are kept. A crash is any exception
that is not an error of ours, counted once for each place it comes from; a process that dies or hangs is one, too.
Inputs that crash are written to `build/fuzz`. `--append FILE` adds the lines to a record (docs/fuzz.jsonl), with the
day, the version of Python and of the code.
"""

from __future__ import annotations

import argparse
import datetime
import faulthandler
import json
import platform
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from tests.fuzz.findings import Findings  # noqa: E402
from tests.fuzz.lines import Lines  # noqa: E402
from tests.fuzz.mutation import mutated  # noqa: E402

LONGEST = 4096
HANGING = 20
"""Seconds after which one input is a hang."""
MEMORY = 2048
OFTEN = 500
"""Executions between two looks at the clock: what happens there costs as much as a parser does."""


def mutate(found: Findings, seeds: list[bytes], options: argparse.Namespace) -> None:
    """Change known inputs until the time is over or enough were tried; one that reaches new lines joins them."""
    generator, known, lines = random.Random(), list(seeds), Lines()
    end = time.monotonic() + options.seconds
    while found.executions < options.executions:
        if found.executions % OFTEN == 0:
            faulthandler.dump_traceback_later(HANGING * 2, exit=True)
            Path(options.line).write_text(json.dumps(found.report()))
            if time.monotonic() >= end:
                break
        data = mutated(generator.choice(known), known, generator)[:LONGEST]
        if lines.are_new(lambda data=data: found.run_one(data)):
            known.append(data)
    faulthandler.cancel_dump_traceback_later()
    Path(options.line).write_text(json.dumps(found.report()))


def fuzz_one(parser: str, options: argparse.Namespace) -> None:
    """Fuzz one parser in this process; write its line to the file that `--line` names, again and again."""
    if options.engine != "atheris":
        from tests.fuzz import targets

        seeds = [path.read_bytes() for path in sorted((targets.CORPUS / parser).glob("*"))]
        mutate(Findings(parser, options.crashes, targets.run), seeds, options)
        return

    import atheris

    with atheris.instrument_imports(include=["rubricate"], exclude=["rubricate.native"]):
        from tests.fuzz import targets
    found, line = Findings(parser, options.crashes, targets.run), Path(options.line)

    def one(data: bytes) -> None:
        found.run_one(data)
        if found.executions % OFTEN == 0:
            line.write_text(json.dumps(found.report()))

    grown = options.crashes / "corpus" / parser
    grown.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={options.seconds:.0f}", f"-max_len={LONGEST}", f"-timeout={HANGING}"]
    limits += [f"-rss_limit_mb={MEMORY}", f"-artifact_prefix={options.crashes}/{parser}-died-", "-verbosity=0"]
    limits += [f"-runs={options.executions}"]
    atheris.Setup([sys.argv[0], *limits, str(grown), str(targets.CORPUS / parser)], one)
    atheris.Fuzz()


def fuzz_elsewhere(parser: str, options: argparse.Namespace) -> dict[str, Any]:
    """Fuzz one parser in a process of its own; return its line."""
    line = options.crashes / f"{parser}.json"
    line.unlink(missing_ok=True)
    chosen = ("engine", "crashes", "seconds", "executions")
    given = [part for name in chosen for part in (f"--{name}", getattr(options, name))]
    command = [sys.executable, __file__, "--one", "--line", line, *given, parser]
    with (options.crashes / f"{parser}.log").open("w") as log:
        code = subprocess.run(list(map(str, command)), stdout=log, stderr=log).returncode
    report = json.loads(line.read_text()) if line.exists() else {"parser": parser, "executions": 0, "crashes": 0}
    report["crashes"] += int(code != 0)
    return report | {"engine": options.engine}


def parse_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parsers", nargs="*")
    parser.add_argument("--seconds", type=float, default=10, help="for each parser")
    parser.add_argument("--executions", type=int, default=2**31 - 1, help="for each parser, if the seconds suffice")
    parser.add_argument("--engine", choices=["atheris", "mutation", "auto"], default="auto")
    parser.add_argument("--crashes", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--append", type=Path, help="a record of runs to add to")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--line", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Fuzz the parsers that are named, or all."""
    options = parse_options()
    if options.engine == "auto":
        options.engine = "atheris" if _has_atheris() else "mutation"
    if options.one:
        fuzz_one(options.parsers[0], options)
        return
    options.crashes.mkdir(parents=True, exist_ok=True)
    reports = []
    names = options.parsers or sorted(path.name for path in (HERE / "corpus").iterdir())
    for name in names:
        reports.append(fuzz_elsewhere(name, options))
        print(json.dumps(reports[-1]), flush=True)
        if options.append:
            with options.append.open("a") as record:
                record.write(json.dumps(reports[-1] | _circumstances()) + "\n")
    sys.exit(any(report["crashes"] for report in reports))


def _circumstances() -> dict[str, str]:
    """Return the day, the version of Python and the revision of the code."""
    command = ["git", "-C", str(HERE), "describe", "--always", "--dirty", "--exclude=*"]
    revision = subprocess.run(command, capture_output=True, text=True).stdout.strip() or "unknown"
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return {"date": today, "python": platform.python_version(), "revision": revision}


def _has_atheris() -> bool:
    try:
        import atheris  # noqa: F401
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    main()
