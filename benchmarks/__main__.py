"""Run every benchmark (or those named) and renew the committed table beside them.

python -m benchmarks            all of them
python -m benchmarks text svm   these two; the other rows of the table stay
python -m benchmarks text=FILE  the rows that `python -m benchmarks.text --json` wrote to a file before, in place of
                                those with the same ids
python -m benchmarks --cpu svm  rows of one thread by CPU seconds, for a busy machine
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
TABLE = HERE / "RESULTS.md"
PEERS = (
    "numpy", "scipy", "scikit-learn", "statsmodels", "ranx", "sparse-dot-topn", "hiclass", "wittgenstein"
)  # fmt: skip


def run(name: str, options: list[str]) -> list[dict[str, object]]:
    print(f"benchmarks/{name}.py …", file=sys.stderr)
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", "--json", *options],
        capture_output=True,
        text=True,
        cwd=HERE.parent,
    )
    if done.returncode:
        sys.exit(f"benchmarks/{name}.py failed:\n{done.stderr}")
    return [{"benchmark": name, **row} for row in json.loads(done.stdout)]


def read(name: str, file: Path) -> list[dict[str, object]]:
    return [{"benchmark": name, **row} for row in json.loads(file.read_text(encoding="utf-8"))]


def table(rows: list[dict[str, object]]) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in PEERS)
    lines = [
        "# Benchmarks",
        "",
        "Ours and the peer in one run, interleaved, medians; a ratio above 1 means that ours is faster. The same",
        "result is checked before any time is taken. Absolute times depend on the machine; only ratios are claims.",
        "",
        f"Python {platform.python_version()}, {versions}. Renew with `make bench`.",
        "",
        "| id | threads | ours (s) | peer (s) | ratio | same result | peer | work | measured |",
        "|---|--:|--:|--:|--:|---|---|---|---|",
    ]
    for row in rows:
        same = "yes" if row["same_result"] else "**no**"
        lines.append(
            f"| {row['id']} | {row['threads']} | {row['ours_s']:.4g} | {row['peer_s']:.4g} | {row['ratio']:.2f} "
            f"| {same} | {row['peer']} | {row['work']} | {row['date']}, {row['revision']} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    # Files that make no rows are simulations with tables of their own (docs/guides/few-labels.md).
    known = sorted(
        path.stem
        for path in HERE.glob("*.py")
        if not path.stem.startswith("_") and "from benchmarks._timing" in path.read_text(encoding="utf-8")
    )
    options = [each for each in sys.argv[1:] if each == "--cpu"]
    chosen = [each for each in sys.argv[1:] if each != "--cpu"] or known
    unknown = {each.partition("=")[0] for each in chosen} - set(known)
    if unknown:
        sys.exit(f"no benchmark named {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    old = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    rows = [row for row in old if row["benchmark"] in known and row["benchmark"] not in chosen]
    for each in chosen:
        name, _, file = each.partition("=")
        made = read(name, Path(file)) if file else run(name, options)
        ids = {row["id"] for row in made}
        rows = [row for row in rows if row["id"] not in ids] + made
    rows.sort(key=lambda row: (row["benchmark"], row["id"], row["threads"]))
    RESULTS.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    TABLE.write_text(table(rows), encoding="utf-8")
    print(TABLE.relative_to(HERE.parent))


if __name__ == "__main__":
    main()
