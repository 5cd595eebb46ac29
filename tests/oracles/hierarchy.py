"""What coverage, ancestors and depth mean, written as their definitions."""

from __future__ import annotations


def coverage(edges: list[tuple[str, str]], name: str) -> set[str]:
    """The category and the coverage of each child."""
    return {name}.union(*(coverage(edges, child) for parent, child in edges if parent == name))


def ancestors(edges: list[tuple[str, str]], name: str) -> set[str]:
    """The parents and their ancestors."""
    parents = {parent for parent, child in edges if child == name}
    return parents.union(*(ancestors(edges, parent) for parent in parents))


def depth(edges: list[tuple[str, str]], name: str) -> int:
    """One more than the least depth of a parent; 0 without parents."""
    return min((1 + depth(edges, parent) for parent, child in edges if child == name), default=0)


def distance(edges: list[tuple[str, str]], a: str, b: str) -> int:
    """The rounds of spreading from a along links in both directions until b is reached."""
    reached, rounds = {a}, 0
    while b not in reached:
        reached |= {y for x, y in edges if x in reached} | {x for x, y in edges if y in reached}
        rounds += 1
    return rounds


def lowest_common_ancestors(edges: list[tuple[str, str]], a: str, b: str) -> set[str]:
    """The common ancestors (or the categories themselves) that are above no other one."""
    common = ({a} | ancestors(edges, a)) & ({b} | ancestors(edges, b))
    return {x for x in common if not any(x in ancestors(edges, y) for y in common)}
