"""Counts behind the measures: tables, ranks, best categories, thresholds, label sets (native/measures.c).

Columns ascend within each row, without duplicates; scores are never NaN. Lengths and indices are checked here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rubricate.native.library import check_lengths, core, stop_flag
from rubricate.native.sparse import Lists, Rows

__all__ = [
    "LEVELS", "MAX_COMPARED_LABELS", "Rankings", "RecallPoints", "StepTables", "as_lists", "as_rows", "balance_f1",
    "best_columns", "best_stored_columns", "cell_codes", "check_indices", "check_lists", "check_starts",
    "count_dense_steps", "count_overlap", "count_row_overlap", "count_stored_steps", "rank_labels", "recall_levels",
    "run_long", "scores_at", "sum_similarities", "tally_codes",
]  # fmt: skip

LEVELS = 11
MAX_COMPARED_LABELS = 128  # up to so many each label of a ranking is compared with every item
LONG_WORK = 100_000_000  # steps, about 0.1 s, from which on Ctrl-C can end a loop: that takes a thread, 0.1 ms


def as_lists(matrix: Any) -> Lists:
    """Return the column indices of a CSR matrix, whatever types SciPy chose."""
    return Lists(np.ascontiguousarray(matrix.indptr, np.int64), np.ascontiguousarray(matrix.indices, np.int32))


def as_rows(matrix: Any) -> Rows:
    """Return the stored values of a CSR matrix as float64, with their column indices."""
    return Rows(*as_lists(matrix), np.ascontiguousarray(matrix.data, np.float64))


def run_long(name: str, work: int, *values: Any) -> None:
    """Call a function whose last argument is `stop`, such that Ctrl-C ends it if it takes long."""
    if work < LONG_WORK:
        getattr(core, name)(*values, stop_flag)
    else:
        core.run_stoppable(name, *values)


def check_lists(columns: int, *matrices: Lists | Rows) -> None:
    """Raise ValueError unless all have as many rows, ascending starts, and items below `columns` (−1: any items)."""
    for each in matrices:
        check_lengths(len(each[1]), values=each[-1])
        check_lengths(max(len(matrices[0].starts), 1), starts=each.starts)
        if not core.rb_are_valid_lists(Lists(*each[:2]), len(each[1]), columns):
            raise ValueError("a sparse matrix has an index out of range, or row starts that do not ascend")


def check_starts(starts: np.ndarray, size: int, *, least: int = 0) -> None:
    """Raise ValueError unless starts ascend within 0 to `size`, by at least `least` each."""
    if len(starts) == 0 or starts[0] < 0 or starts[-1] > size or (starts[1:] < starts[:-1] + least).any():
        raise ValueError(f"starts must ascend within 0 to {size}, by at least {least}")


def check_indices(limit: int, length: int, **arrays: np.ndarray) -> None:
    """Raise ValueError unless every array has this length and values within 0 to limit − 1."""
    check_lengths(length, **arrays)
    for name, array in arrays.items():
        if array.size and array.view(f"u{array.itemsize}").max() >= limit:  # negative numbers are large when unsigned
            raise ValueError(f"{name} holds a number outside of 0 to {limit - 1}")


def count_overlap(first: Lists, second: Lists, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (in both, in the first, in the second) for each column."""
    check_lists(columns, first, second)
    both, in_first, in_second = (np.zeros(columns, np.int64) for _ in range(3))
    core.rb_count_overlap(first, second, both, in_first, in_second)
    return both, in_first, in_second


def count_row_overlap(first: Lists, second: Lists) -> np.ndarray:
    """Return the number of entries that both have, for each row."""
    check_lists(-1, first, second)
    both = np.zeros(first.length, np.int64)
    core.rb_count_row_overlap(first, second, both)
    return both


def tally_codes(truth: Lists, a: Lists, b: Lists, columns: int) -> np.ndarray:
    """Return columns × 8: how many cells have each code, 1 if true + 2 if decided by a + 4 if decided by b."""
    check_lists(columns, truth, a, b)
    tally = np.zeros((columns, 8), np.int64)
    core.rb_compare_decisions(truth, a, b, tally, None, None, None)
    return tally


def cell_codes(truth: Lists, a: Lists, b: Lists) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return row starts, columns and codes (see `tally_codes`) of every cell that one of the three holds."""
    check_lists(-1, truth, a, b)
    size = sum(len(each.items) for each in (truth, a, b))
    starts, columns, codes = np.zeros(truth.length + 1, np.int64), np.empty(size, np.int32), np.empty(size, np.int8)
    found = core.rb_compare_decisions(truth, a, b, None, starts, columns, codes)
    return starts, columns[:found].copy(), codes[:found].copy()


def scores_at(scores: Rows, cells: Lists, floor: float) -> np.ndarray:
    """Return the score at each cell, `floor` if none is stored. Cost: cells × log of the stored scores of a row."""
    check_lists(-1, scores, cells)
    values = np.full(len(cells.items), floor)
    core.rb_scores_at(scores, cells, floor, values)
    return values


class Rankings(NamedTuple):
    """Some rankings: their listed scores, their length, the score of items not listed, the scores of true labels."""

    starts: np.ndarray
    values: np.ndarray
    items: int
    floor: float
    label_starts: np.ndarray
    labels: np.ndarray


def rank_labels(rankings: Rankings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each label the items that score more, those at least as much, and the labels at least as much.

    Items of one score stand together. A label that scores -inf is not ranked: the last number is 0.
    """
    n, labels = len(rankings.starts) - 1, rankings.labels
    check_starts(rankings.starts, len(rankings.values))
    check_starts(rankings.label_starts, len(labels))
    check_lengths(n + 1, label_starts=rankings.label_starts)
    above, rank, hits = (np.zeros(len(labels), np.int64) for _ in range(3))
    work = len(rankings.values) * min(MAX_COMPARED_LABELS, len(labels) // max(n, 1) + 1)
    run_long("rb_rank_labels", work, n, rankings, above, rank, hits)
    return above, rank, hits


class RecallPoints(NamedTuple):
    """Recall `hits / labels` and precision `hits / rank` of ranking `row`, one entry per true item that is ranked."""

    row: np.ndarray
    hits: np.ndarray
    rank: np.ndarray
    labels: np.ndarray
    rankings: int

    @property
    def precision(self) -> np.ndarray:
        """Return the precision at each point."""
        return self.hits / self.rank


def recall_levels(points: RecallPoints) -> np.ndarray:
    """Return rankings × 11: the highest precision with recall in [i/10, (i + 1)/10), at last that with most hits."""
    n, rankings = len(points.row), points.rankings
    check_lengths(n, hits=points.hits, rank=points.rank, labels=points.labels)
    table = np.zeros((rankings, LEVELS))
    if not core.rb_recall_levels(n, points, rankings, np.zeros(rankings, np.int64), table):
        raise ValueError("recall points need a ranking, 0 <= hits <= labels, labels >= 1 and rank >= 1")
    return table


def best_columns(values: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns of the k best scores of each row, in no order, and their number; of equals the earlier."""
    rows, columns = values.shape
    best, kept = np.zeros((rows, k), np.int64), np.zeros(rows, np.int64)
    core.rb_best_columns(rows, columns, values, k, best, kept)
    return best, kept


def best_stored_columns(stored: Rows, columns: int, floor: float, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what `best_columns` does, from stored scores; every other score equals `floor`."""
    check_lists(columns, stored)
    best, kept = np.zeros((stored.length, k), np.int64), np.zeros(stored.length, np.int64)
    core.rb_best_stored_columns(stored, columns, floor, k, best, kept)
    return best, kept


def count_dense_steps(scores: np.ndarray, starts: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells of documents × categories that reach each step, and the highest score below it (or -inf)."""
    documents, categories = scores.shape
    check_lengths(categories + 1, starts=starts)
    check_starts(starts, len(steps), least=1)
    counts, below = np.zeros(len(steps), np.int64), np.full(len(steps), -np.inf)
    core.rb_count_dense_steps(documents, categories, scores, starts, steps, counts, below)
    return counts, below


def count_stored_steps(
    columns: np.ndarray, scores: np.ndarray, starts: np.ndarray, steps: np.ndarray, *, floor: float, missing: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the same of stored scores with their columns; `missing[c]` more cells of category c score `floor`."""
    check_lengths(len(starts) - 1, missing=missing)
    check_indices(len(missing), len(scores), columns=columns)
    check_starts(starts, len(steps), least=1)
    counts, below = np.zeros(len(steps), np.int64), np.full(len(steps), -np.inf)
    cells = len(scores), columns, scores, floor, missing
    core.rb_count_stored_steps(*cells, len(missing), starts, steps, counts, below)
    return counts, below


class StepTables(NamedTuple):
    """What each step assigns, how much of it is right, whether it is allowed; `positives` of each category."""

    starts: np.ndarray
    hits: np.ndarray
    assigned: np.ndarray
    positives: np.ndarray
    allowed: np.ndarray


def balance_f1(tables: StepTables, weight: float, passes: int) -> np.ndarray:
    """Return the step of each category after `passes` of coordinate ascent on micro-F1 + weight · macro-F1.

    Of equal steps the one that assigns fewest wins; the last one if none is allowed. 0/0 counts as 0.
    """
    categories, size = len(tables.positives), len(tables.hits)
    check_lengths(categories + 1, starts=tables.starts)
    check_lengths(size, assigned=tables.assigned, allowed=tables.allowed)
    check_starts(tables.starts, size, least=1)
    chosen = np.empty(categories, np.int64)
    core.rb_balance_f1(categories, tables, weight, passes, chosen)
    return chosen


def sum_similarities(sets: Lists, holders: Lists, weights: np.ndarray) -> np.ndarray:
    """Return sets × 2: the weight of similar sets by Jaccard and by MASI; `holders` is the transpose of `sets`."""
    check_lists(holders.length, sets)
    check_lists(sets.length, holders)
    check_lengths(sets.length, weights=weights)
    sums = np.zeros((sets.length, 2))
    run_long("rb_sum_similarities", int((np.diff(holders.starts) ** 2).sum()) // 2, sets, holders, weights, sums)
    return sums
