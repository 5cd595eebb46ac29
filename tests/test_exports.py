"""Lazy public names: no submodule takes the name of a public object."""

from __future__ import annotations

import sys
from pathlib import Path

import rubricate
from rubricate._exports import read_stub

SOURCES = Path(rubricate.__file__).parent


def _public() -> dict[str, str]:
    """Return where each public name of each package with a stub comes from."""
    found: dict[str, str] = {}
    for stub in sorted(SOURCES.rglob("__init__.pyi")):
        package = ".".join(("rubricate", *stub.parent.relative_to(SOURCES).parts))
        found |= {f"{package}.{name}": home for name, home in read_stub(stub).items()}
    return found


def _submodules() -> list[str]:
    """Return the direct submodules and subpackages of packages with a stub, whose names public names could share."""
    homes = [stub.parent for stub in SOURCES.rglob("__init__.pyi")]
    paths = [path for home in homes for path in (*home.glob("*.py"), *home.glob("*/__init__.py"))]
    parts = {path.relative_to(SOURCES).with_suffix("").parts for path in paths}
    names = {tuple(part for part in each if part != "__init__") for each in parts}
    return sorted(".".join(("rubricate", *each)) for each in names if "__main__" not in each)


def test_no_submodule_has_the_name_of_a_public_object() -> None:
    objects = {name for name, home in _public().items() if home != "."}
    assert len(objects) > 200
    assert objects & set(_submodules()) == set()


def test_declared_submodules_are_modules() -> None:
    for name in (name for name, home in _public().items() if home == "."):
        package, _, attribute = name.rpartition(".")
        assert getattr(sys.modules[package], attribute) is sys.modules[name]
