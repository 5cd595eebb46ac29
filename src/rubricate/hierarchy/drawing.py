"""A hierarchy drawn: as text with lines of box characters, and as a picture (SVG) that needs nothing else.

A node with several parents is drawn in full under the first of them and named again, with `↑`, under the others; the
picture links it to all of them, the further links dashed. Depth first without recursion; cost nodes + links.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from rubricate.errors import InvalidInput
from rubricate.hierarchy.structure import Hierarchy

__all__ = ["as_svg", "as_text", "as_xml"]

ROW, INDENT, LETTER = 18, 26, 6.6
"""Pixels between lines of the picture, between depths, and of a letter (12 px type)."""


def as_text(hierarchy: Hierarchy, *, notes: Mapping[str, str] | None = None, depth: int | None = None) -> str:
    """Return the hierarchy line by line; `notes` follow the names, nodes below `depth` are only counted.

    >>> tree = Hierarchy.from_edges([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")])
    >>> print(as_text(tree, notes={"d": "7"}))
    a
    ├── b
    │   └── c
    │       └── d  7
    └── c ↑
    """
    shown = notes or {}
    lines = []
    for place in _places(hierarchy, depth):
        name = hierarchy.names[place.node].replace("\n", " ")
        mark = " ↑" if place.again else ""
        note = f"  {shown[hierarchy.names[place.node]]}" if hierarchy.names[place.node] in shown else ""
        more = f"  … {place.hidden} below" if place.hidden else ""
        lines.append(f"{place.stem}{name}{mark}{note}{more}")
    return "\n".join(lines)


@dataclass(slots=True)
class _Place:
    """One drawn line: the node, how far in, the characters before it, and what is not drawn below it."""

    node: int
    level: int
    stem: str
    branch: str
    parent: int
    again: bool = False
    hidden: int = 0


def _places(hierarchy: Hierarchy, depth: int | None) -> Iterator[_Place]:
    """Yield the lines from the top, each with the line number of its parent."""
    if depth is not None and depth < 0:
        raise InvalidInput(f"depth = {depth}; give the deepest level to draw, 0 for the root alone")
    starts, ids, seen = hierarchy.child_starts.tolist(), hierarchy.child_ids.tolist(), set[int]()
    stack, line = [_Place(0, 0, "", "", -1)], -1
    while stack:
        place, line = stack.pop(), line + 1
        children = ids[starts[place.node] : starts[place.node + 1]]
        place.again = place.node in seen
        seen.add(place.node)
        if place.again:
            children = []
        if depth is not None and place.level >= depth and children:
            place.hidden, children = len(hierarchy.coverage(hierarchy.names[place.node])) - 1, []
        for child in reversed(children):
            last = child == children[-1]
            stem, branch = place.branch + ("└── " if last else "├── "), place.branch + ("    " if last else "│   ")
            stack.append(_Place(child, place.level + 1, stem, branch, line))
        yield place


def as_svg(
    hierarchy: Hierarchy,
    *,
    notes: Mapping[str, str] | None = None,
    shades: Mapping[str, float] | None = None,
    depth: int | None = None,
) -> str:
    """Return a picture (SVG): one line per node, elbows to the parents, dots shaded by `shades` (0 to 1).

    The text follows the colour of its surroundings (`currentColor`). Names are escaped and shown as they are.
    """
    shown, dark = notes or {}, shades or {}
    drawn = list(_places(hierarchy, depth))
    lines, dots, wide = [], [], 0.0
    for line, place in enumerate(drawn):
        x, y = 8 + place.level * INDENT, 12 + line * ROW
        name = hierarchy.names[place.node]
        label = f"{name}{' ↑' if place.again else ''}" + (f"  {shown[name]}" if name in shown else "")
        label += f"  … {place.hidden} below" if place.hidden else ""
        wide = max(wide, x + 12 + LETTER * len(label))
        if place.parent >= 0:
            dashed = ' stroke-dasharray="3 3"' if place.again else ""
            lines.append(f'<path d="M{x - INDENT} {12 + place.parent * ROW}V{y}H{x}"{dashed}/>')
        dots.append(_node(label, dark.get(name), at=(x, y)))
    size = f'width="{wide:.0f}" height="{24 + ROW * (len(drawn) - 1)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {wide:.0f} {24 + ROW * (len(drawn) - 1)}" '
        f'role="img" font-family="sans-serif" font-size="12" fill="currentColor"><title>{len(hierarchy)} categories'
        f'</title><g fill="none" stroke="currentColor" stroke-opacity="0.45">{"".join(lines)}</g>{"".join(dots)}</svg>'
    )


def _node(label: str, shade: float | None, *, at: tuple[float, float]) -> str:
    x, y = at
    fill = "" if shade is None else f' fill="hsl({210 * min(1.0, max(0.0, shade)):.0f} 70% 42%)"'
    return f'<circle cx="{x}" cy="{y}" r="4"{fill}/><text x="{x + 9}" y="{y + 4}">{as_xml(label)}</text>'


def as_xml(text: str) -> str:
    """Return the text as XML can hold it: marks escaped, control characters and lone surrogates replaced."""
    kept = "".join(
        c if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff" else "\ufffd" for c in text
    )
    return escape(kept)
