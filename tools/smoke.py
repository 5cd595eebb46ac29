"""Install each file of a folder in an empty environment and use the program there: train, classify, evaluate, report.

python tools/smoke.py dist
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

STORIES = {"grain": "wheat corn harvest crop", "fuel": "oil gas barrel pipeline", "metal": "gold copper mine ore"}


def documents(path: Path) -> None:
    """Write forty short documents under three categories."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text", "labels"])
        for number in range(40):
            topic = [*STORIES][number % 3]
            words = STORIES[topic].split()
            writer.writerow([number, f"{words[number % 4]} and {words[(number + 1) % 4]} prices", topic])


def use(program: Path, folder: Path) -> None:
    """Run the commands of a newcomer; any of them that fails ends this program."""
    documents(folder / "news.csv")
    commands = (
        ["--version"],
        ["train", "news.csv", "-o", "news.rubric"],
        ["show", "news.rubric"],
        ["classify", "news.rubric", "news.csv", "-o", "decisions.csv"],
        ["classify", "news.rubric", "--say", "gold from a mine"],
        ["evaluate", "news.csv", "decisions.csv"],
        ["report", "news.csv", "decisions.csv", "-o", "report"],
    )
    plain = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    for command in commands:
        done = subprocess.run([program, *command], cwd=folder, env=plain, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"rubricate {' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    if not (folder / "report" / "report.html").is_file():
        sys.exit("no report was written")


def main() -> None:
    """Try every wheel and source archive of the folder."""
    files = sorted([*Path(sys.argv[1]).glob("*.whl"), *Path(sys.argv[1]).glob("*.tar.gz")])
    if not files:
        sys.exit(f"no wheel and no source archive in {sys.argv[1]}")
    for file in files:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            venv.create(folder / "env", with_pip=True)
            scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
            install = [scripts / "python", "-m", "pip", "install", "--quiet", file.resolve()]
            subprocess.run(install, check=True, stderr=subprocess.DEVNULL)
            use(scripts / "rubricate", folder)
        print(f"{file.name}: installed and used with Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
