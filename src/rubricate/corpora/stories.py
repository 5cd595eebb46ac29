"""The topic tree for a number of categories: the written topics, fewer of them, or more with made-up ones.

Below the number of written topics the rarest leaves are left out. Above it, each desk gets made-up topics in turn
(a firm, a gas field, a football club, …) that share the desk's vocabulary and have names of their own.
Topics are ordered by frequency, the most frequent first; made-up ones come last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate

import numpy as np
from scipy import sparse

from rubricate.corpora import word_lists as wordlists
from rubricate.native import newswire as words
from rubricate.native.newswire import Assignment, Rates, Topics, write_stories
from rubricate.types import Documents, Edges, Floats, Ints, Sparse

__all__ = [
    "Compiled",
    "Desk",
    "TopicTree",
    "compiled",
    "desk_of",
    "joined",
    "longest",
    "quotas",
    "tables",
    "tree",
    "written",
]

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


_BEND = 1.25


def quotas(stories: int, categories: int) -> Ints:
    """Return the number of stories by rank of the category; they sum to `stories`.

    n_r is proportional to 1 / (r · (1 + (1.25 r/m)⁴)) for rank r of m: Zipf's law, bent down in the tail like the
    frequencies of Reuters-21578. Each category gets at least one where there are as many stories as categories.
    Only sums, products and quotients, so that the numbers are the same on every platform.
    """
    rank = np.arange(1, categories + 1, dtype=np.float64)
    bend = _BEND * rank / categories
    weight = 1.0 / (rank * (1.0 + bend * bend * bend * bend))
    least = 1 if stories >= categories else 0
    low, high = 0, 32 * (stories + 1)
    while high - low > 1:
        scale = (low + high) // 2
        low, high = (scale, high) if _rounded(weight, scale, least).sum() <= stories else (low, scale)
    shares = _rounded(weight, low, least)
    shares[0] += stories - shares.sum()
    return shares


def _rounded(weight: Floats, scale: int, least: int) -> Ints:
    return np.maximum(np.floor(weight * (scale / 16.0) + 0.5), least).astype(np.int64)


_SLOT = re.compile(r"\{([^}]*)\}|([@&])")
_NAMES = {"Firm": 0, "Person": 1, "Place": 2, "@": 3, "&": 4}
_NUMBERS = {"percent": 0, "count": 1}
_DATES = {"month": 0, "day": 1}

_LONGEST_NAME, _LONGEST_NUMBER, _LONGEST_DATE = 12, 4, 9
_WHOLE = 720_720  # has the divisors 1 … 16, so that the first ranks are exact

Operation = tuple[int, int]


@dataclass
class _Book:
    """Pieces, and lists by name: each a list of sequences."""

    pieces: dict[str, int] = field(default_factory=dict)
    lists: dict[str, list[list[Operation]]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def piece(self, text: str) -> int:
        return self.pieces.setdefault(text, len(self.pieces))

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def slot(self, name: str) -> Operation:
        for operation, known in ((words.NAME, _NAMES), (words.NUMBER, _NUMBERS), (words.DATE, _DATES)):
            if name in known:
                return operation, known[name]
        if name in words.KINDS:
            return words.TOPIC, words.KINDS.index(name)
        return words.LIST, self.number(name)

    def sequence(self, line: str) -> list[Operation]:
        operations, at = [], 0
        for match in _SLOT.finditer(line):
            if match.start() > at:
                operations.append((words.LITERAL, self.piece(line[at : match.start()])))
            operations.append(self.slot(match.group(1) or match.group(2)))
            at = match.end()
        if at < len(line):
            operations.append((words.LITERAL, self.piece(line[at:])))
        return operations

    def add(self, name: str, lines: Iterable[str]) -> None:
        self.number(name)
        self.lists[name] = [self.sequence(line) for line in lines]


@dataclass(frozen=True)
class Compiled:
    """The grammar, the number of each list by name, and the length of the longest story in bytes."""

    grammar: words.Grammar
    numbers: dict[str, int]
    longest: int


def compiled() -> Compiled:
    """Compile all word lists into tables."""
    book = _Book()
    starts = [_consecutive(book, part) for part in wordlists.syllables()]
    months = [book.piece(month) for month in wordlists.months()]
    for name, lines in wordlists.frames().items():
        book.add(name, lines)
    for topic in wordlists.topics().values():
        for kind, source in zip(words.KINDS, ("actors", "things", "deeds"), strict=False):
            book.add(f"{topic.name}: {kind}", topic.fields[source])
        if "made" in topic.fields:
            book.add(f"{topic.name}: made", topic.fields["made"] + topic.fields["traits"])
    return Compiled(_tables(book, starts, months), book.numbers, longest(book))


def _consecutive(book: _Book, syllables: list[str]) -> int:
    """Number the syllables in a row, marked so that no other text shares their pieces; return the first number."""
    first = len(book.pieces)
    for k, syllable in enumerate(syllables):
        book.pieces[f"{first + k}\0{syllable}"] = first + k
    return first


def _running(lengths: Iterable[int]) -> np.ndarray:
    return np.asarray(list(accumulate(lengths, initial=0)), np.int64)


def _tables(book: _Book, syllables: list[int], months: list[int]) -> words.Grammar:
    missing = sorted(book.numbers.keys() - book.lists.keys())
    if missing:
        raise LookupError(f"word lists of newswire: slots without a list: {', '.join(missing)}")
    texts = [text.rpartition("\0")[2].encode("ascii") for text in book.pieces]
    lists = [book.lists[name] for name in sorted(book.numbers, key=book.numbers.__getitem__)]
    sequences = [sequence for listed in lists for sequence in listed]
    operations = np.asarray([pair for sequence in sequences for pair in sequence], np.int64)
    longest_list = max(map(len, lists))
    return words.Grammar(
        blob=np.frombuffer(b"".join(texts), np.uint8),
        pieces=_running(map(len, texts)),
        operations=np.ascontiguousarray(operations[:, 0]),
        arguments=np.ascontiguousarray(operations[:, 1]),
        sequences=_running(map(len, sequences)),
        lists=_running(map(len, lists)),
        ranks=_running(_WHOLE // rank for rank in range(1, longest_list + 1)),
        syllables=np.asarray(syllables, np.int64),
        months=np.asarray(months, np.int64),
        opening=book.numbers["opening"],
    )


def longest(book: _Book) -> int:
    """Return an upper bound of the bytes of a story: title, dateline, a lead and seven more sentences."""
    texts = list(book.pieces)
    fixed = {words.NAME: _LONGEST_NAME, words.NUMBER: _LONGEST_NUMBER, words.DATE: _LONGEST_DATE}
    names = sorted(book.numbers, key=book.numbers.__getitem__)
    known: dict[str, int] = {}

    def of_list(name: str) -> int:
        if name not in known:
            known[name] = max(sum(map(of_operation, sequence)) for sequence in book.lists[name])
        return known[name]

    def of_kind(kind: str) -> int:
        others = ("made",) if kind == "thing" else ()
        return max(of_list(n) for n in book.lists if n.partition(": ")[2] in (kind, *others))

    def of_operation(operation: Operation) -> int:
        kind, argument = operation
        if kind == words.LITERAL:
            return len(texts[argument])
        if kind == words.LIST:
            return of_list(names[argument])
        return of_kind(words.KINDS[argument]) if kind == words.TOPIC else fixed[kind]

    return of_kind("title") + of_list("opening") + of_kind("lead") + 7 * of_kind("follow") + 8


_RATES = Rates(second=280, third=40, mislabelled=20, stray=120, own=780, child=300, parent=930)
_FIRST_DAY = np.datetime64("2025-01-01T00:00:00")
_YEAR = 365 * 24 * 3600


@dataclass(frozen=True, eq=False)
class Desk:
    """Everything that is the same for all stories of a corpus."""

    documents: int
    seed: int
    tree: TopicTree
    wording: Compiled
    topics: Topics
    quotas: Ints
    categories: tuple[str, ...]
    columns: Ints

    @property
    def train(self) -> int:
        """Number of stories, from the first on, that are for training."""
        return 2 * self.documents // 3

    def write(self, start: int, stop: int) -> Documents:
        """Write the stories from `start` up to `stop`."""
        numbers = np.arange(start, stop, dtype=np.int64)
        times = _FIRST_DAY + (numbers * _YEAR // self.documents).astype("timedelta64[s]")
        assignment = Assignment(self.seed, self.train, self.quotas, numbers, _calendar(times))
        tables = (self.wording.grammar, self.topics, _RATES)
        out, ends, topics = write_stories(assignment, tables, max_bytes=self.wording.longest)
        titles, bodies = _texts(out, ends)
        return Documents(
            ids=[f"newswire-{number + 1}" for number in numbers.tolist()],
            titles=titles,
            bodies=bodies,
            labels=_matrix(topics, self.columns),
            categories=self.categories,
            fields={"date": np.datetime_as_string(times, unit="s").tolist()},
        )


@lru_cache(maxsize=4)
def desk_of(documents: int, categories: int, seed: int) -> Desk:
    """Make the desk of a corpus of this size; the last few are cached."""
    shape, wording = tree(categories), compiled()
    train = 2 * documents // 3
    shares = [quotas(train, categories), quotas(documents - train, categories)]
    sums = np.zeros((2, categories + 1), np.int64)
    np.cumsum(shares, axis=1, out=sums[:, 1:])
    order = sorted(range(categories), key=shape.names.__getitem__)
    columns = np.empty(categories, np.int64)
    columns[order] = np.arange(categories)
    topics = tables(shape, wording.numbers, shares[0])
    return Desk(documents, seed, shape, wording, topics, sums, tuple(shape.names[i] for i in order), columns)


def joined(batches: Iterable[Documents]) -> Documents:
    """Join batches into one set of documents."""
    parts = list(batches)
    return Documents(
        ids=[name for part in parts for name in part.ids],
        titles=[title for part in parts for title in part.titles or ()],
        bodies=[body for part in parts for body in part.bodies],
        labels=sparse.vstack([part.labels for part in parts], format="csr"),
        categories=parts[0].categories,
        fields={"date": [date for part in parts for date in part.fields["date"]]},
    )


def _calendar(times: np.ndarray) -> Ints:
    """Return month, day of the month and week of the corpus."""
    days, months = times.astype("datetime64[D]"), times.astype("datetime64[M]")
    month = months.astype(np.int64) % 12 + 1
    day = (days - months).astype(np.int64) + 1
    week = (days - _FIRST_DAY.astype("datetime64[D]")).astype(np.int64) // 7
    return np.stack([month, day, week], axis=1)


def _texts(out: np.ndarray, ends: Ints) -> tuple[list[str], list[str]]:
    text = out[: ends[-1, 1]].tobytes().decode("ascii")
    middles, lasts = ends[:, 0].tolist(), ends[:, 1].tolist()
    firsts = [0, *lasts[:-1]]
    titles = [text[a:b] for a, b in zip(firsts, middles, strict=True)]
    return titles, [text[a:b] for a, b in zip(middles, lasts, strict=True)]


def _matrix(topics: Ints, columns: Ints) -> Sparse:
    present = topics >= 0
    rows, _ = np.nonzero(present)
    data = np.ones(len(rows), dtype=bool)
    matrix = sparse.csr_array((data, (rows, columns[topics[present]])), shape=(len(topics), len(columns)))
    matrix.sort_indices()
    return matrix
