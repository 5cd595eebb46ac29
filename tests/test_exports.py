"""Lazy public names: a submodule of the same name never takes the place of a public object."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import rubricate
from rubricate._exports import read_stub

SOURCES = Path(rubricate.__file__).parent
CHECK = """
import importlib, sys
from types import ModuleType
modules, names = sys.argv[1].split(","), sys.argv[2].split(",")
for module in modules:
    importlib.import_module(module)
wrong = []
for name in names:
    package, _, attribute = name.rpartition(".")
    if isinstance(getattr(sys.modules[package], attribute), ModuleType):
        wrong.append(name)
print(*wrong)
"""


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


@pytest.mark.slow
def test_public_objects_stay_when_every_submodule_is_imported() -> None:
    """`labelling.agreement` was the function or the subpackage, by which was imported last."""
    objects = [name for name, home in _public().items() if home != "."]
    assert "rubricate.labelling.agreement" in objects
    assert "rubricate.labelling.agreement" in _submodules()
    given = (",".join(_submodules()), ",".join(objects))
    done = subprocess.run([sys.executable, "-c", CHECK, *given], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, []), done.stderr


def test_declared_submodules_are_modules() -> None:
    for name in (name for name, home in _public().items() if home == "."):
        package, _, attribute = name.rpartition(".")
        assert getattr(sys.modules[package], attribute) is sys.modules[name]
