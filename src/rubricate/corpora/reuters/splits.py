"""The splits of Reuters-21578: which stories train, which test, and which categories count.

The first five follow the attributes of the collection's own README (section VIII); `aptemod` is yangliu1999,
section 2; `r10` is joachims2000, table 1. `v1` to `v4` are the nearest analogues of yang1999, table 1, whose
versions were made from older releases (Reuters-22173), so that their counts differ (`Source.counts` has both).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rubricate.corpora.reuters.sgml import Story

__all__ = ["RULES", "Division", "divide"]

Labels: TypeAlias = Mapping[str, Sequence[str]]
Stories: TypeAlias = list[Story]

ODD_CHUNK, EVEN_CHUNK = 105, 40
"""v4: stories in each training and test chunk; 105 : 40 = 2.625 comes nearest to PARC's 9,610 : 3,662 = 2.624."""


@dataclass(frozen=True)
class Division:
    """The stories of a split and its categories, sorted by name."""

    train: Stories
    test: Stories
    categories: tuple[str, ...]


@dataclass(frozen=True)
class SplitRule:
    """How a split is made.

    `part` divides the stories that are `eligible`; `choose` picks the categories from their training and test
    frequencies; `labelled` keeps only the stories that have one of them.
    """

    part: Callable[[Stories], tuple[Stories, Stories]]
    eligible: Callable[[Story, Labels], bool]
    choose: Callable[[Counter[str], Counter[str]], set[str]]
    labelled: bool = False


def divide(stories: Stories, labels: Labels, rule: SplitRule) -> Division:
    """Divide the stories by a rule; `labels` are the categories of each story, by NEWID."""
    train, test = rule.part([story for story in stories if rule.eligible(story, labels)])
    chosen = rule.choose(_frequencies(train, labels), _frequencies(test, labels))
    if rule.labelled:
        train, test = (
            [story for story in half if not chosen.isdisjoint(labels[story.newid])] for half in (train, test)
        )
    return Division(train, test, tuple(sorted(chosen)))


def _frequencies(stories: Stories, labels: Labels) -> Counter[str]:
    return Counter(name for story in stories for name in labels[story.newid])


def _by_attribute(name: str, train: str, test: str) -> Callable[[Stories], tuple[Stories, Stories]]:
    def part(stories: Stories) -> tuple[Stories, Stories]:
        return (
            [story for story in stories if story.attributes[name] == train],
            [story for story in stories if story.attributes[name] == test],
        )

    return part


def _by_chunks(stories: Stories) -> tuple[Stories, Stories]:
    """Divide in order of time into alternating chunks of 105 (training) and 40 (test) stories. yang1999, 2.2."""
    ordered = sorted(stories, key=lambda story: (story.date, int(story.newid)))
    halves: tuple[Stories, Stories] = ([], [])
    for position, story in enumerate(ordered):
        halves[position % (ODD_CHUNK + EVEN_CHUNK) >= ODD_CHUNK].append(story)
    return halves


_lewis = _by_attribute("LEWISSPLIT", "TRAIN", "TEST")
_cgi = _by_attribute("CGISPLIT", "TRAINING-SET", "PUBLISHED-TESTSET")


def _any(story: Story, labels: Labels) -> bool:
    return True


def _has_labels(story: Story, labels: Labels) -> bool:
    return bool(labels[story.newid])


def _indexed(story: Story, labels: Labels) -> bool:
    return story.attributes["TOPICS"] == "YES"


def _not_bypassed(story: Story, labels: Labels) -> bool:
    return story.attributes["TOPICS"] != "BYPASS"


def _occurring(train: Counter[str], test: Counter[str]) -> set[str]:
    return {*train, *test}


def _in_both(train: Counter[str], test: Counter[str]) -> set[str]:
    return {*train} & {*test}


def _trained(least: int) -> Callable[[Counter[str], Counter[str]], set[str]]:
    return lambda train, test: {name for name, count in train.items() if count >= least}


def _ten_largest(train: Counter[str], test: Counter[str]) -> set[str]:
    """Choose the ten most frequent in training; ties by name."""
    return set(sorted(train, key=lambda name: (-train[name], name))[:10])


RULES: Mapping[str, SplitRule] = {
    "aptemod": SplitRule(_lewis, _indexed, _in_both, labelled=True),
    "modapte": SplitRule(_lewis, _indexed, _occurring),
    "modlewis": SplitRule(_lewis, _not_bypassed, _occurring),
    "lewis": SplitRule(_lewis, _any, _occurring),
    "modhayes": SplitRule(_cgi, _any, _occurring),
    "v1": SplitRule(_cgi, _any, _occurring),
    "v2": SplitRule(_lewis, _any, _trained(1)),
    "v2.2": SplitRule(_lewis, _any, _trained(1), labelled=True),
    "v3": SplitRule(_lewis, _indexed, _trained(2), labelled=True),
    "v4": SplitRule(_by_chunks, _has_labels, _trained(2), labelled=True),
    "r10": SplitRule(_lewis, _indexed, _ten_largest),
}
