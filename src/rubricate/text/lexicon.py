"""Numbered tokens → numbered terms: stop list, stemmer, phrases and titles, each distinct token treated once."""

from __future__ import annotations

import secrets
from collections import defaultdict
from itertools import count

import numpy as np
import Stemmer
from numpy.typing import NDArray

from rubricate.native.sparse import Lists
from rubricate.native.text import PhraseTable, expand, renumber
from rubricate.text.ngrams import NGramTerms, RunTable, TermNames, web_tokens
from rubricate.text.options import MARK, STEMMERS
from rubricate.text.tokens import Scanned
from rubricate.types import Ints, Terms

__all__ = ["Lexicon"]

GAP = " … "
STOPPED = -1

Ids = NDArray[np.int32]


class Lexicon:
    """The terms met so far, numbered by first occurrence; serves any number of scanners, in one thread."""

    def __init__(
        self,
        *,
        tokens: str,
        stop: frozenset[str],
        min_length: int,
        stem: str | None,
        lengths: tuple[int, int],
        window: int | None,
        title: str | int,
        hashing: int | None,
        scanners: int,
        marks: str = "",
    ) -> None:
        self._web = tokens == "web"
        self._alone = scanners == 1 and not self._web
        buckets = (f"#{bucket}" for bucket in range(hashing or 0))
        self.words = TermNames(buckets, between=" " if window is None else GAP)
        self._stop, self._min_length, self._lengths, self._title = stop, min_length, lengths, title
        self._window, self._marks = window, marks
        self._stemmer = Stemmer.Stemmer(STEMMERS[stem], 0) if stem else None
        self._term_of_token: dict[str, int] = {}
        self._number: dict[str, int] = {}
        self._tables: dict[int, Ids] = defaultdict(lambda: np.empty(0, np.int32))
        self._runs: dict[int, RunTable] = defaultdict(RunTable)
        self._ngrams = NGramTerms(self.words, lengths, hashing) if tokens == "characters" else None
        self._marked: dict[int, int] = {}
        self._phrases = PhraseTable(secrets.randbits(63))

    def terms(self, scanned: Scanned) -> Terms:
        """Return the terms of scanned texts. `words` of the result is the list that later calls go on to extend."""
        ids, starts = self._found_in_runs(scanned) if self._web or self._ngrams else self._found(scanned)
        ids, starts = self._join(ids, starts)
        return Terms(self.words, *(self._with_titles(ids, starts) if scanned.titled else (ids, starts)))

    def _found(self, scanned: Scanned) -> tuple[Ids, Ints]:
        """Return the term at each occurrence, where a token is one term."""
        known = self._tables[scanned.scanner]
        table = np.concatenate([known, self._learn(scanned.new.names())]) if len(scanned.new) else known
        self._tables[scanned.scanner] = table
        starts, ids = renumber(Lists(scanned.starts, scanned.ids), table)
        return ids, starts

    def _found_in_runs(self, scanned: Scanned) -> tuple[Ids, Ints]:
        """Return the terms at each occurrence, where a run of characters is split into several tokens."""
        table = self._runs[scanned.scanner]
        if self._ngrams is not None:
            table.add(*self._ngrams.learn(scanned.new))
        else:
            parts = list(map(web_tokens, scanned.new.names()))
            table.add(self._learn([token for part in parts for token in part]), list(map(len, parts)))
        starts, ids = expand(Lists(scanned.starts, scanned.ids), table.lists())
        return ids, starts

    def _learn(self, tokens: list[str]) -> Ids:
        """Return the term of each token; tokens that no scanner has met before are stopped and stemmed.

        What is new to the only scanner is new: then no token need be remembered here.
        """
        known: dict[str, int] = {} if self._alone else self._term_of_token
        stop, shortest = self._stop, self._min_length
        unknown = [token for token in (dict.fromkeys(tokens) if self._web else tokens) if token not in known]
        if self._marks:
            kept = [t for t in unknown if len(bare := t.lstrip(self._marks)) >= shortest and bare not in stop]
        else:
            kept = [token for token in unknown if len(token) >= shortest and token not in stop]
        known.update(dict.fromkeys(unknown, STOPPED))
        terms = kept if self._stemmer is None else self._stemmer.stemWords(kept)
        fresh = [term for term in dict.fromkeys(terms) if term not in self._number]
        self._number.update(zip(fresh, count(len(self.words)), strict=False))
        self.words.extend(fresh)
        known.update(zip(kept, map(self._number.__getitem__, terms), strict=True))
        return np.fromiter(map(known.__getitem__, tokens), np.int32, len(tokens))

    def _join(self, ids: Ids, starts: Ints) -> tuple[Ids, Ints]:
        """Replace terms by phrases, where phrases are asked for."""
        low, high = self._lengths
        if high == 1 or self._ngrams:
            return ids, starts
        texts, pairs = self._phrases.number(
            Lists(starts, ids), (low, high), first_free=len(self.words), window=self._window
        )
        self.words.add_phrases(pairs)
        return texts.items, texts.starts

    def _with_titles(self, ids: Ids, starts: Ints) -> tuple[Ids, Ints]:
        """Make documents from segments that are titles and bodies in turns."""
        bodies = np.arange(1, len(starts) - 1, 2)
        if self._title != "mark":
            return _join_segments(ids, starts, np.column_stack([bodies - 1] * int(self._title) + [bodies]))
        titles, title_starts = _join_segments(ids, starts, bodies[:, None] - 1)
        every = np.concatenate([ids, self._mark(titles)])
        every_starts = np.concatenate([starts, title_starts[1:] + len(ids)])
        marked = np.arange(len(bodies)) + len(starts) - 1
        return _join_segments(every, every_starts, np.column_stack([bodies - 1, marked, bodies]))

    def _mark(self, ids: Ids) -> Ids:
        distinct, inverse = np.unique(ids, return_inverse=True)
        for term in distinct.tolist():
            if term not in self._marked:
                self._marked[term] = len(self.words)
                self.words.append(MARK + self.words[term])
        return np.array([self._marked[term] for term in distinct.tolist()], np.int32)[inverse]


def _join_segments(ids: Ids, starts: Ints, order: Ints) -> tuple[Ids, Ints]:
    """Make documents from segments: row d of `order` lists the segments of document d."""
    rows = np.arange(len(order) + 1, dtype=np.int64) * order.shape[1]
    joined = expand(Lists(rows, order.ravel().astype(np.int32)), Lists(starts, ids))
    return joined.items, joined.starts
