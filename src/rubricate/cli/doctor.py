"""`rubricate doctor`: what is installed, where files are kept, what is missing."""

from __future__ import annotations

import json
import os
import platform
import re
from importlib import metadata
from pathlib import Path
from typing import Any

import typer

from rubricate.cli.options import Json
from rubricate.registry import command

__all__ = ["doctor"]

PACKAGES = ("numpy", "scipy", "scikit-learn", "cffi", "PyStemmer", "typer", "rich", "platformdirs")
_OPTIONAL = re.compile(r"([\w.-]+)[^;]*;.*extra == ['\"]([\w-]+)['\"]")
VARIABLES = ("RUBRICATE_DATA", "RUBRICATE_STORE", "RUBRICATE_CONFIG", "RUBRICATE_ENCODER", "RUBRICATE_NATIVE")


@command("doctor")
def doctor(as_json: Json = False) -> None:
    """Show what is installed, which corpora are here, where results are kept, and what is missing.

    Nothing is changed and nothing is downloaded. Add the output when you report a problem.
    """
    checked = examination()
    typer.echo(json.dumps(checked, ensure_ascii=False, indent=2) if as_json else _text(checked))


def examination() -> dict[str, Any]:
    """Return what there is to know about this installation."""
    from rubricate import registry
    from rubricate._version import __version__
    from rubricate.corpora import missing, source
    from rubricate.experiments.store import VARIABLE, user_folder
    from rubricate.native.library import STAMP, VARIANT
    from rubricate.storage import config_file

    store = Path(os.environ.get(VARIABLE) or user_folder())
    sources = map(source, registry.names("corpora"))
    return {
        "rubricate": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "packages": {name: _version(name) for name in PACKAGES},
        "extras": _extras(),
        "corpora": {each.name: not missing(each, each.splits[0]) for each in sources},
        "compiled_library": {"variant": VARIANT, "stamp": STAMP},
        "store": _size(store, "??/*.zip"),
        "config": str(config_file()) if config_file().is_file() else None,
        "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ},
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _extras() -> dict[str, list[str]]:
    """Return for each extra what of it is not installed."""
    lacking: dict[str, list[str]] = {}
    for line in metadata.requires("rubricate") or ():
        needed = _OPTIONAL.match(line)
        if needed is not None and needed[2] not in ("all", "bench", "dev"):
            missing = lacking.setdefault(needed[2], [])
            if _version(needed[1]) is None:
                missing.append(needed[1])
    return lacking


def _size(folder: Path, pattern: str) -> dict[str, Any]:
    files = list(folder.glob(pattern)) if folder.is_dir() else []
    return {"folder": str(folder), "files": len(files), "bytes": sum(file.stat().st_size for file in files)}


def _text(checked: dict[str, Any]) -> str:
    library, store = checked["compiled_library"], checked["store"]
    lines = [
        f"rubricate {checked['rubricate']}, Python {checked['python']}, {checked['cores']} cores",
        f"platform      {checked['platform']}",
        "packages      " + ", ".join(f"{name} {version or 'MISSING'}" for name, version in checked["packages"].items()),
    ]
    for extra, lacking in sorted(checked["extras"].items()):
        remedy = f'lacks {", ".join(lacking)}. Fix: pip install "rubricate[{extra}]"' if lacking else "installed"
        lines.append(f"extra         {extra}: {remedy}")
    for here, word in ((True, "here"), (False, "not here")):
        names = [name for name, found in checked["corpora"].items() if found is here]
        if names:
            lines.append(f"corpora       {word}: {', '.join(names)}")
    if not all(checked["corpora"].values()):
        lines.append("              Fix: rubricate corpus fetch NAME, or set RUBRICATE_DATA to their folder")
    lines.append(f"compiled code variant {library['variant']}, built from sources {library['stamp']}")
    lines.append(f"results       {store['folder']} ({store['files']:,} files, {store['bytes'] / 1e6:,.1f} MB)")
    lines.append(f"defaults      {checked['config'] or 'none; see docs/guides/command-line.md'}")
    lines += [f"{name}={value}" for name, value in checked["variables"].items()]
    return "\n".join(lines)
