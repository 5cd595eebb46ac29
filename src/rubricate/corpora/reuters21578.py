"""Reuters-21578, Distribution 1.0: 21,578 newswire stories of 1987, 135 topics, the corpus of four of the papers.

Text is TITLE and BODY, kept apart; where a story has neither (type UNPROC), the text of TEXT. A label set is a set:
stories 5467 and 19918 repeat a topic. Splits: `reuters.splits`. Fields kept of each story: `date` (ISO 8601),
`newid`, `oldid`, `dateline`, `author`, `text_type`, the sets `topics`, `places`, `people`, `orgs`, `exchanges`,
`companies`, and the attributes `lewissplit`, `cgisplit` and `topics_attribute` (YES, NO or BYPASS).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rubricate.corpora.archives.archive import members
from rubricate.corpora.catalogue.source import DataFile, Expected, Source, digests
from rubricate.corpora.reuters.sgml import FIELDS, Story, parse
from rubricate.corpora.reuters.splits import RULES, divide
from rubricate.errors import InvalidFile, UnknownName
from rubricate.labels import label_matrix
from rubricate.types import Corpus, Documents

__all__ = ["reuters21578"]

_ARCHIVE = "reuters21578.tar.gz"
_STORIES = 21_578
_LICENCE = (
    "Copyright Reuters Ltd. (stories and annotations). Reuters Ltd. and Carnegie Group, Inc. allow free distribution "
    "for research purposes only. Publications name it 'Reuters-21578, Distribution 1.0' and say where it is kept."
)
_FIELDS: Mapping[str, Callable[[Story], Any]] = {
    "newid": lambda story: story.newid,
    "oldid": lambda story: story.attributes["OLDID"],
    "date": lambda story: story.date,
    "dateline": lambda story: story.part("DATELINE"),
    "author": lambda story: story.part("AUTHOR"),
    "text_type": lambda story: story.text_type,
    "lewissplit": lambda story: story.attributes["LEWISSPLIT"],
    "cgisplit": lambda story: story.attributes["CGISPLIT"],
    "topics_attribute": lambda story: story.attributes["TOPICS"],
}


def _read(files: Mapping[str, Path], split: str, *, labels: str = "topics", csecs: bool = True) -> Corpus:
    """Read a split.

    `labels` names the set of categories to learn: topics, places, people, orgs or exchanges. `csecs=False` leaves
    out the four stories whose tag has the attribute CSECS; `aptemod` then has the 7,769 training documents of
    yangliu1999 instead of 7,770 (docs/decisions/0002-aptemod-7769.md).
    """
    if labels not in FIELDS:
        raise UnknownName("set of categories", labels, FIELDS)
    stories = [story for story in read_stories(files[_ARCHIVE]) if csecs or "CSECS" not in story.attributes]
    names = {story.newid: story.names(labels) for story in stories}
    parts = divide(stories, names, RULES[split])
    train, test = (_documents(half, names, parts.categories) for half in (parts.train, parts.test))
    name = split + (f"-{labels}" if labels != "topics" else "") + ("" if csecs else "-without-csecs")
    return Corpus("reuters21578", name, train, test, licence=_LICENCE)


def read_stories(path: Path) -> list[Story]:
    """Read every story of the collection, in order of NEWID."""
    stories: dict[str, Story] = {}
    for member in members(path, lambda name: name.endswith(".sgm")):
        where = path if path.name == member.name else f"{path}/{member.name}"
        for story in parse(member.read(), where):
            if story.newid in stories:
                raise InvalidFile(f"NEWID {story.newid} twice", path=where, remedy="keep one copy of each .sgm file")
            stories[story.newid] = story
    if len(stories) != _STORIES:
        raise InvalidFile(
            f"expected {_STORIES:,} stories in 22 files reut2-000.sgm to reut2-021.sgm, got {len(stories):,}",
            path=path,
            remedy="fetch the whole collection with 'rubricate corpus fetch reuters21578'",
        )
    return sorted(stories.values(), key=lambda story: int(story.newid))


def _documents(stories: list[Story], names: Mapping[str, tuple[str, ...]], categories: tuple[str, ...]) -> Documents:
    known = set(categories)
    matrix, _ = label_matrix([known.intersection(names[story.newid]) for story in stories], categories)
    fields = {name: [value(story) for story in stories] for name, value in _FIELDS.items()}
    sets = {name: [story.names(name) for story in stories] for name in FIELDS}
    return Documents(
        ids=[story.newid for story in stories],
        titles=[story.part("TITLE") for story in stories],
        bodies=[story.body for story in stories],
        labels=matrix,
        categories=categories,
        fields={**fields, **sets},
    )


def _version(train: int, test: int, categories: int, *, labelled: float) -> dict[str, float]:
    return {"train": train, "test": test, "categories": categories, "labelled_test": labelled}


_OLDER = "yang1999, table 1, of older releases (Reuters-22173)"
_COUNTS = {
    "aptemod": Expected(
        *(7770, 3019, 90),
        published={"train": 7769, "test": 3019, "categories": 90, "largest_category": 2877},
        note="yangliu1999, section 2; the document between is NEWID 1199, see csecs",
    ),
    "modapte": Expected(9603, 3299, 118, published={"train": 9603, "test": 3299}, note="README, VIII.B"),
    "modlewis": Expected(13625, 6188, 118, published={"train": 13625, "test": 6188}, note="README, VIII.A"),
    "lewis": Expected(14668, 6188, 118, note="the attribute LEWISSPLIT alone, as sunlim2001"),
    "modhayes": Expected(20856, 722, 120, published={"train": 20856, "test": 722}, note="README, VIII.C"),
    "v1": Expected(20856, 722, 120, published=_version(21450, 723, 182, labelled=0.80), note=_OLDER),
    "v2": Expected(14668, 6188, 115, published=_version(14704, 6746, 113, labelled=0.42), note=_OLDER),
    "v2.2": Expected(7780, 3022, 115, published=_version(7789, 3309, 113, labelled=1.0), note=_OLDER),
    "v3": Expected(7775, 3019, 95, published=_version(7789, 3309, 93, labelled=1.0), note=_OLDER),
    "v4": Expected(8247, 3120, 98, published=_version(9610, 3662, 93, labelled=1.0), note=_OLDER),
    "r10": Expected(9603, 3299, 10, published={"documents": 12902, "categories": 10}, note="joachims2000, section 6"),
}

reuters21578 = Source(
    name="reuters21578",
    title="Reuters-21578, Distribution 1.0",
    licence=_LICENCE,
    splits=tuple(RULES),
    read=_read,
    files=(
        DataFile(
            _ARCHIVE,
            addresses=(
                "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
                "https://www.daviddlewis.com/resources/testcollections/reuters21578/reuters21578.tar.gz",
            ),
            sha256="61eaadc634c959b53f218a8f53c67862a06520d2b4b60152e2ede0b1f50aa7e1",
            members=digests("reuters21578.sha256"),
        ),
    ),
    counts=_COUNTS,
)
