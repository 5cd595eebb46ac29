"""The scanning kernel by itself: what a table keeps between calls, and the edges of texts."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.text import Alphabet, Buffer, empty_table, scan
from rubricate.text.tokens import NO_CLASSES, byte_tables, code_points


def run(texts: list[str], table, classes=NO_CLASSES):
    parts = [text.encode("utf-8") for text in texts]
    buffer = np.frombuffer(b"".join(parts), np.uint8)
    texts = Buffer(buffer, np.cumsum([len(part) for part in parts]))
    return scan(texts, Alphabet(*byte_tables("letters"), classes), table)


def words(table) -> list[bytes]:
    _, _, ends, pool, size = table
    return [pool[int(ends[w]) : int(ends[w + 1]) - 1].tobytes() for w in range(int(size[0]))]


def test_words_do_not_cross_the_end_of_a_text() -> None:
    ids, starts, table = run(["wheat", "corn", "", "wheat!"], empty_table())
    assert ids.tolist() == [0, 1, 0]
    assert starts.tolist() == [0, 1, 2, 2, 3]
    assert words(table) == [b"wheat", b"corn"]


def test_a_table_goes_on_numbering() -> None:
    _, _, table = run(["a b"], empty_table())
    ids, _, table = run(["c b a"], table)
    assert ids.tolist() == [2, 1, 0]
    assert words(table) == [b"a", b"b", b"c"]


def test_code_points_of_two_three_and_four_bytes() -> None:
    ids, _, table = run(["é漢𐐨x€😀é"], empty_table(), code_points("letters"))
    assert ids.tolist() == [0, 1]
    assert [word.decode() for word in words(table)] == ["é漢𐐨x", "é"]


@pytest.mark.slow
def test_nothing_to_read() -> None:
    ids, starts, table = run([], empty_table())
    assert (len(ids), starts.tolist(), words(table)) == (0, [0], [])


def test_the_seed_moves_the_words_and_changes_no_number() -> None:
    text = [" ".join("".join(chr(97 + (i // 26**k) % 26) for k in range(4)) for i in range(3000))] * 2
    plain, other = (run(text, empty_table(seed)) for seed in (0, 0x1234_5678_9ABC_DEF0))
    assert (plain[0] == other[0]).all()
    assert words(plain[2]) == words(other[2])
    assert (plain[2][0] != other[2][0]).any()
    assert int(other[2][4][1]) == 0x1234_5678_9ABC_DEF0


SIGNS = "abcXYZ09 .,-'\n\téÉß漢€😀ǅ"


@given(SEEDS)
def test_words_are_the_stretches_of_letters_of_each_text(seed) -> None:
    """Words in lower case, numbered in order of first occurrence, over two calls with one table."""
    rng = np.random.default_rng(seed)
    known: dict[str, int] = {}
    table = empty_table(seed)
    for _ in range(2):
        texts = ["".join(rng.choice([*SIGNS], rng.integers(0, 9))) for _ in range(int(rng.integers(1, 4)))]
        ids, starts, table = run(texts, table, code_points("letters"))
        split = [re.findall(r"[^\W\d_]+", text) for text in texts]
        lowered = [[ascii_lower(word) for word in text] for text in split]
        wanted = [[known.setdefault(word, len(known)) for word in text] for text in lowered]
        assert [ids[a:b].tolist() for a, b in pairwise(starts.tolist())] == wanted
        assert [word.decode() for word in words(table)] == list(known)


def ascii_lower(word: str) -> str:
    """The kernel lowers ASCII letters alone; others are lowered before."""
    return "".join(sign.lower() if sign.isascii() else sign for sign in word)
