"""Write requirements.lock: every version of constraints.txt with the digests of all its files, for every platform.

    python tools/lock.py                                             after a change of constraints.txt
    pip install --require-hashes --no-deps -r requirements.lock      what `make locked` does

The digests come from the package index that pip uses. A package that has no wheel is left out, and the file says so: to
build one would run its code. Those are peers of the benchmarks.
"""

from __future__ import annotations

import re
import sys
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PINS, LOCK = ROOT / "constraints.txt", ROOT / "requirements.lock"
HEAD = "# Made by tools/lock.py from constraints.txt. Install it with pip install --require-hashes --no-deps -r.\n"
LINK = re.compile(r'href="[^"#]*#sha256=([0-9a-f]{64})"[^>]*>\s*([^<\s]+)\s*</a>')
ENDINGS = re.compile(r"\.(tar\.gz|zip|whl)$")


def pins(text: str) -> dict[str, str]:
    """Return the version of each package.

    >>> pins("numpy==2.3.0\\n# a comment\\nScipy_x==1.0\\n")
    {'numpy': '2.3.0', 'scipy-x': '1.0'}
    """
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    pairs = (line.split("==") for line in lines if line)
    return {canonical(name): version for name, version in pairs}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def of_version(filename: str, name: str, version: str) -> bool:
    """Tell whether a file belongs to a version.

    >>> of_version("numpy-2.3.0-cp311-none-any.whl", "numpy", "2.3.0")
    True
    >>> of_version("numpy-2.3.0.1.tar.gz", "numpy", "2.3.0")
    False
    """
    if not ENDINGS.search(filename):
        return False
    bare = ENDINGS.sub("", filename)
    own = bare.split("-")[1] if filename.endswith(".whl") else bare[len(name) + 1 :]
    return own == version


def files(name: str) -> list[tuple[str, str]]:
    """Return the files of a package and their digests, from the page of the index."""
    from pip._internal.models.index import PyPI

    with urllib.request.urlopen(f"{PyPI.simple_url}/{name}/", timeout=60) as answer:
        return [(file, digest) for digest, file in LINK.findall(answer.read().decode())]


def entry(name: str, version: str) -> str:
    own = {file: digest for file, digest in files(name) if of_version(file, name, version)}
    if not own:
        raise SystemExit(f"no file of {name} {version} in the index; correct constraints.txt")
    if not any(file.endswith(".whl") for file in own):
        return f"# {name}=={version} has no wheel\n"
    digests = sorted(own.values())
    return " \\\n".join([f"{name}=={version}", *(f"    --hash=sha256:{digest}" for digest in digests)]) + "\n"


def main() -> None:
    wanted = pins(PINS.read_text())
    parts = []
    for number, (name, version) in enumerate(sorted(wanted.items()), 1):
        print(f"{number} of {len(wanted)}: {name}", file=sys.stderr)
        parts.append(entry(name, version))
    LOCK.write_text(HEAD + "".join(parts))


if __name__ == "__main__":
    main()
