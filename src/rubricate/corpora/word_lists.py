"""Read the word lists, which are data: topics.txt, frames.txt, names.txt, popularity.txt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources

__all__ = ["Topic", "frames", "months", "popularity", "syllables", "topics"]


@dataclass(frozen=True)
class Topic:
    """A written topic: its place in the tree (0 section, 1 desk, 2 topic) and its phrases by field."""

    name: str
    parent: str | None
    depth: int
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)


def _lines(name: str) -> Iterator[str]:
    text = resources.files("rubricate.corpora").joinpath("words", name).read_text(encoding="ascii")
    return (line.rstrip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def topics() -> dict[str, Topic]:
    """Read the tree by name, parents before children."""
    tree: dict[str, Topic] = {}
    path: list[str] = []
    for line in _lines("topics.txt"):
        name, colon, phrases = line.strip().partition(": ")
        if colon:
            tree[path[-1]].fields[name] = tuple(phrase.strip() for phrase in phrases.split(";"))
            continue
        depth = (len(line) - len(line.lstrip())) // 2
        path[depth:] = [name]
        tree[name] = Topic(name, path[depth - 1] if depth else None, depth)
    return tree


def frames() -> dict[str, list[str]]:
    """Read the lists of wordings by name, `section: name` for those of a section."""
    lists: dict[str, list[str]] = {}
    current: list[str] = []
    for line in _lines("frames.txt"):
        if line.startswith("["):
            current = lists.setdefault(line.strip("[]"), [])
        else:
            current.append(line)
    return lists


def syllables() -> tuple[list[str], list[str], list[str]]:
    """Read starts, middles and ends of made-up names."""
    starts, middles, ends, _ = _rows("names.txt")
    return starts, middles, ends


def months() -> list[str]:
    """Read the months of the year, in English whatever the locale."""
    return _rows("names.txt")[3]


def _rows(name: str) -> list[list[str]]:
    return [line.partition(": ")[2].split() for line in _lines(name)]


def popularity() -> list[str]:
    """Read the written topics, the most frequent first."""
    return list(_lines("popularity.txt"))
