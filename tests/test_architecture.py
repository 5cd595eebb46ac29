"""The shape of the package: what is light stays light, and the layout says what it says."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
import types
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import rubricate
from rubricate._deprecated import RENAMED
from rubricate.registry import KINDS

ROOT = Path(__file__).parents[1]
SOURCE = Path(rubricate.__file__).parent
HEAVY = ("sklearn", "scipy", "vl_convert", "pyarrow", "pandas", "fastapi")

FORBIDDEN_NAMES = (
    "deal",
    "dealt",
    "dealings",
    "worths",
    "said",
    "saying",
    "spoken",
    "sureness",
    "hire",
    "strays",
    "LONELY",
    "GENTLE",
    "BLIND",
    "STEEP",
    "STILL",
    "QUIET",
    "SELDOM",
    "VACANT",
)
"""Words without an ordinary meaning in this field, as a whole name or as a part of one between underscores.

They must not name a module, class, function, parameter, field or constant. Write what readers of scikit-learn and NumPy
know (`assign_folds`, `selection_score`, `message`); a constant says what it bounds, with its unit.
"""

REMAINING_NAMES = ("sureness",)
"""Forbidden words that still occur (`sureness_` is a key of model files).

Remove a word when its last name is gone; a test fails until you do. Add none.
"""


def _loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split("\n")[-2].split())


def test_importing_rubricate_loads_nothing_heavy():
    assert not _loaded_by("import rubricate") & {*HEAVY, "numpy"}


@pytest.mark.slow
def test_help_loads_nothing_heavy():
    statement = "import sys; sys.argv = ['rubricate', '--help']\nfrom rubricate.cli import build\nbuild()"
    assert not _loaded_by(statement) & {*HEAVY, "numpy"}


@pytest.mark.parametrize("name", rubricate.__all__)
def test_every_public_name_loads_and_is_documented(name):
    assert getattr(rubricate, name).__doc__ or name == "__version__"


def test_a_newcomer_meets_few_names():
    modules = {name for name in rubricate.__all__ if isinstance(getattr(rubricate, name), types.ModuleType)}
    assert len(set(rubricate.__all__) - modules) <= 30


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_an_old_name_works_and_names_the_new_one(old, new):
    with pytest.warns(DeprecationWarning, match=re.escape(new)):
        value = getattr(rubricate, old)
    package, _, name = new.rpartition(".")
    assert value is getattr(importlib.import_module(package), name)


def test_unknown_public_name_says_what_there_is():
    with pytest.raises(AttributeError, match="Corpus"):
        rubricate.Corpse


def test_no_file_is_named_after_nothing():
    names = {path.stem for path in SOURCE.rglob("*.py")}
    assert not names & {"utils", "util", "helpers", "helper", "common", "misc"}


def _names(module: str, tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module gives: its own, of classes, functions, parameters, fields and constants."""
    yield module.rpartition(".")[2]
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        if isinstance(node, ast.ClassDef | ast.Module):
            for child in node.body:
                targets = child.targets if isinstance(child, ast.Assign) else [getattr(child, "target", None)]
                parts = [part for target in targets if target for part in ast.walk(target)]
                yield from (part.id for part in parts if isinstance(part, ast.Name))


@cache
def _forbidden() -> dict[str, list[str]]:
    """Map each forbidden word that occurs to the modules and names with it."""
    found: dict[str, list[str]] = {}
    for module, tree in _modules():
        for name in _names(module, tree):
            for word in {*name.split("_")} & {*FORBIDDEN_NAMES}:
                found.setdefault(word, []).append(f"{module}: {name}")
    return found


def test_names_are_words_that_readers_know():
    assert {word: places for word, places in _forbidden().items() if word not in REMAINING_NAMES} == {}


@pytest.mark.parametrize("word", REMAINING_NAMES)
def test_a_forbidden_word_that_no_longer_occurs_leaves_the_list(word):
    assert word in FORBIDDEN_NAMES
    assert word in _forbidden(), f"no name has the word {word!r} any more: remove it from REMAINING_NAMES"


def test_the_search_for_forbidden_names_sees_every_kind_of_name():
    source = "LOW, HIGH = 1, 2\nclass Kind:\n    field: int = 0\n    def method(self, argument): ...\n"
    assert {*_names("package.module", ast.parse(source))} == {
        "module",
        "LOW",
        "HIGH",
        "Kind",
        "field",
        "method",
        "self",
        "argument",
    }


def _page_section(title: str) -> str:
    """Return a section of ARCHITECTURE.md."""
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_the_architecture_page_lists_every_package_and_no_other():
    first = re.findall(r"^\| (`.*?) \|", _page_section("Packages"), re.MULTILINE)
    listed = [name for cell in first for name in re.findall(r"`([^`]+)`", cell) if name != "src/rubricate/"]
    folders = {f"{path.parent.name}/" for path in SOURCE.glob("*/__init__.py")}
    files = {path.name for path in SOURCE.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert sorted(listed) == sorted(folders | files)


def test_the_architecture_page_has_the_layers_of_the_contract():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0]
    forwarding = {"__main__", "files", "evaluation", "readers"}
    layers = [{*re.findall(r"\w+", layer)} - forwarding for layer in settings["layers"]]
    arrows = _page_section("Imports").partition("```")[2].partition("```")[0].split("→")
    assert [{*re.findall(r"\w+", step)} for step in arrows] == [layer for layer in layers if layer]


def test_the_architecture_page_names_what_there_is():
    """The walks follow the code: each of their names occurs in the source, after a renaming, too."""
    words = {word for path in SOURCE.rglob("*.py") for word in re.findall(r"\w+", path.read_text("utf-8"))}
    modules = {part for module, _ in _modules() for part in module.split(".")}
    _, diagram, walks = _page_section("How a model is made and used").split("```")
    named = set(re.findall(r"\b[A-Z]\w+", diagram))
    named |= {word for code in re.findall(r"`([^`\n]+)`", walks) for word in re.findall(r"\w+", code)}
    assert len(named) > 30
    assert sorted(named - words - modules) == []


def test_the_architecture_page_has_every_kind_of_plugin_with_its_decorator():
    rows = re.findall(r"^\| `(\w+)` \| `@(\w+)`, `([\w/]+\.py)`", _page_section("Plug-ins"), re.MULTILINE)
    assert {kind: decorator for kind, decorator, _ in rows} == {kind: KINDS[kind].decorator for kind in KINDS}
    for _, decorator, module in rows:
        assert f"def {decorator}(" in (SOURCE / module).read_text("utf-8"), module


def test_native_modules_import_nothing_of_ours_but_errors():
    for path in (SOURCE / "native").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            ours = ("rubricate.native", "rubricate.errors")
            assert not module.startswith("rubricate") or module.startswith(ours), path.name


def test_only_the_loader_makes_pointers():
    for path in SOURCE.rglob("*.py"):
        if path.name not in ("library.py", "_declarations.py"):
            assert not re.search(r"\bffi\b|\bctypes\b", path.read_text(encoding="utf-8")), path.name


@cache
def _modules() -> list[tuple[str, ast.Module]]:
    """Every module of the package by its dotted name, parsed."""
    names = {path: ".".join(("rubricate", *path.relative_to(SOURCE).with_suffix("").parts)) for path in _files()}
    return [(name.removesuffix(".__init__"), ast.parse(path.read_text("utf-8"))) for path, name in names.items()]


def _files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@pytest.mark.slow
def test_no_two_classes_share_a_name():
    """A class name means one thing in the whole package, so that a reader who meets it knows which."""
    homes: dict[str, list[str]] = {}
    for module, tree in _modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def _owner(module: str, name: str) -> str | None:
    """The package that may import a name of a module: the folder of what is private in it; None if nothing is."""
    parts = module.split(".")
    private = [i for i, part in enumerate([*parts, name]) if part.startswith("_") and not part.endswith("__")]
    return ".".join(parts[: min(private[0], len(parts) - 1)]) if private else None


@pytest.mark.slow
def test_nobody_imports_the_private_parts_of_another_package():
    """`from rubricate.other._x import y` and `from rubricate.other.x import _y` are for the package itself alone."""
    open_to_all = {"rubricate._version", "rubricate._exports", "rubricate._deprecated"}
    trespassers = []
    for module, tree in _modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rubricate"):
                owners = {alias.name: _owner(str(node.module), alias.name) for alias in node.names}
                trespassers += [
                    f"{module} imports {node.module}.{name}"
                    for name, owner in owners.items()
                    if owner and node.module not in open_to_all and not f"{module}.".startswith(f"{owner}.")
                ]
    assert trespassers == []


def test_only_the_engines_start_threads():
    """Except the layer below them, the service with threads for requests, and the watcher of signals, in no pool."""
    starters = {"Thread", "Timer", "ThreadPoolExecutor", "ProcessPoolExecutor", "start_new_thread"}
    exempt = ("rubricate.engines", "rubricate.native.library", "rubricate.service.", "rubricate.cli.interrupts")
    found = {
        f"{module}: {alias.name}"
        for module, tree in _modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not module.startswith(exempt)
        for alias in node.names
        if alias.name in starters
    }
    found |= {
        f"{module}: {node.attr}"
        for module, tree in _modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in starters and not module.startswith(exempt)
    }
    assert found == set()
