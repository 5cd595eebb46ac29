"""Fuzz parsers: `python tests/fuzz/fuzz.py --seconds 60 [PARSER …]` prints one JSON line per parser.

    {"parser": "csv", "executions": 812345, "crashes": 0, "seconds": 60.0, "engine": "atheris"}

Each parser runs in a process of its own. With Atheris (coverage-guided, `make fuzz` gets it) libFuzzer chooses the
inputs; without it inputs are mutated, and those that reach new lines of the package are kept. A crash is any exception
that is not an error of ours, counted once for each place it comes from; a process that dies or hangs is one, too.
Inputs that crash are written to `build/fuzz`.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import json
import random
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LONGEST = 4096
HANGING = 20
"""Seconds after which one input is a hang."""
MEMORY = 2048
TRACED = 50
"""Of the inputs without Atheris, one in so many is traced for lines not reached before: tracing is slow."""


class Findings:
    """Runs inputs of one parser, counts them, and keeps those that crash it, one for each place."""

    def __init__(self, parser: str, folder: Path, run: Callable[[str, bytes], Any]) -> None:
        self.parser, self.folder, self.run = parser, folder, run
        self.executions, self.places, self.began = 0, set[str](), time.monotonic()

    def run_one(self, data: bytes) -> None:
        """Give one input to the parser."""
        self.executions += 1
        try:
            self.run(self.parser, data)
        except Exception as error:
            self._keep(data, error)

    def _keep(self, data: bytes, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{type(error).__name__} {Path(frames[-1].filename).name}:{frames[-1].lineno}"
        if place not in self.places:
            self.places.add(place)
            self.folder.mkdir(parents=True, exist_ok=True)
            name = f"{self.parser}-{hashlib.sha256(data).hexdigest()[:12]}"
            (self.folder / name).write_bytes(data)
            print(f"{self.parser}: {place}: {error} ({self.folder / name})", file=sys.stderr)

    def report(self) -> dict[str, Any]:
        """Return the line of this parser."""
        seconds = round(time.monotonic() - self.began, 1)
        return {"parser": self.parser, "executions": self.executions, "crashes": len(self.places), "seconds": seconds}


def mutate(found: Findings, seeds: list[bytes], seconds: float) -> None:
    """Change known inputs until the time is over; an input that reaches new lines joins them."""
    from mutation import mutated

    generator, known, lines = random.Random(), list(seeds), set[tuple[str, int]]()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = mutated(generator.choice(known), known, generator)[:LONGEST]
        faulthandler.dump_traceback_later(HANGING, exit=True)
        if found.executions % TRACED:
            found.run_one(data)
        elif new := _lines(lambda data=data: found.run_one(data)) - lines:
            lines |= new
            known.append(data)
    faulthandler.cancel_dump_traceback_later()


def _lines(action: Callable[[], None]) -> set[tuple[str, int]]:
    """Return the lines of the package that an action reaches."""
    reached: set[tuple[str, int]] = set()

    def trace(frame: Any, event: str, _: Any) -> Any:
        if "rubricate" not in frame.f_code.co_filename:
            return None
        if event == "line":
            reached.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(None)
    return reached


def fuzz_one(parser: str, options: argparse.Namespace) -> None:
    """Fuzz one parser in this process; write its line to the file that `--line` names, again and again."""
    if options.engine == "atheris":
        import atheris

        with atheris.instrument_imports(include=["rubricate"], exclude=["rubricate.kernels"]):
            import targets
    else:
        import targets
    found = Findings(parser, options.crashes, targets.run)
    line = Path(options.line)
    if options.engine != "atheris":
        mutate(found, [path.read_bytes() for path in sorted((targets.CORPUS / parser).glob("*"))], options.seconds)
        line.write_text(json.dumps(found.report()))
        return

    def one(data: bytes) -> None:
        found.run_one(data)
        if found.executions % 256 == 0:
            line.write_text(json.dumps(found.report()))

    grown = options.crashes / "corpus" / parser
    grown.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={options.seconds:.0f}", f"-max_len={LONGEST}", f"-timeout={HANGING}"]
    limits += [f"-rss_limit_mb={MEMORY}", f"-artifact_prefix={options.crashes}/{parser}-died-", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *limits, str(grown), str(targets.CORPUS / parser)], one)
    atheris.Fuzz()


def fuzz_elsewhere(parser: str, options: argparse.Namespace) -> dict[str, Any]:
    """Fuzz one parser in a process of its own; return its line."""
    line = options.crashes / f"{parser}.json"
    line.unlink(missing_ok=True)
    command = [
        sys.executable,
        __file__,
        "--one",
        "--line",
        line,
        "--engine",
        options.engine,
        "--crashes",
        options.crashes,
    ]
    command += ["--seconds", options.seconds, parser]
    with (options.crashes / f"{parser}.log").open("w") as log:
        code = subprocess.run(list(map(str, command)), stdout=log, stderr=log).returncode
    report = json.loads(line.read_text()) if line.exists() else {"parser": parser, "executions": 0, "crashes": 0}
    report["crashes"] += int(code != 0)
    return report | {"engine": options.engine}


def main() -> None:
    """Fuzz the parsers that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parsers", nargs="*")
    parser.add_argument("--seconds", type=float, default=10, help="for each parser")
    parser.add_argument("--engine", choices=["atheris", "mutation", "auto"], default="auto")
    parser.add_argument("--crashes", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--line", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
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
    sys.exit(any(report["crashes"] for report in reports))


def _has_atheris() -> bool:
    try:
        import atheris  # noqa: F401
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    main()
