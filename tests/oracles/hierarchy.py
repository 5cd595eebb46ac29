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
