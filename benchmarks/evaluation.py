"""Measures and the s-test against scikit-learn, ranx and statsmodels.

`micro-macro`: precision, recall and F1, micro and macro, of sparse multi-label decisions; scikit-learn needs a call for
each average. `per-category`: the same of each category, one call for both. `micro-macro-large`: a million documents,
with the memory that each takes beyond its input. `11-point`: the eleven interpolated precisions
of each document from unsorted scores; ranx, which has that curve without its average, needs them sorted first (by
NumPy). `11-point-sorted`: the same, but ranx is given sorted lists and only its measure is timed. Documents have 4
labels there: with 3, ranx takes the point of recall 2/3 for recall .7, since int(.7 · 3 + .9) is 2 in floats.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from ranx.metrics import interpolated_precision_at_recall as precisions
from scipy import sparse
from sklearn.metrics import precision_recall_fscore_support

from benchmarks._s_test import random_labels, s_test_rows
from benchmarks._timing import Row, publish, side_by_side
from rubricate.measures import counts, macro, micro, ranks
from rubricate.measures.contingency import f1, precision, recall
from rubricate.measures.rankings import at_full_recall, interpolate, points, representatives
from rubricate.types import Scores

MEASURES = (precision, recall, f1)
KEPT = 100
LABELS = 4


def labels(documents: int, categories: int) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Make a truth with up to 3 labels per document, and decisions that keep most of them and add one."""
    rng = np.random.default_rng(0)
    truth = random_labels(documents, categories, 3, rng)
    kept = truth.copy()
    kept.data = rng.random(truth.nnz) < 0.8
    kept.eliminate_zeros()
    return truth, sparse.csr_array(kept + random_labels(documents, categories, 1, rng), dtype=bool)


def ours(truth: sparse.csr_array, decided: sparse.csr_array) -> list[float]:
    table = counts(truth, decided)
    return [average(measure, table) for average in (micro, macro) for measure in MEASURES]


def by_category(truth: sparse.csr_array, decided: sparse.csr_array) -> list[np.ndarray]:
    table = counts(truth, decided)
    return [measure(table) for measure in MEASURES]


def theirs(truth: sparse.csr_array, decided: sparse.csr_array) -> list[float]:
    found = [precision_recall_fscore_support(truth, decided, average=a, zero_division=0) for a in ("micro", "macro")]
    return [value for values in found for value in values[:3]]


def peak(function: Callable[[], Any]) -> float:
    """Measure the memory that a call adds, in MB."""
    tracemalloc.start()
    function()
    top = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return top / 1e6


def tables(documents: int, categories: int) -> list[Row]:
    truth, decided = labels(documents, categories)
    work = f"{documents:,} × {categories:,}, 3 labels a document"
    whole = side_by_side(
        lambda: ours(truth, decided),
        lambda: theirs(truth, decided),
        id="micro-macro",
        work=f"micro and macro P, R, F1 of {work}",
        peer_name="scikit-learn precision_recall_fscore_support, two calls",
        same=lambda a, b: np.allclose(a, b, rtol=1e-12),
    )
    each = side_by_side(
        lambda: by_category(truth, decided),
        lambda: precision_recall_fscore_support(truth, decided, average=None, zero_division=0)[:3],
        id="per-category",
        work=f"P, R, F1 of each category of {work}",
        peer_name="scikit-learn precision_recall_fscore_support, one call",
        same=lambda a, b: np.allclose(a, b, rtol=1e-12),
    )
    return [whole, each]


def large() -> Row:
    truth, decided = labels(1_000_000, 10_000)
    used = [peak(lambda function=function: function(truth, decided)) for function in (ours, theirs)]
    return side_by_side(
        lambda: ours(truth, decided),
        lambda: theirs(truth, decided),
        id="micro-macro-large",
        work=f"micro and macro of 1,000,000 × 10,000, 3 labels a document; {used[0]:.1f} MB, peer {used[1]:.0f} MB",
        peer_name="scikit-learn precision_recall_fscore_support, two calls",
        same=lambda a, b: np.allclose(a, b, rtol=1e-12),
        repeats=3,
    )


def eleven(documents: int = 100_000, categories: int = 1_000) -> list[Row]:
    """Return the 100 best categories of each document, including all true ones."""
    rng = np.random.default_rng(1)
    columns = np.sort(np.argpartition(rng.random((documents, categories), np.float32), KEPT)[:, :KEPT], axis=1)
    values = rng.random((documents, KEPT))
    true = np.sort(rng.random((documents, KEPT)).argpartition(LABELS)[:, :LABELS], axis=1)
    starts = np.arange(documents + 1, dtype=np.int32) * KEPT
    shape = (documents, categories)
    matrix = sparse.csr_array((values.ravel(), columns.ravel().astype(np.int32), starts), shape=shape)
    names, ids = tuple(map(str, range(categories))), range(documents)
    scores = Scores(matrix, names, ids)
    chosen = np.take_along_axis(columns, true, axis=1)
    truth = sparse.csr_array(
        (np.ones(LABELS * documents, bool), chosen.ravel().astype(np.int32), starts // KEPT * LABELS),
        shape=shape,
    )
    qrels = np.stack([chosen.astype(float), np.ones(chosen.shape)], axis=2)

    def curve() -> np.ndarray:
        seen = points(ranks(scores, truth))
        return interpolate(at_full_recall(seen, representatives(seen)))

    def in_order() -> np.ndarray:
        order = np.argsort(-values, axis=1)
        return np.stack([np.take_along_axis(columns, order, 1), np.take_along_axis(values, order, 1)], axis=2)

    run = in_order()
    peers = {
        "11-point": ("NumPy sort + ranx interpolated_precision_at_recall", lambda: precisions(qrels, in_order())),
        "11-point-sorted": (
            "ranx interpolated_precision_at_recall, sorted lists given",
            lambda: precisions(qrels, run),
        ),
    }
    numba.set_num_threads(1)
    work = f"11 precisions of {documents:,} documents each, the {KEPT} best of {categories:,} categories ranked"
    return [
        side_by_side(
            curve, peer, id=row, work=work, peer_name=name, same=lambda a, b: np.allclose(a, b, rtol=1e-12), repeats=5
        )
        for row, (name, peer) in peers.items()
    ]


def main() -> None:
    publish([*tables(100_000, 1_000), large(), *eleven(), *s_test_rows()], __doc__ or "")


if __name__ == "__main__":
    main()
