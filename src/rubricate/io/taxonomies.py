"""Files that say which category stands above which.

| form     | a line                                     | taken when                                         |
|----------|--------------------------------------------|----------------------------------------------------|
| rcv1     | `parent: C  child: C11  child-description: …` | the first line starts with `parent:` (lewis2004) |
| csv      | `parent,child`                             | the file is called `.csv`                          |
| skos     | Turtle, N-Triples or RDF/XML (see `skos`)  | called `.ttl`, `.nt`, `.rdf`; or by the first line |
| indented | `  name`, further in than its parent       | a line starts with a space or tab                  |
| edges    | parent, tab, one or more children          | a line holds a tab                                 |
| paths    | `a/b/c`                                    | otherwise                                          |

Files are text as `io.tables` reads it: in any encoding, gzipped or not, with any of its delimiters in a `.csv`.
Empty lines and lines that start with `#` are passed over; a first line `parent, child` is a header. A name that comes
under two parents is one category with two parents. Paths name categories in full (`a`, `a/b`, `a/b/c`), so that equal
last parts stay apart. A top category without children is kept by a link from `VIRTUAL_ROOT` to every top.
Cycles, pairs that come twice and empty names are errors that name the file and the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.hierarchy.skos import skos_links
from rubricate.hierarchy.structure import VIRTUAL_ROOT, find_cycle
from rubricate.io.tables import rows_without_header
from rubricate.io.text_files import text_lines
from rubricate.types import Edges

__all__ = ["Form", "path_edges", "read_taxonomy"]

Form: TypeAlias = Literal["rcv1", "csv", "skos", "indented", "edges", "paths"]
_Line: TypeAlias = tuple[int, str]
_Link: TypeAlias = tuple[int, str, str]
"""The number of a line, the parent (empty for a top category) and the child."""

MOST_PARTS = 128
"""Parts of one path. Names are whole paths, so a path of n parts makes names of n²/2 parts in all."""
_RCV1 = re.compile(r"parent:\s+(\S+)\s+child:\s+(\S+)(?:\s+child-description:\s*(.*))?$")
_SKOS_NAMES = (".ttl", ".nt", ".rdf")
_SKOS_START = re.compile(r"<\?xml|<rdf:RDF|@prefix\s|@base\s|prefix\s+[\w.-]*:\s*<|<\w+:[^>\s]*>\s+<", re.IGNORECASE)


def read_taxonomy(path: str | Path, *, form: Form | None = None, encoding: str = "utf-8") -> Edges:
    """Read the (parent, child) pairs of a taxonomy file, in the order of the file.

    `form` is recognised from the name and the content unless given. The pairs are free of cycles and repetitions;
    `Hierarchy.from_edges` makes the hierarchy of them.
    """
    path = Path(path)
    if form is not None and form not in get_args(Form):
        raise UnknownName("form of taxonomy file", form, get_args(Form))
    lines = _lines(path, encoding)
    links = _lines_of_pairs(path, _READERS[form or _recognise(path, lines)](path, lines))
    if cycle := find_cycle(tuple(links)):
        problem = f"a category cannot be below itself: {' → '.join(cycle)}"
        line = max(links[pair] for pair in pairwise(cycle))
        raise InvalidFile(problem, path=path, line=line, remedy="remove one of these links")
    return _with_tops(links)


def path_edges(paths: Iterable[str], separator: str = "/") -> Edges:
    """Return the links of categories whose names are paths; parents that no name mentions are added.

    >>> path_edges(["news/sport", "news/sport/golf"])
    (('news', 'news/sport'), ('news/sport', 'news/sport/golf'))
    >>> path_edges(["comp.graphics", "misc.forsale"], ".")
    (('comp', 'comp.graphics'), ('misc', 'misc.forsale'))
    """
    return _with_tops(dict.fromkeys(step for path in paths for step in _steps(path, separator)))


def _lines(path: Path, encoding: str) -> list[_Line]:
    numbered = ((number, line.rstrip()) for number, line in enumerate(text_lines(path, encoding), 1))
    lines = [(number, line) for number, line in numbered if line and not line.startswith("#")]
    if not lines:
        raise InvalidFile("no categories", path=path, remedy="write one 'parent<tab>child' pair per line")
    return lines


def _recognise(path: Path, lines: list[_Line]) -> Form:
    if lines[0][1].startswith("parent:"):
        return "rcv1"
    if path.suffix.lower() == ".csv":
        return "csv"
    if path.suffix.lower() in _SKOS_NAMES or _SKOS_START.match(lines[0][1]):
        return "skos"
    if any(line[0] in " \t" for _, line in lines):
        return "indented"
    return "edges" if any("\t" in line for _, line in lines) else "paths"


def _rcv1(path: Path, lines: list[_Line]) -> Iterator[_Link]:
    for number, line in lines:
        found = _RCV1.match(line)
        if not found:
            raise InvalidFile("no 'parent: P child: C' line", path=path, line=number, remedy="correct it or remove it")
        parent, child, _ = found.groups()
        if parent != "None":
            yield number, parent, child


def _skos(path: Path, lines: list[_Line]) -> Iterator[_Link]:
    found = skos_links(path, "\n".join(_in_place(lines)))
    if not found:
        raise InvalidFile("no skos:Concept", path=path, remedy="give a file with skos:broader or skos:narrower")
    yield from found


def _in_place(lines: list[_Line]) -> list[str]:
    """Return all lines up to the last, empty where one was passed over."""
    text = [""] * lines[-1][0]
    for number, line in lines:
        text[number - 1] = line
    return text


def _csv(path: Path, lines: list[_Line]) -> Iterator[_Link]:
    yield from _cells(path, rows_without_header((f"{line}\n" for line in _in_place(lines)), path))


def _edges(path: Path, lines: list[_Line]) -> Iterator[_Link]:
    yield from _cells(path, ((number, line.split("\t")) for number, line in lines))


def _cells(path: Path, rows: Iterable[tuple[int, list[str]]]) -> Iterator[_Link]:
    """Yield a parent and its children from each row; a parent alone is a leaf named again or a top."""
    for position, (number, cells) in enumerate(rows):
        names = [cell.strip() for cell in cells]
        if position == 0 and [name.lower() for name in names] == ["parent", "child"]:
            continue
        if "" in names:
            raise InvalidFile(
                "an empty category name", path=path, line=number, remedy="write 'parent' and 'child' in full"
            )
        if len(names) == 1:
            yield number, "", names[0]
        for child in names[1:]:
            yield number, names[0], child


def _indented(path: Path, lines: list[_Line]) -> Iterator[_Link]:
    above: list[tuple[int, str]] = []
    for number, line in lines:
        name, column = line.lstrip(), _column(line)
        outwards = False
        while above and above[-1][0] > column:
            above.pop()
            outwards = True
        if above and above[-1][0] == column:
            above.pop()
        elif outwards:
            problem = f"{name!r} is indented like no category above it"
            raise InvalidFile(problem, path=path, line=number, remedy="indent it like its siblings")
        yield number, above[-1][1] if above else "", name
        above.append((column, name))


def _column(line: str) -> int:
    """Return how far in a line starts; a tab goes to the next multiple of 8."""
    return len(line[: len(line) - len(line.lstrip())].expandtabs(8))


def _paths(path: Path, lines: list[_Line]) -> Iterator[_Link]:
    seen = set()
    for number, line in lines:
        if line.count("/") >= MOST_PARTS:
            problem = f"a path of {line.count('/') + 1:,} parts, the most is {MOST_PARTS}"
            raise InvalidFile(problem, path=path, line=number, remedy="give 'parent<tab>child' pairs instead")
        if not all(part.strip() for part in line.split("/")):
            raise InvalidFile(f"an empty part in {line!r}", path=path, line=number, remedy="write 'a/b/c'")
        for step in _steps(line, "/"):
            if step not in seen:
                seen.add(step)
                yield number, *step


def _steps(path: str, separator: str) -> Iterator[tuple[str, str]]:
    """Yield the links along a path from the top, whose parent is the empty name."""
    parts = path.split(separator)
    if len(parts) > MOST_PARTS:
        raise InvalidInput(
            f"the category {path[:40]!r}… has {len(parts):,} parts, the most is {MOST_PARTS}; Fix: give a taxonomy file"
        )
    names = [separator.join(parts[:depth]) for depth in range(len(parts) + 1)]
    yield from pairwise(names)


def _lines_of_pairs(path: Path, links: Iterable[_Link]) -> dict[tuple[str, str], int]:
    """Return each pair with its line; a repeated pair, or the reserved name of the root as a child, is an error."""
    lines: dict[tuple[str, str], int] = {}
    for line, parent, child in links:
        if parent and (parent, child) in lines:
            problem = f"the link {parent!r} → {child!r} is already in line {lines[parent, child]}"
            raise InvalidFile(problem, path=path, line=line, remedy="remove one of them")
        if parent and child == VIRTUAL_ROOT:
            raise InvalidFile(f"{VIRTUAL_ROOT!r} is reserved for the root", path=path, line=line, remedy="rename it")
        lines.setdefault((parent, child), line)
    return lines


def _with_tops(links: Iterable[tuple[str, str]]) -> Edges:
    """Return the pairs between categories; where a top has no children, every top hangs on the virtual root."""
    links = tuple(links)
    pairs = tuple(link for link in links if link[0])
    parents, below = {parent for parent, _ in pairs}, {child for _, child in pairs}
    tops = dict.fromkeys(name for link in links for name in link if name and name not in below)
    if all(top in parents for top in tops):
        return pairs
    return tuple((VIRTUAL_ROOT, top) for top in tops if top != VIRTUAL_ROOT) + pairs


_READERS: dict[Form, Callable[[Path, list[_Line]], Iterator[_Link]]] = {
    "rcv1": _rcv1,
    "csv": _csv,
    "skos": _skos,
    "edges": _edges,
    "indented": _indented,
    "paths": _paths,
}
