"""One tree as text, as a picture (SVG), and as the tests on the way to each leaf. None of them recurses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rubricate.svg import Svg, box, dot, group, line, path, text, text_width
from rubricate.types import Floats, Ints

__all__ = ["Picture", "as_svg", "as_text", "paths"]

ROW, INDENT, BAR = 20, 28, 60
"""Pixels between lines, between columns, and of the bar of a sure leaf."""
KEY = "right: with the word; down: without"


class Picture(NamedTuple):
    """A tree whose root is node 0; `names` are those of the columns asked for."""

    title: str
    names: Sequence[str]
    asked: Ints
    present: Ints
    without: Ints
    positives: Floats
    documents: Floats
    chances: Floats

    def share(self, node: int) -> float:
        """Return the share of positives among the documents of a node; 0 of 0 is 0."""
        return float(self.positives[node] / self.documents[node]) if self.documents[node] > 0 else 0.0

    def counted(self, node: int) -> str:
        """Return `12 of 340`, weights to three figures."""
        return f"{_number(self.positives[node])} of {_number(self.documents[node])}"


class _TreeLine(NamedTuple):
    """A node on its line: how far to the right, whether the words before it were absent, the line of its parent."""

    node: int
    level: int
    absent: bool
    parent: int


def _number(weight: float) -> str:
    return f"{weight:.0f}" if abs(weight - round(weight)) < 1e-9 else f"{weight:.3g}"


def _places(tree: Picture) -> Iterator[_TreeLine]:
    """Yield nodes from top to bottom: after a node its subtree with the word, one level in, then that without it."""
    waiting, line = [_TreeLine(0, 0, False, -1)], -1
    while waiting:
        place, line = waiting.pop(), line + 1
        yield place
        if tree.asked[place.node] >= 0:
            waiting.append(_TreeLine(int(tree.without[place.node]), place.level, True, line))
            waiting.append(_TreeLine(int(tree.present[place.node]), place.level + 1, False, line))


def _chance(tree: Picture, node: int) -> str:
    return f"{tree.chances[node]:.2f}".removeprefix("0")


def _leaf(tree: Picture, node: int) -> str:
    return f"{_chance(tree, node)} ({tree.counted(node)})"


def as_text(tree: Picture) -> str:
    """Return nested conditions; the test of documents without the word stands on the same level, behind `else`."""
    lines = [f"{tree.title}: {tree.counted(0)} documents"]
    for node, level, absent, parent in _places(tree):
        indent, word = "    " * level, "else " if absent else ""
        if tree.asked[node] >= 0:
            lines.append(f"{indent}{word}if {tree.names[tree.asked[node]]}:")
        elif absent:
            lines.append(f"{indent}else: {_leaf(tree, node)}")
        else:
            lines[-1] += f" {_leaf(tree, node)}" if parent >= 0 else f", {_chance(tree, node)}"
    return "\n".join(lines)


def paths(tree: Picture) -> Iterator[tuple[int, tuple[tuple[str, bool], ...]]]:
    """Yield each leaf with the tests that lead to it: the word, and whether it is present."""
    above: dict[int, tuple[int, bool]] = {}
    for node in range(len(tree.asked)):
        if tree.asked[node] >= 0:
            above[int(tree.present[node])] = (node, True)
            above[int(tree.without[node])] = (node, False)
            continue
        tests, at = [], node
        while at in above:
            at, present = above[at]
            tests.append((str(tree.names[tree.asked[at]]), present))
        yield node, tuple(reversed(tests))


def as_svg(tree: Picture) -> str:
    """Return the content of an SVG file: tests with a dot, leaves with a bar as long as their probability.

    Names are escaped and shown as they are.
    """
    title = f"{tree.title}: {tree.counted(0)} documents"
    links, nodes, wide, last = [], [], 40 + text_width(title, 13.4) + text_width(KEY), 0
    for row, (node, level, absent, parent) in enumerate(_places(tree), start=1):
        x, y, last = 12 + level * INDENT, 12 + row * ROW, row
        if parent >= 0:
            top = 12 + (parent + 1) * ROW
            links.append(line(x, top, x, y) if absent else path(f"M{x - INDENT} {top}V{y}H{x}"))
        label, mark = _mark(tree, node, at=(x, y))
        nodes.append(mark)
        wide = max(wide, x + BAR + 24 + text_width(label))
    head = text(12, 16, title, font_weight="bold") + text(24 + text_width(title, 13.4), 16, KEY, fill="var(--soft)")
    lines = group(links, fill="none", stroke="var(--soft)", stroke_opacity="0.6")
    return Svg(wide, 24 + last * ROW, title, [head, lines, *nodes]).file()


def _mark(tree: Picture, node: int, *, at: tuple[float, float]) -> tuple[str, str]:
    """Return the label of a node, and the node drawn."""
    x, y = at
    if tree.asked[node] >= 0:
        label = f"{tree.names[tree.asked[node]]}?"
        return label, dot(x, y, 3.5) + text(x + 9, y + 4, label)
    label, filled = _leaf(tree, node), BAR * float(tree.chances[node])
    bar = box(x, y - 5, BAR, 10, fill="var(--line)") + box(x, y - 5, filled, 10, fill="var(--c0)")
    return label, bar + text(x + BAR + 8, y + 4, label)
