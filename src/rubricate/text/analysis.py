"""From documents to terms: what an `Analyzer` does, and what a model file needs of it; nothing of scikit-learn."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from itertools import chain, islice
from numbers import Integral
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rubricate.engines import thread_pool
from rubricate.errors import InvalidInput, UnknownName
from rubricate.text.lexicon import Lexicon
from rubricate.text.marking import CASINGS, MARKS, Casing, marked, marker
from rubricate.text.options import LONGEST, STEMMERS, phrase_lengths
from rubricate.text.stop_lists import stop_words
from rubricate.text.texts import Texts, blocks
from rubricate.text.tokens import Scanned, Scanner, pattern
from rubricate.types import Terms

__all__ = ["Analysis"]

CORES = os.cpu_count() or 1
"""Asking costs more than the tokens of a short text."""
AHEAD = 4
"""How many blocks each worker may be ahead of the thread that collects them."""

WIDEST = 10
"""The widest window: four terms among ten already make 130 phrases per occurrence."""

BLOCK = 1 << 18
"""Characters analysed at once. Memory beyond the result is a small multiple of this."""

MOST_BUCKETS = 1 << 24
"""More buckets than this for hashed n-grams would cost more memory than their names."""


class Analysis:
    """How documents become terms, by settings that `Analyzer` explains."""

    tokens: Literal["letters", "alphanumeric", "words", "web", "characters"]
    min_length: int
    stop: Any
    stem: str | None
    ngrams: int | tuple[int, int]
    window: int | None
    title: Literal["plain", "mark"] | int
    hashing: int | None
    casing: Casing
    negation: bool | None

    def terms(self, documents: Any) -> Terms:
        """Return the terms of all documents in order of occurrence; `words` in the order of their first occurrence."""
        parts = list(self.batches(documents))
        words = parts[-1].words if parts else []
        ids = np.concatenate([part.ids for part in parts]) if parts else np.empty(0, np.int32)
        lengths = [np.diff(part.starts) for part in parts]
        starts = np.concatenate([np.zeros(1, np.int64), *lengths]).cumsum()
        return _only_used(Terms(words, ids, starts))

    def batches(
        self,
        documents: Any,
        *,
        threads: int | None = None,
        stop: frozenset[str] | None = None,
        characters: int = BLOCK,
    ) -> Iterator[Terms]:
        """Yield the terms of the documents batch by batch, in order, so that texts larger than memory can be read.

        All batches share one list of words, which grows: the number of a term is the same in every batch. With several
        threads (None: as many as there are cores) one prepares terms and the others look ahead for tokens; batches do
        not depend on how many there are. `stop` are the stop words where they have been looked up before; about so many
        `characters` are analysed at once.
        """
        self.check()
        workers = (CORES if threads is None else threads) - 1
        if workers < 0:
            raise InvalidInput(f"threads must be 1 or more, or None for all cores; got {threads}")
        mark = None if self.tokens == "characters" else marker(self.casing, negation=bool(self.negation))
        lexicon = Lexicon(
            tokens=self.tokens,
            stop=stop_words(self.stop) if stop is None else stop,
            min_length=self.min_length,
            stem=self._stemmer(),
            lengths=self.lengths(),
            window=self.window,
            title=self.title,
            hashing=self.hashing,
            scanners=max(1, workers),
            marks="" if mark is None else MARKS,
        )
        texts = blocks(documents, characters)
        return map(
            lexicon.terms, self._scan(texts if mark is None else (marked(each, mark) for each in texts), workers)
        )

    def _scan(self, texts: Iterator[Texts], workers: int) -> Iterator[Scanned]:
        """Yield the tokens of each block, in order; workers take blocks in turn, each with a table of its own."""
        scanners = [Scanner(w, self.tokens, apart=self.title != "plain") for w in range(max(1, workers))]
        begun = list(islice(texts, 2))
        if workers == 0 or len(begun) < 2:  # no work to share
            yield from map(scanners[0].scan, chain(begun, texts))
            return
        with ExitStack() as stack:
            pools = [stack.enter_context(thread_pool(1)) for _ in scanners]
            ahead: deque[Future[Scanned]] = deque()
            for turn, block in enumerate(chain(begun, texts)):
                ahead.append(pools[turn % workers].submit(scanners[turn % workers].scan, block))
                if len(ahead) > AHEAD * workers:
                    yield ahead.popleft().result()
            yield from (future.result() for future in ahead)

    def signature(self) -> str:
        """Return these settings in a few words, for the signature of a number."""
        stop = self.stop if isinstance(self.stop, (str, Path)) or self.stop is None else f"{len(list(self.stop))} words"
        low, high = self.lengths()
        title = "" if self.title == "plain" else f"+title {self.title}"
        if self.tokens == "characters":
            hashed = "" if self.hashing is None else f"+hashing {self.hashing}"
            return f"characters {low}-{high}{hashed}{title}"
        grams = "" if (low, high) == (1, 1) else f"+ngrams {low}-{high}"
        grams += "" if self.window is None or high == 1 else f" within {self.window}"
        grams += ("" if self.casing == "fold" else "+casing mark") + ("+negation" if self.negation else "")
        return f"{self.tokens}{self.min_length}+stop {stop}+stem {self.stem}{grams}{title}"

    def lengths(self) -> tuple[int, int]:
        """Return the shortest and the longest phrase, or character n-gram."""
        return phrase_lengths(self.ngrams, longest=LONGEST["characters" if self.tokens == "characters" else "words"])

    def _stemmer(self) -> str | None:
        return None if self.stem == "none" else self.stem

    def check(self) -> None:
        """Refuse settings that cannot be used."""
        pattern(self.tokens)
        self.lengths()
        if self._stemmer() is not None and self.stem not in STEMMERS:
            raise UnknownName("stemmer", str(self.stem), [*STEMMERS, "none"])
        if self.hashing is not None and (
            self.tokens != "characters" or not isinstance(self.hashing, int) or not 1 <= self.hashing <= MOST_BUCKETS
        ):
            raise InvalidInput(
                f'hashing takes tokens="characters" and 1 to {MOST_BUCKETS:,} buckets, got {self.hashing!r}; '
                "Fix: give hashing=262144, or None"
            )
        if self.casing not in CASINGS:
            raise UnknownName("casing", str(self.casing), CASINGS)
        longest = self.lengths()[1]
        if self.window is not None and not (isinstance(self.window, int) and longest <= self.window <= WIDEST):
            raise InvalidInput(
                f"window must be None or a whole number from the longest phrase ({longest}) to {WIDEST}, "
                f"got {self.window!r}"
            )
        if isinstance(self.min_length, bool) or not isinstance(self.min_length, Integral) or self.min_length < 1:
            raise InvalidInput(f"min_length must be a whole number, 1 or more, got {self.min_length!r}")
        if self.title not in ("plain", "mark") and (not isinstance(self.title, int) or self.title < 1):
            raise InvalidInput(f'title must be "plain", "mark" or a whole number from 1, got {self.title!r}')


def _only_used(terms: Terms) -> Terms:
    """Drop the words that never occur by themselves (the parts of phrases, the terms of marked titles)."""
    first = np.full(len(terms.words), len(terms.ids), np.int64)
    np.minimum.at(first, terms.ids, np.arange(len(terms.ids)))
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(terms.ids))]
    if len(order) == len(terms.words) and np.array_equal(order, np.arange(len(order))):
        return Terms(list(terms.words), terms.ids, terms.starts)
    number = np.empty(len(terms.words), np.int32)
    number[order] = np.arange(len(order))
    return Terms([terms.words[i] for i in order], number[terms.ids], terms.starts)
