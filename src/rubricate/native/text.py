"""Texts → numbered words, character n-grams and phrases → counts per document (native/text.c)."""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.native.library import check_lengths, core, stop_flag
from rubricate.native.sparse import Lists, check_items, check_lists, check_starts

__all__ = [
    "Alphabet",
    "PhraseTable",
    "TextBytes",
    "WordTable",
    "count_terms",
    "expand",
    "find_places",
    "number_ngrams",
    "renumber",
    "sort_counts",
]

MAX_WORDS = 1 << 30
MAX_NUMBER = np.iinfo(np.int32).max
MAX_TERMS = 16
"""Terms of a phrase, and of the window that it lies in; MAX_TERMS of native/text.c."""


class TextBytes(NamedTuple):
    """Texts in UTF-8 end to end, and where each ends."""

    bytes: np.ndarray
    ends: np.ndarray

    @property
    def length(self) -> int:
        """Return the number of texts."""
        return len(self.ends)


class Alphabet(NamedTuple):
    """What a word is made of.

    `fold` says what each byte is in a word: 0, not part of one; 1, the first byte of a longer code point; else the
    folded byte. `lower` is each byte with ASCII capitals folded; `classes` says which code points are part of a word.
    """

    fold: np.ndarray
    lower: np.ndarray
    classes: np.ndarray

    @property
    def class_count(self) -> int:
        """Return the number of code points with a class; those beyond are not part of a word."""
        return len(self.classes)


class WordTable:
    """Words, or character n-grams, numbered by first occurrence. One thread at a time.

    `seed` (63 bits) moves words about in the table and changes nothing else: a seed that the author of a text cannot
    know prevents texts made of words that all fall on one slot.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.slots = np.zeros(2 * 1024, np.uint64)
        self.ends = np.zeros(512 + 1, np.int64)
        self.pool = np.empty(4096, np.uint8)
        self.size = np.zeros(1, np.int64)

    @property
    def slot_count(self) -> int:
        """Return the number of slots, twice that of the words there is space for."""
        return len(self.slots) // 2

    @property
    def pool_capacity(self) -> int:
        """Return the number of bytes that there is space for."""
        return len(self.pool)

    def __len__(self) -> int:
        return int(self.size[0])

    def words_from(self, first: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the words from a number on: folded UTF-8 with a line feed after each, and where these are."""
        ends = self.ends[first : len(self) + 1]
        return self.pool[ends[0] : ends[-1]].copy(), ends[1:] - ends[0] - 1

    def scan(self, texts: TextBytes, alphabet: Alphabet) -> Lists:
        """Return the numbers of the words of each text; new words are added."""
        texts = TextBytes(texts.bytes, check_starts(np.append(0, texts.ends), len(texts.bytes))[1:])
        check_lengths(256, fold=alphabet.fold, lower=alphabet.lower)
        # Words of one letter with one byte between them: no text has more.
        ids = np.empty(len(texts.bytes) // 2 + texts.length + 1, np.int32)
        starts, progress = np.zeros(texts.length + 1, np.int64), np.zeros(4, np.int64)
        while progress[0] < texts.length:
            core.rb_scan_words(texts, alphabet, self, ids, starts, progress)
            self.make_space(int(progress[3]))
        return Lists(starts, ids[: starts[-1]].copy())

    def make_space(self, pool_bytes: int) -> None:
        """Make the table larger if it is full."""
        _check_stop()
        if 2 * len(self) >= self.slot_count:
            if len(self) >= MAX_WORDS:
                raise InvalidInput(
                    f"the texts have more than {MAX_WORDS:,} distinct words or n-grams. "
                    "Fix: split the documents, or hash the terms (`hashing`)"
                )
            slots = np.zeros(2 * len(self.slots), np.uint64)
            core.rb_move_words(self, 2 * self.slot_count, slots)
            self.slots, self.ends = slots, _longer(self.ends, self.slot_count + 1)
        if pool_bytes > len(self.pool):
            self.pool = _longer(self.pool, 2 * pool_bytes)


def number_ngrams(runs: TextBytes, lengths: tuple[int, int], table: WordTable | int) -> Lists:
    """Return the numbers of the character n-grams of each run, from a table, to which new ones are added.

    If `table` is a number of buckets, an n-gram has its CRC-32 modulo that. Runs are folded, with one space before the
    first and one after each; `runs.ends` says where those after are. A run belongs together with the spaces around it;
    one that is not longer than the shortest n-gram counts once, as a whole.
    """
    (shortest, longest), buckets = lengths, table if isinstance(table, int) else 1
    if not (1 <= shortest <= longest and 1 <= buckets <= MAX_NUMBER):
        raise ValueError(f"n-grams of {shortest} to {longest} characters in {buckets} buckets are not possible")
    runs = TextBytes(runs.bytes, check_starts(np.append(0, runs.ends), len(runs.bytes) - 1)[1:])
    words = None if isinstance(table, int) else table
    ids = np.empty((len(runs.bytes) + runs.length) * (longest - shortest + 1), np.int32)
    starts, progress = np.zeros(runs.length + 1, np.int64), np.zeros(5, np.int64)
    while progress[0] < runs.length:
        core.rb_number_ngrams(runs, shortest, longest, words, buckets, ids, starts, progress)
        if words is not None:
            words.make_space(int(progress[4]))
    return Lists(starts, ids[: starts[-1]].copy())


class _PhraseForm(NamedTuple):
    shortest: int
    longest: int
    window: int
    max_step: int
    max_per_place: int
    first_free: int


class PhraseTable:
    """Phrases of terms, numbered by first occurrence. One thread at a time. `seed` is as in `WordTable`."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.keys = np.full(1024, -1, np.int64)
        self.numbers = np.zeros(1024, np.int32)
        self.size = np.zeros(1, np.int64)

    @property
    def slot_count(self) -> int:
        """Return the number of slots, at least twice that of the phrases."""
        return len(self.keys)

    def number(
        self, texts: Lists, lengths: tuple[int, int], *, first_free: int, window: int | None = None
    ) -> tuple[Lists, np.ndarray]:
        """Return the numbers of the phrases of each text, and the new ones as pairs (phrase without the last term, it).

        `lengths` are the shortest and the longest phrase; phrases of one term keep its number, new ones are numbered
        from `first_free` on. Terms are consecutive, or, with a window, lie among so many consecutive terms: then a
        phrase counts once for every choice of places.
        """
        (shortest, longest), within = lengths, window or lengths[1]
        if not 1 <= shortest <= longest <= within <= MAX_TERMS:
            raise ValueError(f"phrases of {shortest} to {longest} terms among {within}, at most {MAX_TERMS}, cannot be")
        texts = check_lists(texts, first_free)
        sizes = [comb(within - 1, n - 1) if window else 1 for n in range(1, longest + 1)]  # how many begin at a place
        if first_free + sum(sizes[1:]) * len(texts.items) > MAX_NUMBER:
            raise InvalidInput(
                f"there may be more than {MAX_NUMBER:,} terms and phrases. Fix: ask for shorter phrases or a smaller "
                "window, or split the documents"
            )
        form = _PhraseForm(shortest, longest, within, within if window else 1, sum(sizes[1:]), first_free)
        starts, progress = np.zeros(len(texts.starts), np.int64), np.zeros(4, np.int64)
        numbers = np.empty(sum(sizes[shortest - 1 :]) * len(texts.items), np.int32)
        pairs = np.empty((sum(sizes[1:]) * len(texts.items), 2), np.int32)
        while progress[0] < texts.length:
            while 2 * (self.size[0] + form.max_per_place) > self.slot_count:
                self._double()
            core.rb_number_phrases(texts, form, self, numbers, starts, pairs, progress)
            _check_stop()
        return Lists(starts, numbers[: starts[-1]].copy()), pairs[: progress[3]].copy()

    def _double(self) -> None:
        larger = PhraseTable(self.seed)
        larger.keys, larger.numbers = (
            np.full(2 * self.slot_count, -1, np.int64),
            np.zeros(2 * self.slot_count, np.int32),
        )
        core.rb_move_phrases(self, larger)
        self.keys, self.numbers = larger.keys, larger.numbers


def renumber(texts: Lists, new: np.ndarray) -> Lists:
    """Replace each number by its new one; those whose new number is negative are left out."""
    texts = check_lists(texts, len(new))
    starts, items = np.zeros(len(texts.starts), np.int64), np.empty(len(texts.items), np.int32)
    core.rb_renumber(texts, new, starts, items)
    return Lists(starts, items[: starts[-1]].copy())


def expand(texts: Lists, runs: Lists) -> Lists:
    """Replace each run of some texts by its terms; negative terms are left out."""
    texts, runs = check_lists(texts, runs.length), check_lists(runs)
    starts = np.zeros(len(texts.starts), np.int64)
    items = np.empty(int(np.diff(runs.starts)[texts.items].sum()), np.int32)
    core.rb_expand(texts, runs, starts, items)
    return Lists(starts, items[: starts[-1]].copy())


def count_terms(texts: Lists, terms: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return row starts, terms and counts; the terms of a row in the order of their first occurrence."""
    texts = check_lists(texts, terms)
    starts = np.zeros(len(texts.starts), np.int64)
    columns, counts = np.empty(len(texts.items), np.int32), np.empty(len(texts.items), np.int32)
    core.rb_count_terms(texts, np.zeros(terms, np.int64), starts, columns, counts)
    return starts, columns[: starts[-1]].copy(), counts[: starts[-1]].copy()


def sort_counts(rows: Lists, counts: np.ndarray, new: np.ndarray, filled: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Renumber the columns of rows and sort them, filling columns and counts; return the length of each row.

    Columns whose new number is negative are left out. `filled` must have space for all others.
    """
    rows, lengths = check_lists(rows, len(new)), np.empty(rows.length, np.int64)
    check_lengths(len(rows.items), counts=counts)
    core.rb_sort_counts(rows, counts, new, lengths, *filled)
    return lengths


def find_places(ids: np.ndarray, words: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where the places of each word start, and the places, ascending within each word."""
    check_items(ids, words)
    starts, places = np.zeros(words + 1, np.int64), np.empty(len(ids), np.int64)
    core.rb_find_places(ids, len(ids), words, starts, places)
    return starts, places


def _check_stop() -> None:
    """Raise KeyboardInterrupt if whoever waits for this thread has been interrupted."""
    if stop_flag[0]:
        raise KeyboardInterrupt


def _longer(array: np.ndarray, length: int) -> np.ndarray:
    longer = np.empty(length, array.dtype)
    longer[: len(array)] = array
    return longer
