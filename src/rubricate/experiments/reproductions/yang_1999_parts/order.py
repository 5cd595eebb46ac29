"""Section 5.3: the order and grouping of all systems from direct and indirect comparisons.

Two systems with a figure on the same version are compared there, by the p-test on recall at their break-even points.
Others are compared through kNN: by what each gains on kNN on a version of its own (`significance.indirect`). Of several
versions the cleanest counts: v3, then v4, then v2. Systems are ordered by their gain on kNN; a group starts with the
best system left, and holds those after it that are not significantly worse (p > .05) than its first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rubricate.experiments.figure import Drawing
from rubricate.experiments.reproductions.yang_1999_parts.study import OurFigures
from rubricate.significance import published
from rubricate.significance.indirect import indirect
from rubricate.significance.proportions import proportions
from rubricate.svg import Svg, box, line, text
from rubricate.types import Significance

__all__ = ["BASELINE", "SystemComparison", "grouped", "link", "order_drawing", "ordered_rows"]

BASELINE = "kNN"
CLEANEST = ("v3", "v4", "v2", "v1")
"""Versions in the order in which they are trusted (section 5.4)."""
LEVEL = 0.05


@dataclass(frozen=True)
class SystemComparison:
    """A comparison of two systems: `gain` of a over b, its p-value, and whether it went through the baseline."""

    a: str
    b: str
    gain: float
    p_value: float
    direct: bool
    versions: tuple[str, ...]


def link(
    a: str, b: str, figures: Mapping[str, Mapping[str, float]], labels: Mapping[str, int]
) -> SystemComparison | None:
    """Compare two systems by their break-even points; `labels` are the true labels of each version's test documents.

    None where there is no version with both, and none with one of them and the baseline.
    """
    shared = [version for version in CLEANEST if version in figures[a] and version in figures[b]]
    if shared:
        version = shared[0]
        pair = [published(name, recall=figures[name][version], true=labels[version]) for name in (a, b)]
        result = proportions(*pair, measure="recall")
        return _made(a, b, figures[a][version] - figures[b][version], result, direct=True, versions=(version,))
    sides = [_beside_baseline(name, figures) for name in (a, b)]
    if None in sides:
        return None
    four = [
        published(each, recall=figures[each][version], true=labels[version], collection=version)
        for name, version in zip((a, b), sides, strict=True)
        for each in (name, BASELINE)
        if version is not None
    ]
    result = indirect(four[0], four[2], baseline_a=four[1], baseline_b=four[3])
    return _made(a, b, float(result.effect or 0.0), result, direct=False, versions=tuple(map(str, sides)))


def _beside_baseline(name: str, figures: Mapping[str, Mapping[str, float]]) -> str | None:
    return next((v for v in CLEANEST if v in figures[name] and v in figures[BASELINE]), None)


def _made(
    a: str, b: str, gain: float, result: Significance, *, direct: bool, versions: tuple[str, ...]
) -> SystemComparison:
    return SystemComparison(a, b, gain, result.p_value, direct, versions)


def grouped(
    figures: Mapping[str, Mapping[str, float]], labels: Mapping[str, int]
) -> tuple[list[list[str]], list[SystemComparison]]:
    """Return groups of systems, the best first, and all comparisons; what cannot be compared is left out."""
    gains = {}
    for name in figures:
        version = _beside_baseline(name, figures)
        if version is not None:
            gains[name] = figures[name][version] - figures[BASELINE][version]
    order = sorted(gains, key=lambda name: -gains[name])
    links = [link(a, b, figures, labels) for k, a in enumerate(order) for b in order[k + 1 :]]
    known = {(each.a, each.b): each for each in links if each is not None}
    groups: list[list[str]] = []
    for name in order:
        first = groups[-1][0] if groups else None
        worse = first is None or (known[first, name].gain > 0 and known[first, name].p_value <= LEVEL)
        if worse:
            groups.append([])
        groups[-1].append(name)
    return groups, list(known.values())


def ordered_rows(what: str, groups: Sequence[Sequence[str]], links: Sequence[SystemComparison]) -> OurFigures:
    """Return the group of each system, its gain on kNN, and how many of its comparisons are direct."""
    rows: OurFigures = {}
    for number, group in enumerate(groups, 1):
        for name in group:
            own = [each for each in links if name in (each.a, each.b)]
            rows[name, f"group, {what}"] = number
            rows[name, f"gain on kNN, {what}"] = _gain(name, own)
            rows[name, f"direct comparisons, {what}"] = sum(each.direct for each in own)
    return rows


def _gain(name: str, links: Sequence[SystemComparison]) -> float:
    beside = [each for each in links if BASELINE in (each.a, each.b)]
    return 0.0 if name == BASELINE else next((each.gain if each.a == name else -each.gain) + 0.0 for each in beside)


WIDE, HIGH, GAP = 150, 30, 46


def order_drawing(what: str, groups: Sequence[Sequence[str]], links: Sequence[SystemComparison]) -> Drawing:
    """Draw the groups as rows, the best on top; lines lead to what a system is significantly better than in the next.

    A full line is a direct comparison, a dashed one goes through kNN.
    """
    most = max(len(group) for group in groups)
    width, height = most * WIDE + 20, len(groups) * (HIGH + GAP) + 10
    places = {
        name: (10 + WIDE * (k + (most - len(group)) / 2), 10 + row * (HIGH + GAP))
        for row, group in enumerate(groups)
        for k, name in enumerate(group)
    }
    after = {name: row for row, group in enumerate(groups) for name in group}
    lines = [
        _line(places[each.a], places[each.b], dashed=not each.direct)
        for each in links
        if after[each.b] == after[each.a] + 1 and each.p_value <= LEVEL and each.gain > 0
    ]
    boxes = [_box(name, *place) for name, place in places.items()]
    title = f"Section 5.3: order and grouping of all systems, {what}; full lines direct, dashed ones through kNN"
    return Drawing(f"order-{what.split()[0]}", title, Svg(width, height, title, [*lines, *boxes]).file())


def _line(a: tuple[float, float], b: tuple[float, float], *, dashed: bool) -> str:
    middle, dash = (WIDE - 10) / 2, "5 4" if dashed else None
    return line(a[0] + middle, a[1] + HIGH, b[0] + middle, b[1], stroke="var(--soft)", stroke_dasharray=dash)


def _box(name: str, x: float, y: float) -> str:
    frame = box(x, y, WIDE - 10, HIGH, rx="5", fill="var(--panel)", stroke="var(--rubric)")
    return frame + text(x + (WIDE - 10) / 2, y + 20, name, text_anchor="middle")
