"""Texts → numbered words, character n-grams and phrases → counts per document (native/text.c)."""

from __future__ import annotations

from math import comb
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.native.library import check_lengths, core, stop_flag
from rubricate.native.sparse import Lists, check_lists, check_starts

__all__ = ["Alphabet", "PhraseTable", "TextBytes", "WordTable", "count_terms", "expand", "find_places"]
__all__ += ["number_ngrams", "renumber", "sort_counts"]

MAX_WORDS = 1 << 30
MAX_NUMBER = np.iinfo(np.int32).max
MAX_TERMS = 16  # of a phrase, and of the window that it lies in; the same as in native/text.c


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

    def __init__(self, seed: int = 0, slot_count: int = 1024) -> None:
        self.seed = seed
        self.slots, self.ends = np.zeros(2 * slot_count, np.uint64), np.zeros(slot_count // 2 + 1, np.int64)
        self.pool, self.size = np.empty(4 * slot_count, np.uint8), np.zeros(1, np.int64)

    @property
    def slot_count(self) -> int:
        """Return the number of slots, at least twice that of the words."""
        return len(self.slots) // 2

    @property
    def pool_capacity(self) -> int:
        """Return how many bytes of words the table can hold before it grows."""
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
            _check_stop()
            core.rb_scan_words(texts, alphabet, self, ids, starts, progress)
            self.grow_if_full(int(progress[3]))
        return Lists(starts, ids[: starts[-1]].copy())

    def grow_if_full(self, pool_bytes: int) -> None:
        """Make the table larger if it has no slot for another word, or if the words need more bytes."""
        if 2 * len(self) >= self.slot_count:
            if len(self) >= MAX_WORDS:
                fix = "Fix: split the documents, or give `hashing` for character n-grams"
                raise InvalidInput(f"the texts have more than {MAX_WORDS:,} distinct words or n-grams. {fix}")
            slots = np.zeros(2 * len(self.slots), np.uint64)
            core.rb_move_words(self, 2 * self.slot_count, slots)
            self.slots, self.ends = slots, np.append(self.ends, np.zeros(len(self), np.int64))
        if pool_bytes > len(self.pool):
            self.pool = np.append(self.pool, np.empty(2 * pool_bytes - len(self.pool), np.uint8))


def number_ngrams(runs: TextBytes, lengths: tuple[int, int], table: WordTable | int) -> Lists:
    """Return the numbers of the character n-grams of each run, from a table, to which new ones are added.

    If `table` is a number of buckets, an n-gram has its CRC-32 modulo that. Runs are folded, with one space before the
    first and one after each, at `runs.ends`. A run with its spaces that is not longer than `shortest` counts once.
    """
    words, buckets = (None, table) if isinstance(table, int) else (table, 1)
    shortest, longest = lengths
    if not (1 <= shortest <= longest and 1 <= buckets <= MAX_NUMBER):
        raise ValueError(f"n-grams of {shortest} to {longest} characters in {buckets} buckets are not possible")
    runs = TextBytes(runs.bytes, check_starts(np.append(0, runs.ends), len(runs.bytes) - 1)[1:])
    ids = np.empty((len(runs.bytes) + runs.length) * (longest - shortest + 1), np.int32)
    starts, progress = np.zeros(runs.length + 1, np.int64), np.zeros(5, np.int64)
    while progress[0] < runs.length:
        _check_stop()
        core.rb_number_ngrams(runs, shortest, longest, words, buckets, ids, starts, progress)
        if words is not None:
            words.grow_if_full(int(progress[4]))
    return Lists(starts, ids[: starts[-1]].copy())


class PhraseTable:
    """Phrases of terms, numbered by first occurrence. One thread at a time. `seed` is as in `WordTable`."""

    def __init__(self, seed: int = 0, slot_count: int = 1024) -> None:
        self.seed, self.slot_count = seed, slot_count
        self.keys, self.numbers = np.full(slot_count, -1, np.int64), np.zeros(slot_count, np.int32)
        self.size = np.zeros(1, np.int64)

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
            raise ValueError(f"phrases of {shortest} to {longest} terms among {within} are not possible")
        texts, terms = check_lists(texts, first_free), len(texts.items)
        at_place = [comb(within - 1, n - 1) if window else 1 for n in range(1, longest + 1)]  # phrases of n terms
        new_at_place = sum(at_place[1:])
        if first_free + new_at_place * terms > MAX_NUMBER:
            fix = "Fix: ask for shorter phrases or a smaller window, or split the documents"
            raise InvalidInput(f"there may be more than {MAX_NUMBER:,} terms and phrases. {fix}")
        form = SimpleNamespace(shortest=shortest, longest=longest, window=within, max_step=within if window else 1)
        form.max_per_place, form.first_free = new_at_place, first_free
        starts, progress = np.zeros(len(texts.starts), np.int64), np.zeros(4, np.int64)
        numbers = np.empty(sum(at_place[shortest - 1 :]) * terms, np.int32)
        pairs = np.empty((new_at_place * terms, 2), np.int32)
        while progress[0] < texts.length:
            _check_stop()
            while 2 * (self.size[0] + new_at_place) > self.slot_count:
                self._double()
            core.rb_number_phrases(texts, form, self, numbers, starts, pairs, progress)
        return Lists(starts, numbers[: starts[-1]].copy()), pairs[: progress[3]].copy()

    def _double(self) -> None:
        larger = PhraseTable(self.seed, 2 * self.slot_count)
        core.rb_move_phrases(self, larger)
        self.keys, self.numbers, self.slot_count = larger.keys, larger.numbers, larger.slot_count


def renumber(texts: Lists, new: np.ndarray) -> Lists:
    """Replace each number by its new one; those whose new number is negative are left out."""
    texts = check_lists(texts, len(new))
    starts, items = np.zeros(len(texts.starts), np.int64), np.empty(len(texts.items), np.int32)
    core.rb_renumber(texts, new, starts, items)
    return Lists(starts, items[: starts[-1]].copy())


def expand(texts: Lists, runs: Lists) -> Lists:
    """Replace each run of some texts by its terms; negative terms are left out."""
    texts, runs = check_lists(texts, runs.length), Lists(check_starts(runs.starts, len(runs.items)), runs.items)
    starts = np.zeros(len(texts.starts), np.int64)
    items = np.empty(int(np.diff(runs.starts)[texts.items].sum()), np.int32)
    core.rb_expand(texts, runs, starts, items)
    return Lists(starts, items[: starts[-1]].copy())


def count_terms(texts: Lists, terms: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return row starts, terms and counts; the terms of a row in the order of their first occurrence."""
    texts = check_lists(texts, terms)
    starts, size = np.zeros(len(texts.starts), np.int64), len(texts.items)
    columns, counts = np.empty(size, np.int32), np.empty(size, np.int32)
    core.rb_count_terms(texts, np.zeros(terms, np.int64), starts, columns, counts)
    return starts, columns[: starts[-1]].copy(), counts[: starts[-1]].copy()


def sort_counts(rows: Lists, counts: np.ndarray, new: np.ndarray, filled: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Renumber the columns of rows and sort them, filling columns and counts; return the length of each row.

    Columns whose new number is negative are left out. `filled` must be long enough for all others.
    """
    rows, lengths = check_lists(rows, len(new)), np.empty(rows.length, np.int64)
    check_lengths(len(rows.items), counts=counts)
    core.rb_sort_counts(rows, counts, new, lengths, *filled)
    return lengths


def find_places(ids: np.ndarray, words: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where the places of each word start, and the places, ascending within each word."""
    check_lists(Lists(np.zeros(1, np.int64), ids), words)
    starts, places = np.zeros(words + 1, np.int64), np.empty(len(ids), np.int64)
    core.rb_find_places(ids, len(ids), words, starts, places)
    return starts, places


def _check_stop() -> None:
    """Raise KeyboardInterrupt if Ctrl-C came to the thread that waits for this one."""
    if stop_flag[0]:
        raise KeyboardInterrupt
