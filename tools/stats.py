"""Print statistics of the package, counted from its source: size, lengths, documentation, native code.

    python tools/stats.py                     the working tree
    python tools/stats.py HEAD 0964d54        revisions, side by side
    python tools/stats.py --list              also list the places behind the figures of the first column

The `.py` files below src/rubricate are counted, in whatever folders a revision has them, and the C files of `native/`,
which old revisions do not have. A positional argument is one that can be passed by position, `self` and `cls`
excepted. A private import is an import of a module, or of a name, that starts with one underscore and belongs to
another package of Rubricate. A code line is a line that is not blank, not only a comment, and not part of a docstring.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import statistics
import subprocess
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
PACKAGE = "src/rubricate"
NATIVE = "native"
TREE = "working tree"
MAX_POSITIONAL = 3
MAX_FUNCTION_LINES = 60
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Lines:
    """Lines of some files by kind."""

    all: int = 0
    blank: int = 0
    docstring: int = 0
    comment: int = 0
    commented: int = 0

    @property
    def code(self) -> int:
        """Lines that are neither blank nor docstring nor comment."""
        return self.all - self.blank - self.docstring - self.comment

    def add(self, other: Lines) -> None:
        """Add the lines of another file."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Stats:
    """What is counted over all files of a revision; lists hold `(size, place)`."""

    files: list[tuple[int, str]] = field(default_factory=list)
    functions: list[tuple[int, str]] = field(default_factory=list)
    arguments: list[tuple[int, str]] = field(default_factory=list)
    docstrings: list[tuple[int, str]] = field(default_factory=list)
    private_files: list[str] = field(default_factory=list)
    private_imports: list[str] = field(default_factory=list)
    lines: Lines = field(default_factory=Lines)
    native_files: int = 0
    native: Lines = field(default_factory=Lines)

    def add(self, path: str, text: str) -> None:
        """Count one file, of Python or of C."""
        if not path.endswith(".py"):
            self.native_files += 1
            self.native.add(count_native_lines(text))
            return
        tree = ast.parse(text)
        lines = count_lines(text, tree)
        self.lines.add(lines)
        self.files.append((lines.all, path))
        if is_private(PurePosixPath(path).stem):
            self.private_files.append(path)
        self.private_imports += [f"{path}:{place}" for place in private_imports(path, tree)]
        for node in ast.walk(tree):
            if isinstance(node, FUNCTION):
                self._add_function(node, path)

    def _add_function(self, node: FUNCTION, path: str) -> None:
        place = f"{path}:{node.lineno} {node.name}"
        self.functions.append(((node.end_lineno or node.lineno) - node.lineno + 1, place))
        self.arguments.append((positional(node), place))
        if text := ast.get_docstring(node):
            self.docstrings.append((int(text.split()[0] == "The"), place))


def is_private(name: str) -> bool:
    """Tell whether a name starts with exactly one underscore."""
    return name.startswith("_") and not name.startswith("__")


def positional(node: FUNCTION) -> int:
    """Count the arguments that can be passed by position, without `self` and `cls`."""
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def count_lines(text: str, tree: ast.Module) -> Lines:
    """Count the lines of a file by kind; `commented` also counts comments that follow code on their line."""
    rows = text.splitlines()
    documented = {row for node in docstring_nodes(tree) for row in range(node.lineno, (node.end_lineno or 0) + 1)}
    comments = {
        token.start[0]: token.line.lstrip().startswith("#")
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    }
    blank = sum(not row.strip() for number, row in enumerate(rows, 1) if number not in documented)
    return Lines(len(rows), blank, len(documented), sum(comments.values()), len(comments))


def count_native_lines(text: str) -> Lines:
    """Count the lines of a C file by kind. No string of ours holds the signs of a comment, so none is looked for."""
    # Each line of a comment becomes one control character, so that lines stay where they are.
    marked = re.sub(r"/\*.*?\*/|//[^\n]*", lambda match: re.sub(r"[^\n]+", "\a", match[0]), text, flags=re.DOTALL)
    remaining = marked.split("\n")[:-1]
    blank = sum(not row.strip() for row in remaining)
    alone = sum("\a" in row and not row.replace("\a", "").strip() for row in remaining)
    return Lines(len(remaining), blank, 0, alone, sum("\a" in row for row in remaining))


def docstring_nodes(tree: ast.Module) -> Iterator[ast.Expr]:
    """Find the docstrings of modules, classes, functions, and the strings that document an assignment above them."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for place, child in enumerate(body):
            text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if text and isinstance(child.value.value, str) and (place == 0 or _assigns(body[place - 1])):
                yield child


def _assigns(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign | ast.AnnAssign)


def private_imports(path: str, tree: ast.Module) -> Iterator[str]:
    """Name the imports of private modules or names of another package."""
    home = package_of(PurePosixPath(path).relative_to("src").with_suffix("").parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").startswith("rubricate"):
            module = tuple(str(node.module).split("."))
            for alias in node.names:
                parts = (*module, alias.name)
                private = next((i for i, part in enumerate(parts) if is_private(part)), 0)
                if private > 1 and parts[:private] != home[:private]:
                    yield f"{node.lineno} {'.'.join(parts)}"


def package_of(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the package of a module: everything but its last part."""
    return parts if parts[-1] == "__init__" else parts[:-1]


def sources(revision: str) -> Iterator[tuple[str, str]]:
    """Read the Python and C files of the package, from the working tree or from a revision."""
    if revision == TREE:
        for path in sorted([*(ROOT / PACKAGE).rglob("*.py"), *(ROOT / NATIVE).glob("*.[ch]")]):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        return
    for name in _git("ls-tree", "-r", "--name-only", revision, PACKAGE, NATIVE).splitlines():
        if name.endswith(".py" if name.startswith(PACKAGE) else (".c", ".h")):
            yield name, _git("show", f"{revision}:{name}")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True).stdout


def count(revision: str) -> Stats:
    """Count the files of a revision."""
    stats = Stats()
    for path, text in sources(revision):
        stats.add(path, text)
    return stats


def figures(stats: Stats) -> dict[str, str]:
    """Return the figures by name, as text."""
    sizes, lengths = ([size for size, _ in part] for part in (stats.files, stats.functions))
    many = [size for size, _ in stats.arguments if size > MAX_POSITIONAL]
    begin = sum(flag for flag, _ in stats.docstrings)
    return {
        "files / lines": f"{len(sizes):,} / {sum(sizes):,}",
        "code lines (no docstrings, comments, blanks)": f"{stats.lines.code:,}",
        "median / longest file": f"{statistics.median(sizes):.0f} / {max(sizes)}",
        "median / longest function": f"{statistics.median(lengths):.0f} / {max(lengths)}",
        "docstring lines": _share(stats.lines.docstring, stats.lines.all),
        "comment lines": _share(stats.lines.commented, stats.lines.all),
        f"functions with more than {MAX_POSITIONAL} positional arguments": str(len(many)),
        "most positional arguments": str(max(size for size, _ in stats.arguments)),
        "private files": str(len(stats.private_files)),
        "private imports across packages": str(len(stats.private_imports)),
        'function docstrings that begin with "The"': _share(begin, len(stats.docstrings)),
        "native C files / lines": f"{stats.native_files} / {stats.native.all:,}",
        "native C code lines": f"{stats.native.code:,}",
        "native C comment lines": _share(stats.native.commented, stats.native.all),
    }


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.2f} %"


def places(stats: Stats) -> Iterator[str]:
    """List the places behind the figures: long functions, many arguments, private imports, docstrings with "The"."""
    long = [f"{size} {place}" for size, place in stats.functions if size > MAX_FUNCTION_LINES]
    for title, found in (
        (f"functions above {MAX_FUNCTION_LINES} lines", long),
        ("positional arguments", [f"{size} {place}" for size, place in stats.arguments if size > MAX_POSITIONAL]),
        ("private imports across packages", stats.private_imports),
        ('docstrings that begin with "The"', [place for flag, place in stats.docstrings if flag]),
    ):
        yield f"\n{title}: {len(found)}"
        yield from sorted(found)


def main() -> None:
    """Print the table, and the places behind it on request."""
    parser = argparse.ArgumentParser(description="Print statistics of the package, counted from its source.")
    parser.add_argument("revisions", nargs="*", default=[TREE], help="git revisions; the working tree without any")
    parser.add_argument("--list", action="store_true", help="also list the places behind the first column")
    arguments = parser.parse_args()
    by_revision = {revision: count(revision) for revision in arguments.revisions or [TREE]}
    columns = [figures(stats) for stats in by_revision.values()]
    wide = max(map(len, columns[0]))
    print(" " * wide, *(f"{name:>22}" for name in by_revision))
    for name in columns[0]:
        print(f"{name:<{wide}}", *(f"{column[name]:>22}" for column in columns))
    if arguments.list:
        print("\n".join(places(next(iter(by_revision.values())))))


if __name__ == "__main__":
    main()
