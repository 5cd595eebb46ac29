"""Character n-grams cut, numbered and hashed in compiled code, beside the plain function of `rubricate.text.runs`."""

from __future__ import annotations

from itertools import pairwise
from zlib import crc32

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.character_ngrams import SAME, bucket, cut, number
from rubricate.kernels.text import empty_table
from rubricate.text.ngram_terms import _remainders
from rubricate.text.runs import character_ngrams

SIGNS = [*"abz09.é漢😀ǅ"]


def padded(runs: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the runs as the kernels take them."""
    sizes = [len(run.encode()) + 1 for run in runs]
    text = " ".join(["", *runs, ""]) if runs else " "
    return np.array([*text.encode()], np.uint8), np.cumsum(sizes, dtype=np.int64)


def names(table) -> list[str]:
    return table.pool[: int(table.ends[table.counter[0]])].tobytes().decode().split("\n")[:-1]


@given(SEEDS)
def test_ngrams_are_those_of_the_plain_function(seed) -> None:
    """Cut, numbered by first occurrence over two calls with one table, and hashed."""
    rng = np.random.default_rng(seed)
    shortest = int(rng.integers(1, 9))
    longest = int(rng.integers(shortest, 9))
    known: dict[str, int] = {}
    table = empty_table(seed)
    for _ in range(2):
        runs = ["".join(rng.choice(SIGNS, rng.integers(1, 12))) for _ in range(int(rng.integers(0, 5)))]
        expected = [character_ngrams(run, shortest, longest) for run in runs]
        buffer, ends = padded(runs)
        ngrams = cut(buffer, ends, shortest, longest)
        ids, table = number(buffer, ngrams, table, SAME)
        texts = [buffer[s : s + w].tobytes().decode() for s, w in zip(ngrams.starts, ngrams.widths, strict=True)]
        assert [texts[a:b] for a, b in pairwise(ngrams.run_starts.tolist())] == expected
        assert ids.tolist() == [known.setdefault(ngram, len(known)) for part in expected for ngram in part]
        assert names(table) == list(known)
        hashed = bucket(buffer, ngrams, _remainders(), 1000)
        assert hashed.tolist() == [crc32(ngram.encode()) % 1000 for part in expected for ngram in part]


def test_a_table_grows_in_the_middle_of_a_run() -> None:
    """More n-grams, and more bytes, than an empty table has room for."""
    run = "".join(chr(0x4E00 + i) for i in range(3000))
    buffer, ends = padded([run])
    ngrams = cut(buffer, ends, 2, 3)
    ids, table = number(buffer, ngrams, empty_table(), SAME)
    expected = character_ngrams(run, 2, 3)
    assert ids.tolist() == list(range(len(expected)))
    assert names(table) == expected


def test_no_runs() -> None:
    buffer, ends = padded([])
    ngrams = cut(buffer, ends, 3, 5)
    ids, table = number(buffer, ngrams, empty_table(), SAME)
    assert (len(ids), names(table), ngrams.run_starts.tolist()) == (0, [], [0])
