"""Labels that most systems contradict: either hard documents, or mistakes of the truth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from rubricate.measures.counting.tables import canonical
from rubricate.reports.cells import CellValue
from rubricate.reports.tables import Table
from rubricate.types import Run, Sparse

__all__ = ["FEWEST", "contradicted_labels"]

FEWEST = 3
"""Systems from which on a majority says something."""


def contradicted_labels(runs: Sequence[Run], *, most: int = 20) -> Table:
    """Tabulate the documents where most systems give a label that the truth lacks, the most agreed first.

    A document counts where more than half of the systems give the same label that is not true; documents are ordered
    by how many more systems give it than give the true labels (their mean). Fewer than three systems: no rows.
    """
    columns = ("document", "given", "most systems say", "say so", "agree with the given")
    title, count = "Labels that most systems contradict", len(runs)
    truth = runs[0].truth
    if count < FEWEST or truth is None:
        return Table(columns, [], title)
    true, said = canonical(truth), _votes(runs)
    right = sparse.csr_array(said.multiply(true))
    wrong = sparse.csr_array(said - right)
    wrong.eliminate_zeros()
    label, votes = _best(wrong)
    labels = np.maximum(np.diff(true.indptr), 1)
    agreed = np.asarray(right.sum(axis=1)).ravel() / labels
    chosen = np.flatnonzero(2 * votes > count)
    order = chosen[np.argsort(-(votes - agreed)[chosen], kind="stable")][:most]
    names, ids = runs[0].categories, runs[0].documents
    rows: list[tuple[CellValue, ...]] = [
        (
            str(ids[row]),
            "; ".join(names[c] for c in true.indices[true.indptr[row] : true.indptr[row + 1]]) or "(none)",
            names[label[row]],
            int(votes[row]),
            round(float(agreed[row])),
        )
        for row in order
    ]
    note = f"Documents with a label that the truth lacks but most of the {count} systems give: {len(chosen):,}."
    return Table(columns, rows, title, (note,))


def _votes(runs: Sequence[Run]) -> Sparse:
    """Return how many systems give each document each label."""
    total = sparse.csr_array((len(runs[0].documents), len(runs[0].categories)), dtype=np.float64)
    for run in runs:
        if run.decisions is not None:
            total = sparse.csr_array(total + canonical(run.decisions.values).astype(np.float64))
    return total


def _best(matrix: Sparse) -> tuple[np.ndarray, np.ndarray]:
    """Return the column and the value of the largest entry of each row; 0 and 0 for an empty row."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.indices, -matrix.data, rows))
    first = order[np.unique(rows[order], return_index=True)[1]]
    label, value = np.zeros(matrix.shape[0], np.int64), np.zeros(matrix.shape[0])
    label[rows[first]], value[rows[first]] = matrix.indices[first], matrix.data[first]
    return label, value
