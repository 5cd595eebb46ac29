"""Lazy public names, read from the stub beside a package: one list serves Python, type checkers and the docs.

The stub `__init__.pyi` of a package lists its public names as `from .module import Name as Name`. A name is imported
when it is first used, so that `import rubricate` costs almost nothing. No submodule of a package has the name
of a public object (tested).
"""

from __future__ import annotations

import ast
import importlib
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rubricate._deprecated import MOVED

__all__ = ["attach", "read_stub"]


def read_stub(path: Path) -> dict[str, str]:
    """Map each public name of a stub to the module it comes from; "." for a submodule of the package itself."""
    homes: dict[str, str] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            home = "." * node.level + (node.module or "")
            homes |= {alias.asname: home for alias in node.names if alias.asname}
    return homes


def attach(
    package: str, *, renamed: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a package with a stub.

    `renamed` maps old names to new ones (dotted, from `rubricate` on); an old name warns and gives the new object.
    """
    module = sys.modules[package]
    homes, old = read_stub(Path(str(module.__file__)).with_suffix(".pyi")), dict(renamed or {})

    def get(name: str) -> Any:
        if name in homes:
            if homes[name] == ".":
                value: Any = importlib.import_module(f".{name}", package)
            else:
                value = getattr(importlib.import_module(homes[name], package), name)
            setattr(module, name, value)
            return value
        if name in old:
            message = f"{package}.{name} is now {old[name]}; the old name goes with the next release"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            return _named(old[name])
        if f"{package}.{name}" in MOVED:
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}; it has {', '.join(sorted(homes))}")

    public = sorted(homes)
    return get, lambda: sorted({*public, *vars(module)}), public


def _named(path: str) -> Any:
    """Return the object at a dotted path such as `rubricate.classifiers.Local`."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)
