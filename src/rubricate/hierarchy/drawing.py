"""A hierarchy drawn: as text with lines of box characters, and as a picture (SVG) that needs nothing else.

A node with several parents is drawn in full under the first of them and named again, with `↑`, under the others; the
picture links it to all of them, the further links dashed. Depth first without recursion; cost nodes + links.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rubricate.errors import InvalidInput
from rubricate.hierarchy.structure import Hierarchy
from rubricate.svg import Svg, dot, group, path, text, text_width

__all__ = ["as_svg", "as_text", "tree_drawing"]

ROW, INDENT = 18, 26
"""Pixels between lines of the picture, and between depths."""


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
    """Return the content of an SVG file: one line per node, elbows to the parents, dots shaded by `shades` (0 to 1).

    Names are escaped and shown as they are.
    """
    return tree_drawing(hierarchy, notes=notes, shades=shades, depth=depth).file()


def tree_drawing(
    hierarchy: Hierarchy,
    *,
    notes: Mapping[str, str] | None = None,
    shades: Mapping[str, float] | None = None,
    depth: int | None = None,
) -> Svg:
    """Return the drawing of `as_svg`, for a page or for a file."""
    shown, dark = notes or {}, shades or {}
    drawn = list(_places(hierarchy, depth))
    links, nodes, wide = [], [], 0.0
    for row, place in enumerate(drawn):
        x, y = 8 + place.level * INDENT, 12 + row * ROW
        name = hierarchy.names[place.node]
        label = f"{name}{' ↑' if place.again else ''}" + (f"  {shown[name]}" if name in shown else "")
        label += f"  … {place.hidden} below" if place.hidden else ""
        wide = max(wide, x + 14 + text_width(label))
        if place.parent >= 0:
            dash = "3 3" if place.again else None
            links.append(path(f"M{x - INDENT} {12 + place.parent * ROW}V{y}H{x}", stroke_dasharray=dash))
        nodes.append(_node(label, dark.get(name), at=(x, y)))
    lines = group(links, fill="none", stroke="var(--soft)", stroke_opacity="0.6")
    return Svg(wide, 24 + ROW * (len(drawn) - 1), f"{len(hierarchy)} categories", [lines, *nodes])


def _node(label: str, shade: float | None, *, at: tuple[float, float]) -> str:
    x, y = at
    fill = None if shade is None else f"hsl({210 * min(1.0, max(0.0, shade)):.0f} 70% 42%)"
    return dot(x, y, 4, fill=fill) + text(x + 9, y + 4, label)
