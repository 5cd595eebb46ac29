"""Words, n-grams and counts in compiled code, against regular expressions, lists and Counter."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, pairwise
from zlib import crc32

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.native.small_cases import SEEDS, count_cases
from tests.oracles.term_vectors import character_ngrams

from rubricate.errors import InvalidInput
from rubricate.native import library
from rubricate.native.sparse import Lists
from rubricate.native.text import (
    Alphabet,
    TextBytes,
    WordTable,
    count_terms,
    expand,
    find_places,
    number_ngrams,
    renumber,
    sort_counts,
)
from rubricate.text.tokens import NO_CLASSES, byte_tables, code_points

LETTERS = Alphabet(*byte_tables("letters"), code_points("letters"))
ASCII_LETTERS = Alphabet(*byte_tables("letters"), NO_CLASSES)
SIGNS = [*"abcXYZ09 .,-'\n\téÉß漢€😀ǅ\x00\ud800\udfff"]
TERMS = 5


def text_bytes(parts: list[bytes]) -> TextBytes:
    buffer = np.frombuffer(b"".join(parts), np.uint8)
    return TextBytes(buffer, np.cumsum([len(part) for part in parts], dtype=np.int64))


def run(texts: list[str], table: WordTable, alphabet: Alphabet = LETTERS) -> Lists:
    return table.scan(text_bytes([text.encode("utf-8", "surrogatepass") for text in texts]), alphabet)


def words(table: WordTable) -> list[bytes]:
    return table.words_from(0)[0].tobytes().split(b"\n")[:-1]


def split(lists) -> list[list[int]]:
    return [lists[1][a:b].tolist() for a, b in pairwise(lists[0].tolist())]


def found(text: bytes) -> list[bytes]:
    """The words of a text by a regular expression; the compiled loop lowers ASCII letters alone."""
    decoded = text.decode("utf-8", "surrogateescape")
    return [re.sub(rb"[A-Z]", lambda m: m[0].lower(), w.encode()) for w in re.findall(r"[^\W\d_]+", decoded)]


def test_words_do_not_cross_the_end_of_a_text():
    table = WordTable()
    ids = run(["wheat", "corn", "", "wheat!"], table)
    assert split(ids) == [[0], [1], [], [0]]
    assert words(table) == [b"wheat", b"corn"]


def test_a_table_goes_on_numbering():
    table = WordTable()
    run(["a b"], table)
    assert run(["c b a"], table).items.tolist() == [2, 1, 0]
    assert words(table) == [b"a", b"b", b"c"]
    assert table.words_from(2)[0].tobytes() == b"c\n"
    assert [part.tolist() for part in table.words_from(3)] == [[], []]


def test_code_points_of_two_three_and_four_bytes():
    table = WordTable()
    assert run(["é漢𐐨x€😀é"], table).items.tolist() == [0, 1]
    assert [word.decode() for word in words(table)] == ["é漢𐐨x", "é"]
    assert len(run(["é漢𐐨"], table, ASCII_LETTERS).items) == 0


def test_nothing_to_read():
    table = WordTable()
    assert [part.tolist() for part in run([], table)] == [[0], []]
    assert [part.tolist() for part in run(["", "", ""], table)] == [[0, 0, 0, 0], []]
    assert words(table) == []


def test_the_seed_moves_the_words_and_changes_no_number():
    text = [" ".join("".join(chr(97 + (i // 26**k) % 26) for k in range(4)) for i in range(3000))] * 2
    tables = WordTable(), WordTable(0x1234_5678_9ABC_DEF0)
    plain, other = (run(text, table) for table in tables)
    assert (plain.items == other.items).all()
    assert words(tables[0]) == words(tables[1])
    assert (tables[0].slots != tables[1].slots).any()


@given(SEEDS)
def test_words_are_the_stretches_of_letters_of_each_text(seed):
    """Words in lower case, numbered in order of first occurrence, over two calls with one table, which may grow."""
    rng = np.random.default_rng(seed)
    known: dict[bytes, int] = {}
    table, compared = WordTable(seed, 2 << rng.integers(0, 5)), 0
    for _ in range(2):
        texts = ["".join(rng.choice(SIGNS, rng.integers(0, 9))) for _ in range(int(rng.integers(1, 4)))]
        wanted = [
            [known.setdefault(w, len(known)) for w in found(text.encode("utf-8", "surrogatepass"))] for text in texts
        ]
        assert split(run(texts, table)) == wanted
        assert words(table) == list(known)
        compared += len(texts)
    count_cases(compared)


@given(SEEDS)
def test_words_around_eight_bytes_are_told_apart(seed):
    """The hash alone decides up to eight bytes; words of few letters and every length meet often."""
    rng = np.random.default_rng(seed)
    texts = ["".join(rng.choice([*"aab", "B", "é"], rng.integers(1, 20))) for _ in range(300)]
    known: dict[bytes, int] = {}
    wanted = [known.setdefault(w, len(known)) for w in found(" ".join(texts).encode())]
    table = WordTable(seed)
    assert run([" ".join(texts)], table).items.tolist() == wanted
    assert words(table) == list(known)
    count_cases(len(wanted))


@given(st.lists(st.binary(max_size=9) | st.text(max_size=5).map(lambda t: t.encode("utf-8", "replace")), max_size=6))
def test_bytes_that_are_not_utf_8_are_never_part_of_a_word(parts):
    """Each text by itself: nothing is read beyond its end, though its last code point is cut."""
    parts += [b"\xf4\x8f\xbf", b"\xf4\xbf\xbf\xbf", b"\xe0\x81\x81", b"\xc3", b"\xa9b", b"a\xc3A", b"\xf0\x90"]
    known: dict[bytes, int] = {}
    table = WordTable(3)
    ids = table.scan(text_bytes(parts), LETTERS)
    assert split(ids) == [[known.setdefault(w, len(known)) for w in found(part)] for part in parts]
    assert words(table) == list(known)
    count_cases(len(parts))


@pytest.mark.slow
def test_a_text_of_a_million_words():
    """Half of them distinct: the table grows many times in the middle of the text."""
    numbers = np.arange(1_000_000) % 500_000
    table = WordTable(11)
    digits = str.maketrans("0123456789", "abcdefghij")
    ids = run([" ".join(map(str, numbers.tolist())).translate(digits)], table)
    assert (ids.items == numbers).all()
    assert len(table) == 500_000


@pytest.mark.slow
def test_a_long_text_is_read_in_several_calls():
    count = 20_000_000  # more bytes than one call reads
    ids = WordTable().scan(text_bytes([b"a " * count, b"b"]), ASCII_LETTERS)
    assert ids.starts.tolist() == [0, count, count + 1]
    assert not ids.items[:-1].any()
    assert ids.items[-1] == 1


def test_a_word_longer_than_the_pool():
    table = WordTable()
    assert run(["x" * 100_000 + " y " + "x" * 100_000 + " " + "x" * 99_999 + "z"], table).items.tolist() == [0, 1, 0, 2]
    assert [len(word) for word in words(table)] == [100_000, 1, 100_000]


def test_too_many_words_for_32_bits_are_an_error():
    table = WordTable()
    table.size[0] = 1 << 30
    table.slots = np.broadcast_to(np.uint64(0), 1 << 32)
    with pytest.raises(InvalidInput, match=r"more than 1,073,741,824 distinct words or n-grams\. Fix: split"):
        table.grow_if_full(0)


def test_ctrl_c_ends_the_scan_of_another_thread():
    library.stop_flag[0] = 1
    try:
        with pytest.raises(KeyboardInterrupt):
            run(["wheat"], WordTable())
    finally:
        library.stop_flag[0] = 0


def test_texts_that_end_outside_of_the_buffer_are_refused():
    buffer = np.frombuffer(b"wheat", np.uint8)
    for ends in ([6], [3, 2], [-1, 5]):
        with pytest.raises(ValueError, match="must ascend"):
            WordTable().scan(TextBytes(buffer, np.array(ends)), LETTERS)
        with pytest.raises(ValueError, match="must ascend"):
            number_ngrams(TextBytes(buffer, np.array(ends)), (2, 3), WordTable())
    with pytest.raises(ValueError, match="fold has 3 values, expected 256"):
        WordTable().scan(TextBytes(buffer, np.array([5])), LETTERS._replace(fold=np.zeros(3, np.uint8)))
    with pytest.raises(TypeError, match="uint8"):
        WordTable().scan(TextBytes(buffer.astype(np.int32), np.array([5])), LETTERS)


def padded(runs: list[str]) -> TextBytes:
    """Return the runs as compiled loops take them."""
    sizes = [len(run.encode()) + 1 for run in runs]
    text = " ".join(["", *runs, ""]) if runs else " "
    return TextBytes(np.array([*text.encode()], np.uint8), np.cumsum(sizes, dtype=np.int64))


@given(SEEDS)
def test_ngrams_are_those_of_the_plain_function(seed):
    """Numbered by first occurrence over two calls with one table, and hashed."""
    rng = np.random.default_rng(seed)
    shortest = int(rng.integers(1, 9))
    longest = int(rng.integers(shortest, 9))
    known: dict[str, int] = {}
    table, compared = WordTable(seed), 0
    for _ in range(2):
        runs = ["".join(rng.choice([*"abz09.é漢😀ǅ"], rng.integers(1, 12))) for _ in range(int(rng.integers(0, 5)))]
        expected = [character_ngrams(run, shortest, longest) for run in runs]
        ids = number_ngrams(padded(runs), (shortest, longest), table)
        assert split(ids) == [[known.setdefault(ngram, len(known)) for ngram in part] for part in expected]
        assert [word.decode() for word in words(table)] == list(known)
        hashed = number_ngrams(padded(runs), (shortest, longest), 1000)
        assert split(hashed) == [[crc32(ngram.encode()) % 1000 for ngram in part] for part in expected]
        compared += 2 * sum(map(len, expected))
    assume(compared)
    count_cases(compared)


def test_a_table_grows_in_the_middle_of_a_run():
    """More n-grams, and more bytes, than an empty table holds."""
    run = "".join(chr(0x4E00 + i) for i in range(3000))
    table = WordTable()
    ids = number_ngrams(padded([run, "ab"]), (2, 3), table)
    expected = character_ngrams(run, 2, 3)
    assert ids.items[: ids.starts[1]].tolist() == list(range(len(expected)))
    assert [word.decode() for word in words(table)] == [*expected, *character_ngrams("ab", 2, 3)]


def test_no_runs_and_runs_that_are_not_utf_8():
    table = WordTable()
    assert split(number_ngrams(padded([]), (3, 5), table)) == []
    broken = TextBytes(np.frombuffer(b" \x80\xff\xc3 \x80 ", np.uint8), np.array([4, 6]))
    ids = number_ngrams(broken, (1, 2), table)
    assert [words(table)[i] for i in ids.items] == [b" \x80", b"\xff", b"\xc3", b" ", b" \x80\xff", b"\xff\xc3",
                                                    b"\xc3 ", b" \x80", b" ", b" \x80 "]  # fmt: skip


@pytest.mark.parametrize(("lengths", "table"), [((0, 2), 9), ((3, 2), 9), ((1, 2), 0), ((1, 2), 2**31)])
def test_impossible_ngrams_are_refused(lengths, table):
    with pytest.raises(ValueError, match="are not possible"):
        number_ngrams(padded(["ab"]), lengths, table)


def documents(rng) -> Lists:
    """Up to five documents of up to forty words."""
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, rng.choice([8, 40]), rng.integers(0, 6)))])
    return Lists(starts.astype(np.int64), rng.integers(0, TERMS, starts[-1]).astype(np.int32))


@given(SEEDS)
def test_counts_are_those_of_counter(seed):
    texts = documents(np.random.default_rng(seed))
    starts, columns, counts = count_terms(texts, TERMS)
    wanted = [Counter(document) for document in split(texts)]
    assert split((starts, columns)) == [list(each) for each in wanted]
    assert split((starts, counts)) == [list(each.values()) for each in wanted]
    assume(len(columns))
    count_cases(len(columns))


@given(SEEDS)
def test_sorted_rows_are_those_of_sorted_pairs(seed):
    """Rows on both sides of the length from which they are sorted by digits, and columns of one to four digits."""
    rng = np.random.default_rng(seed)
    width = int(rng.choice([60, 70_000, 2**24 + 9]))
    sizes = rng.integers(0, 60, rng.integers(1, 6))
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    columns = np.concatenate([rng.permutation(60)[:size] for size in sizes]).astype(np.int32)
    counts = rng.integers(1, 2**31, len(columns)).astype(np.int32)
    new = rng.choice(width, 60, replace=False).astype(np.int32)
    new[rng.random(60) < 0.2] = -1
    filled = np.empty(len(columns), np.int32), np.empty(len(columns), np.int32)
    lengths = sort_counts(Lists(starts, columns), counts, new, filled)
    pairs = [
        sorted((int(new[c]), n) for c, n in zip(row, own, strict=True) if new[c] >= 0)
        for row, own in zip(split((starts, columns)), split((starts, counts)), strict=True)
    ]
    assert lengths.tolist() == [len(row) for row in pairs]
    total = int(lengths.sum())
    assert list(zip(*(part[:total].tolist() for part in filled), strict=True)) == list(chain.from_iterable(pairs))
    assume(total)
    count_cases(total)


@given(SEEDS)
def test_renumbered_and_expanded_words_are_those_of_lists(seed):
    rng = np.random.default_rng(seed)
    texts, new = documents(rng), (rng.permutation(TERMS) - 1).astype(np.int32)
    assume(len(texts.items))
    assert split(renumber(texts, new)) == [[int(new[w]) for w in text if new[w] >= 0] for text in split(texts)]
    run_starts = np.concatenate([[0], np.cumsum(rng.integers(0, 3, TERMS))]).astype(np.int64)
    runs = Lists(run_starts, rng.integers(-1, 4, run_starts[-1]).astype(np.int32))
    plain = [[term for term in run if term >= 0] for run in split(runs)]
    assert split(expand(texts, runs)) == [list(chain.from_iterable(plain[w] for w in text)) for text in split(texts)]
    count_cases(2 * texts.length)


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(6, 8))
def test_every_word_has_its_places_in_order(ids, count):
    starts, places = find_places(np.array(ids, np.int32), count)
    assert len(starts) == count + 1
    assert split((starts, places)) == [[p for p, one in enumerate(ids) if one == word] for word in range(count)]
    count_cases(count)


@pytest.mark.parametrize("bad", [[-1], [5], [0, 7], [-(2**31)]])
def test_numbers_out_of_range_are_refused(bad):
    texts = Lists(np.array([0, len(bad)]), np.array(bad, np.int32))
    for call in (
        lambda: renumber(texts, np.zeros(5, np.int32)),
        lambda: expand(texts, Lists(np.zeros(6, np.int64), np.empty(0, np.int32))),
        lambda: count_terms(texts, 5),
        lambda: sort_counts(texts, texts.items, np.zeros(5, np.int32), (texts.items.copy(), texts.items.copy())),
        lambda: find_places(texts.items, 5),
    ):
        with pytest.raises(ValueError, match="numbers must be from 0 to 4"):
            call()


@pytest.mark.parametrize("starts", [[], [0, 3], [2, 1], [-1, 2]])
def test_starts_out_of_order_are_refused(starts):
    texts = Lists(np.array(starts, np.int64), np.zeros(2, np.int32))
    for call in (
        lambda: renumber(texts, np.zeros(5, np.int32)),
        lambda: expand(texts, Lists(np.zeros(6, np.int64), np.empty(0, np.int32))),
        lambda: expand(Lists(np.array([0, 1]), np.zeros(1, np.int32)), Lists(np.array([0, *starts]), texts.items[:1])),
        lambda: count_terms(texts, 5),
        lambda: sort_counts(texts, texts.items, np.zeros(5, np.int32), (texts.items.copy(), texts.items.copy())),
    ):
        with pytest.raises(ValueError, match=r"must ascend|numbers must"):
            call()


def test_other_dtypes_are_refused_and_short_starts_are_cast():
    texts = Lists(np.array([0, 1, 2], np.int32), np.zeros(2, np.int32))
    assert [part.tolist() for part in count_terms(texts, 1)] == [[0, 1, 2], [0, 0], [1, 1]]
    with pytest.raises(TypeError, match="int32, not of int64"):
        count_terms(Lists(texts.starts, np.zeros(2, np.int64)), 1)
    with pytest.raises(TypeError, match="int32, not of float64"):
        renumber(texts, np.zeros(1))
    with pytest.raises(ValueError, match="counts has 3 values, expected 2"):
        sort_counts(texts, np.ones(3, np.int32), np.zeros(1, np.int32), (np.zeros(2, np.int32), np.zeros(2, np.int32)))


VARIANT = """
import hashlib, numpy as np
from tests.native.test_text import *
from rubricate.native.sparse import make_unit, mean, unit_values
from rubricate.native.text import PhraseTable
rng = np.random.default_rng(5)
texts = ["".join(rng.choice(SIGNS, 4000)) for _ in range(20)]
table = WordTable(1)
ids = run(texts, table)
phrases = PhraseTable(1).number(ids, (1, 3), first_free=len(table), window=4)
counts = count_terms(ids, len(table))
values = rng.normal(size=len(counts[1]))
parts = [*ids, *table.words_from(0), *phrases[0], phrases[1], *counts, mean(counts[0], values),
         unit_values(counts[0], values)]
make_unit(counts[0], values)
print(hashlib.sha256(b"".join(part.tobytes() for part in [*parts, values])).hexdigest())
"""


def test_both_variants_give_the_same_bytes(print_in_both):
    ours, theirs = print_in_both(VARIANT)
    assert ours == theirs != ""
