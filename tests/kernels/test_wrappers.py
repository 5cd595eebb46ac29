"""Functions that are compiled without what a call from Python needs: only kernels may call them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "src" / "rubricate" / "kernels"


@cache
def _bare() -> dict[str, set[str]]:
    """Return the names of such functions by the module that defines them."""
    return {
        f"rubricate.kernels.{path.stem}": {
            node.name
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef) and "FROM_KERNELS" in "".join(map(ast.unparse, node.decorator_list))
        }
        for path in KERNELS.glob("*.py")
    }


def test_there_are_some():
    assert "dot_row" in _bare()["rubricate.kernels.svm_local"]


def test_only_kernels_import_them():
    """Called from Python, such a function would end the process."""
    found = []
    for path in (file for folder in ("src", "tests", "benchmarks", "tools") for file in (ROOT / folder).rglob("*.py")):
        if path.parent == KERNELS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module in _bare():
                found += [(path.name, alias.name) for alias in node.names if alias.name in _bare()[node.module]]
    assert not found


def test_kernels_call_them_in_compiled_functions_alone():
    for path in KERNELS.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = set(_bare()[f"rubricate.kernels.{path.stem}"])
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in _bare():
                names |= {alias.asname or alias.name for alias in node.names if alias.name in _bare()[node.module]}
        for function in (node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.decorator_list):
            called = {
                node.func.id for node in ast.walk(function) if isinstance(node, ast.Call) and hasattr(node.func, "id")
            }
            assert not called & names, (path.name, function.name)
