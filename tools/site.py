"""Assemble the pages of the documentation site under `build/docs`: `docs/`, pages of the project, the API reference.

Links that lead out of `docs/` become links to the pages of the project where there is one, else plain text. The
reference has one page per package, made of its `__all__`; docstrings are read by mkdocstrings. The worked examples of
`docs/gallery` are run, and shown with what they print. Former addresses of pages lead to the present ones.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import os
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
PROJECT = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "CODE_OF_CONDUCT.md": "project/conduct.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "benchmarks/RESULTS.md": "project/benchmarks.md",
    "benchmarks/NOTES.md": "project/notes.md",
    "README.md": "index.md",
}
PACKAGES = (
    "rubricate",
    "rubricate.classifiers",
    "rubricate.corpora",
    "rubricate.estimation",
    "rubricate.experiments",
    "rubricate.hierarchy",
    "rubricate.measures",
    "rubricate.io",
    "rubricate.reports",
    "rubricate.rules",
    "rubricate.significance",
    "rubricate.text",
    "rubricate.thresholds",
)
REDIRECTS = {  # former address of a page: the page that took its place
    "guides/judging.html": "guides/judge-predictions.html",
    "guides/many.html": "guides/thousands-of-categories.html",
    "guides/predictions.html": "guides/prediction-files.html",
    "guides/strangers.html": "guides/how-the-default-works.html",
    "guides/vectors.html": "guides/sentence-encoders.html",
    "reference/api/rubricate.evaluation.html": "reference/api/rubricate.measures.html",
    "reference/api/rubricate.readers.html": "reference/api/rubricate.io.html",
}
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^)#\s]+)(#[^)\s]*)?\)")


def place(path: Path) -> str | None:
    """Return where a file of the repository stands on the site, None where it is not part of it."""
    relative = path.relative_to(ROOT).as_posix()
    if relative.startswith("docs/"):
        return relative.removeprefix("docs/")
    return PROJECT.get(relative)


def rewritten(text: str, source: Path) -> str:
    """Return a page with links that work on the site."""
    here = Path(place(source) or "").parent

    def link(match: re.Match[str]) -> str:
        shown, target, anchor = match[1], match[2], match[3] or ""
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        path = Path(os.path.normpath(source.parent / target))
        found = place(path) if path.is_relative_to(ROOT) else None
        if found is None or not path.exists():
            return shown.lstrip("!")[1:-1]
        if path.is_dir():
            return shown[1:-1]
        return f"{shown}({os.path.relpath(found, here)}{anchor})"

    return LINK.sub(link, text)


def pages() -> list[Path]:
    """Return every file that the site is made of."""
    own = (path for path in (ROOT / "docs").rglob("*") if path.is_file() and path.suffix != ".py")
    return [*own, *(ROOT / name for name in PROJECT)]


def reference(name: str) -> str:
    """Return the reference page of a package: each public name with its docstring."""
    package = importlib.import_module(name)
    lines = [f"# {name}", "", (package.__doc__ or "").strip(), ""]
    for public in sorted(package.__all__):
        value = getattr(package, public)
        if isinstance(value, ModuleType):  # a package has a page of its own
            continue
        home = getattr(value, "__module__", None)
        if isinstance(home, str) and home.startswith("rubricate") and hasattr(value, "__name__"):
            lines += [f"::: {home}.{value.__name__}", "    options:", f"      heading: {public}", ""]
    return "\n".join(lines)


def redirect_page(former: str, page: str) -> str:
    """Return a page that leads from a former address to the page that took its place."""
    address = os.path.relpath(page, Path(former).parent)
    return "\n".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>This page has moved</title>',
            f'<meta http-equiv="refresh" content="0; url={address}">',
            f'<p>This page has moved: <a href="{address}">{address}</a></p></html>',
        ]
    )


def gallery_page(script: Path) -> str:
    """Return a worked example as a page: its text, its code, and what it prints when it is run now."""
    names: dict[str, object] = {"__name__": "__main__"}
    parts = []
    for cell in re.split(r"^# %%", script.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        kind, _, body = cell.partition("\n")
        if "[markdown]" in kind:
            parts.append("\n".join(line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines()))
            continue
        parts.append(f"```python\n{body.strip()}\n```")
        if printed := run_cell(body, names):
            parts.append(f"```text\n{printed}\n```")
    note = (
        f"*Run it yourself: `docs/gallery/{script.name}`; `jupytext --to ipynb {script.name}` makes a notebook of it.*"
    )
    return "\n\n".join([*parts, note]) + "\n"


def run_cell(body: str, names: dict[str, object]) -> str:
    """Run a cell as a notebook does, and return what it prints and the value of its last expression."""
    tree = ast.parse(body)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(last, "cell", "eval"), names) if last is not None else None
        if value is not None:
            print(repr(value))
    return out.getvalue().rstrip()


def assemble(target: Path) -> None:
    """Write all pages below the target, which is emptied first."""
    shutil.rmtree(target, ignore_errors=True)
    for source in pages():
        page = target / str(place(source))
        if source.name == "README.md" and (ROOT / "docs" / "index.md").exists():
            continue
        page.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            page.write_text(rewritten(source.read_text("utf-8"), source), "utf-8")
        else:
            shutil.copyfile(source, page)
    for script in sorted((ROOT / "docs" / "gallery").glob("*.py")):
        (target / "gallery").mkdir(parents=True, exist_ok=True)
        (target / "gallery" / f"{script.stem}.md").write_text(gallery_page(script), "utf-8")
    for name in PACKAGES:
        page = target / "reference" / "api" / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(reference(name), "utf-8")
    for former, moved in REDIRECTS.items():
        (target / former).write_text(redirect_page(former, moved), "utf-8")


if __name__ == "__main__":
    assemble(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "docs")
