"""One tree as text, as a picture (SVG), and as the tests on the way to each leaf. None of them recurses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rubricate.hierarchy.drawing import as_xml
from rubricate.types import Floats, Ints

__all__ = ["Picture", "as_svg", "as_text", "paths"]

ROW, INDENT, LETTER, BAR = 20, 28, 6.8, 60
"""Pixels between lines, between columns, of a letter (12 px type), and of the bar of a sure leaf."""
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
    """Return a picture with one line per node: tests with a dot, leaves with a bar as long as their probability.

    The text follows the colour of its surroundings (`currentColor`). Names are escaped and shown as they are.
    """
    lines, marks, wide, last = [], [], 240.0, 0
    for line, (node, level, absent, parent) in enumerate(_places(tree), start=1):
        x, y, last = 12 + level * INDENT, 12 + line * ROW, line
        if parent >= 0 and absent:
            lines.append(f'<path d="M{x} {12 + (parent + 1) * ROW}V{y}"/>')
        elif parent >= 0:
            lines.append(f'<path d="M{x - INDENT} {12 + (parent + 1) * ROW}V{y}H{x}"/>')
        label, mark = _mark(tree, node, at=(x, y))
        marks.append(mark)
        wide = max(wide, x + BAR + 24 + LETTER * len(label))
    title = as_xml(f"{tree.title}: {tree.counted(0)} documents")
    wide = max(wide, 24 + LETTER * len(title) + LETTER * len(KEY))
    size = f'width="{wide:.0f}" height="{24 + last * ROW}" viewBox="0 0 {wide:.0f} {24 + last * ROW}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif" font-size="12" '
        f'fill="currentColor"><title>{title}</title><text x="12" y="16"><tspan font-weight="bold">{title}</tspan> '
        f'<tspan fill-opacity="0.6">{KEY}</tspan></text>'
        f'<g fill="none" stroke="currentColor" stroke-opacity="0.45">{"".join(lines)}</g>{"".join(marks)}</svg>'
    )


def _mark(tree: Picture, node: int, *, at: tuple[float, float]) -> tuple[str, str]:
    """Return the label of a node, and the node drawn."""
    x, y = at
    if tree.asked[node] >= 0:
        label = f"{tree.names[tree.asked[node]]}?"
        return label, f'<circle cx="{x}" cy="{y}" r="3.5"/><text x="{x + 9}" y="{y + 4}">{as_xml(label)}</text>'
    label, sure = _leaf(tree, node), BAR * float(tree.chances[node])
    bar = (
        f'<rect x="{x}" y="{y - 5}" width="{BAR}" height="10" fill="currentColor" fill-opacity="0.12"/>'
        f'<rect x="{x}" y="{y - 5}" width="{sure:.1f}" height="10" fill="hsl(210 70% 42%)"/>'
    )
    return label, f'{bar}<text x="{x + BAR + 8}" y="{y + 4}">{as_xml(label)}</text>'
