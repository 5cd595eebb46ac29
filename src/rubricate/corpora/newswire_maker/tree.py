"""The topic tree for a number of categories: the written topics, fewer of them, or more with made-up ones.

Below the number of written topics the rarest leaves are left out. Above it, each desk gets made-up topics in turn
(a firm, a gas field, a football club, …) that share the desk's vocabulary and have names of their own.
Topics are ordered by frequency, the most frequent first; made-up ones come last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from rubricate.corpora.newswire_maker import wordlists
from rubricate.native import newswire as words
from rubricate.types import Edges, Ints

__all__ = ["TopicTree", "tables", "tree", "written"]

_SIBLINGS = 6
_NAME_BITS = 17
_SPREAD = 40_503  # odd: a bijection of the names, so that neighbours differ in every syllable


@dataclass(frozen=True)
class TopicTree:
    """Topics by frequency: name, place of the parent (-1: none), whose words it uses, number of its made-up name."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    models: tuple[str, ...]
    subjects: tuple[int, ...]

    def edges(self) -> Edges:
        """Return (parent, child) pairs."""
        pairs = zip(self.parents, self.names, strict=True)
        return tuple((self.names[parent], child) for parent, child in pairs if parent >= 0)


def written() -> int:
    """Return how many topics are written by hand: the default number of categories."""
    return len(wordlists.popularity())


def tree(categories: int) -> TopicTree:
    """Make the tree of this many categories."""
    topics, order = wordlists.topics(), wordlists.popularity()
    leaves = [name for name in order if topics[name].depth == 2]
    dropped = set(leaves[len(leaves) - max(len(order) - categories, 0) :])
    names = [name for name in order if name not in dropped]
    place = {name: i for i, name in enumerate(names)}
    parents = [place.get(topics[name].parent or "", -1) for name in names]
    desks = [name for name in names if topics[name].depth == 1]
    models, subjects = list(names), [0] * len(names)
    taken = set(names)
    for number in range(1, 1 << _NAME_BITS):
        if len(names) == categories:
            break
        desk, subject = desks[len(names) % len(desks)], number * _SPREAD % (1 << _NAME_BITS)
        name = f"{desk}-{spelled(subject).lower()}"
        if name not in taken:
            taken.add(name)
            names.append(name)
            parents.append(place[desk])
            models.append(desk)
            subjects.append(subject)
    return TopicTree(tuple(names), tuple(parents), tuple(models), tuple(subjects))


def spelled(number: int) -> str:
    """Return the made-up name of this number."""
    starts, middles, ends = _SYLLABLES
    return starts[number & 63] + middles[number >> 6 & 63] + ends[number >> 12 & 31]


_SYLLABLES = wordlists.syllables()


def tables(tree: TopicTree, numbers: dict[str, int], frequency: Ints) -> words.Topics:
    """Convert the tree to the tables of the compiled writer; `numbers` are those of the grammar's lists."""
    children: list[list[int]] = [[] for _ in tree.names]
    for child, parent in enumerate(tree.parents):
        if parent >= 0:
            children[parent].append(child)
    related = _related(tree, children)
    weights = [1 + int(frequency[other]) for others in related for other in others]
    return words.Topics(
        parents=np.asarray(tree.parents, np.int64),
        child_starts=_starts(children),
        children=_flat(children),
        related_starts=_starts(related),
        related=_flat(related),
        related_sums=np.asarray(list(accumulate(weights, initial=0)), np.int64),
        lists=_lists(tree, numbers),
        subjects=np.asarray(tree.subjects, np.int64),
    )


def _related(tree: TopicTree, children: list[list[int]]) -> list[list[int]]:
    """Return the topics a story may also be about: the neighbours at the same desk, and those written `with` it."""
    topics, place = wordlists.topics(), {name: i for i, name in enumerate(tree.names)}
    position = {child: k for listed in children for k, child in enumerate(listed)}
    related = []
    for i, (parent, model) in enumerate(zip(tree.parents, tree.models, strict=True)):
        siblings = children[parent] if parent >= 0 else []
        begin = max(position.get(i, 0) - _SIBLINGS // 2, 0)
        near = siblings[begin : begin + _SIBLINGS + 1]
        partners = topics[model].fields.get("with", ()) if tree.names[i] == model else ()
        related.append([other for other in near if other != i] + [place[name] for name in partners if name in place])
    return related


def _lists(tree: TopicTree, numbers: dict[str, int]) -> Ints:
    topics = wordlists.topics()
    rows = []
    for name, model in zip(tree.names, tree.models, strict=True):
        section = topics[model]
        while section.parent is not None:
            section = topics[section.parent]
        thing = f"{model}: {'thing' if name == model else 'made'}"
        phrases = [f"{model}: actors", thing, f"{model}: deed"]
        rows.append([numbers[key] for key in phrases + [f"{section.name}: {kind}" for kind in words.KINDS[3:]]])
    return np.asarray(rows, np.int64)


def _starts(rows: Sequence[Sequence[int]]) -> Ints:
    return np.asarray(list(accumulate(map(len, rows), initial=0)), np.int64)


def _flat(rows: Sequence[Sequence[int]]) -> Ints:
    return np.asarray([value for row in rows for value in row], np.int64)
