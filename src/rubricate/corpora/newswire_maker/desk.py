"""The desk that writes the stories of a corpus: tree, wording and quotas, made once; then any slice of stories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import sparse

from rubricate.corpora.newswire_maker.grammar import Compiled, compiled
from rubricate.corpora.newswire_maker.quotas import quotas
from rubricate.corpora.newswire_maker.tree import TopicTree, tables, tree
from rubricate.native.newswire import Assignment, Rates, Topics, write_stories
from rubricate.types import Documents, Ints, Sparse

__all__ = ["Desk", "desk_of", "joined"]

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
