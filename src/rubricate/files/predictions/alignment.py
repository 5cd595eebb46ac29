"""Align runs with the documents and categories of the truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidFile, InvalidInput
from rubricate.files.predictions.pairs import Pairs, listed
from rubricate.files.predictions.train_counts import TrainCounts
from rubricate.labels import indicator
from rubricate.types import Bools, Decisions, Floats, Ints, Run, Scores, Sparse

__all__ = ["align", "labels_of", "labels_over"]


@dataclass(frozen=True, eq=False)
class _Grid:
    """The documents and categories that every run is aligned with."""

    documents: tuple[str, ...]
    categories: tuple[str, ...]

    def decisions(self, pairs: Pairs) -> Sparse:
        return indicator(self.matrix(pairs, pairs.chosen(), np.ones(len(pairs.rows), bool)))

    def scores(self, pairs: Pairs) -> Floats | Sparse:
        """Return the scores, dense where every pair has one."""
        scores = self.matrix(pairs, ~np.isnan(pairs.scores), pairs.scores)
        return scores.toarray() if scores.nnz == len(self.documents) * len(self.categories) else scores

    def matrix(self, pairs: Pairs, mask: Bools, values: Bools | Floats) -> Sparse:
        """Return the values of the masked pairs; pairs outside the grid are left out."""
        rows, columns = _places(pairs.documents, self.documents), _places(pairs.categories, self.categories)
        row, column = rows[pairs.rows[mask]], columns[pairs.columns[mask]]
        kept = (row >= 0) & (column >= 0)
        shape = (len(self.documents), len(self.categories))
        return sparse.csr_array((values[mask][kept], (row[kept], column[kept])), shape=shape)

    def labels(self, truth: Decisions) -> Sparse:
        """Return labels over the grid; labels outside it are left out."""
        entries = truth.values.tocoo()
        rows, columns = _places(truth.documents, self.documents), _places(truth.categories, self.categories)
        row, column = rows[entries.row], columns[entries.col]
        kept = (row >= 0) & (column >= 0)
        shape = (len(self.documents), len(self.categories))
        return indicator(sparse.csr_array((entries.data[kept], (row[kept], column[kept])), shape=shape))


def _places(names: Sequence[str], among: Sequence[str]) -> Ints:
    """Return the position of each name among the others; -1 for a name that is not there."""
    place = {name: i for i, name in enumerate(among)}
    return np.array([place.get(name, -1) for name in names], np.int64)


def labels_of(pairs: Pairs) -> Decisions:
    """Return the assigned labels of a file over its own documents and categories, with sorted categories."""
    if not pairs.has_decisions:
        remedy = "give rows of document and category, or a column decision"
        raise InvalidFile("the file has scores but no labels", path=pairs.path, remedy=remedy)
    grid = _Grid(pairs.documents, tuple(sorted(pairs.categories)))
    return Decisions(grid.decisions(pairs), grid.categories, grid.documents)


def labels_over(labels: Decisions, categories: Sequence[str]) -> Sparse:
    """Return the labels of documents (such as training documents) over these categories; other labels are left out."""
    return _Grid(tuple(labels.documents), tuple(categories)).labels(labels)


def align(
    truth: Decisions,
    runs: Mapping[str, Pairs],
    *,
    known: Iterable[str] = (),
    train: TrainCounts | None = None,
    intersection: bool = False,
    new_categories: bool = False,
) -> list[Run]:
    """Return one `Run` per file, all over the same documents and categories; see `read_runs` for the options."""
    every = {*truth.categories, *known}
    grid = _Grid(_documents(truth, runs, intersection), _categories(every, runs, new_categories))
    ids, names, labels = grid.documents, grid.categories, grid.labels(truth)
    return [
        Run(
            name,
            ids,
            names,
            scores=Scores(grid.scores(pairs), names, ids) if pairs.has_scores else None,
            decisions=Decisions(grid.decisions(pairs), names, ids) if pairs.has_decisions else None,
            truth=labels,
            train_counts=None if train is None else train.over(names),
        )
        for name, pairs in runs.items()
    ]


def _categories(known: set[str], runs: Mapping[str, Pairs], new_categories: bool) -> tuple[str, ...]:
    every = set(known)
    for pairs in runs.values():
        unknown = set(pairs.categories) - every
        if unknown and not new_categories:
            affected = np.isin(pairs.columns, _places(sorted(unknown), pairs.categories))
            raise InvalidFile(
                f"{len(unknown)} categories are not in the truth: {listed(unknown)}",
                path=pairs.path,
                line=int(pairs.lines[np.argmax(affected)]) if affected.any() else None,
                remedy=_remedy(unknown, every),
            )
        every |= unknown
    return tuple(sorted(every))


def _remedy(unknown: set[str], known: set[str]) -> str:
    """Return a remedy for unknown names; a name made of several known ones is a cell with the wrong separator."""
    parts = (name.replace("|", ",").split(",") for name in unknown if "," in name or "|" in name)
    if any({part.strip() for part in several} <= known for several in parts):
        return "separate the labels of a cell by ';'"
    return (
        "correct the names, list them (--categories, --train-counts), "
        "or count them as categories without true documents (--new-categories)"
    )


def _documents(truth: Decisions, runs: Mapping[str, Pairs], intersection: bool) -> tuple[str, ...]:
    shared = set(truth.documents)
    for pairs in runs.values():
        here = set(pairs.documents)
        if not intersection:
            _check_documents(pairs, here - shared, shared - here)
        shared &= here
    if not shared:
        raise InvalidInput("the truth and the runs share no document; check that they use the same ids")
    return tuple(name for name in truth.documents if name in shared)


def _check_documents(pairs: Pairs, extra: set[str], missing: set[str]) -> None:
    if not extra and not missing:
        return
    problems = [f"{len(extra)} documents that are not in the truth ({listed(extra)})"] if extra else []
    problems += [f"no row for {len(missing)} documents of the truth ({listed(missing)})"] if missing else []
    rows = np.isin(pairs.rows, _places(sorted(extra), pairs.documents))
    raise InvalidFile(
        "the file has " + ", and ".join(problems),
        path=pairs.path,
        line=int(pairs.lines[np.argmax(rows)]) if rows.any() else None,
        remedy="make the ids agree (a document without labels needs a row with an empty cell), "
        "or keep only the documents that all files share (--intersection)",
    )
