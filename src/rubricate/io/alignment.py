"""What to do with documents, labels and rows that do not fit the truth."""

from __future__ import annotations

import difflib
import unicodedata
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.io.prediction_tables import Pairs, listed
from rubricate.io.train_counts import TrainCounts
from rubricate.labels import indicator
from rubricate.types import Bools, Decisions, Floats, Ints, Run, Scores, Signature, Sparse

__all__ = [
    "Duplicates",
    "Missing",
    "Policies",
    "Unknown",
    "align",
    "assigned_labels",
    "labels_over",
    "nearest_names",
    "other_documents",
    "policies_from",
    "unknown_categories",
]

Missing: TypeAlias = Literal["error", "wrong", "drop"]
Unknown: TypeAlias = Literal["error", "wrong", "new"]
Duplicates: TypeAlias = Literal["error", "first"]

CHOICES = {"missing": ("error", "wrong", "drop"), "unknown": ("error", "wrong"), "duplicates": ("error", "first")}


@dataclass(frozen=True)
class Policies:
    """How runs are brought to the documents and categories of the truth.

    Parameters
    ----------
    missing : "error", "wrong" or "drop"
        A document of the truth that a run lacks: an error; answered with nothing, which counts as wrong; or left out
        for all runs. Under the last two, documents that the truth lacks are ignored.
    unknown : "error", "wrong" or "new"
        A label that is not a category of the truth: an error; or a wrong answer that counts in micro-averages and in
        measures by document, while macro-averages stay those of the known categories. "new", which only objects in
        memory use, makes it one more category.
    duplicates : "error" or "first"
        A document or pair that occurs twice: an error, or the first one counts.
    """

    missing: Missing = "error"
    unknown: Unknown = "error"
    duplicates: Duplicates = "error"

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            value = getattr(self, name)
            if value not in known and (name, value) != ("unknown", "new"):
                raise UnknownName(f"policy for {name}", str(value), known)


def policies_from(
    *,
    missing: Missing = "error",
    unknown: Unknown = "error",
    duplicates: Duplicates = "error",
    intersection: bool = False,
    new_categories: bool = False,
) -> Policies:
    """Return the policies; `intersection` and `new_categories` are the deprecated names of two of them."""
    if intersection:
        warnings.warn("intersection is deprecated; use missing='drop' (--missing drop)", FutureWarning, stacklevel=3)
        missing = "drop"
    if new_categories:
        warnings.warn(
            "new_categories is deprecated; use unknown='wrong' (--unknown wrong)", FutureWarning, stacklevel=3
        )
        unknown = "wrong"
    return Policies(missing, unknown, duplicates)


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

    def outside(self, pairs: Pairs) -> Ints:
        """Count the assigned labels of each document that are not categories of the grid."""
        rows, columns = _places(pairs.documents, self.documents), _places(pairs.categories, self.categories)
        chosen = pairs.chosen() & (columns[pairs.columns] < 0) & pairs.has_decisions
        row = rows[pairs.rows[chosen]]
        return np.bincount(row[row >= 0], minlength=len(self.documents)).astype(np.int64)

    def unknown_labels(self, pairs: Pairs) -> Decisions:
        """Return the assigned labels that are not categories of the grid, by name."""
        names = tuple(sorted(set(pairs.categories) - set(self.categories)))
        return Decisions(_Grid(self.documents, names).decisions(pairs), names, self.documents)

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
    if names == among:  # most files have the documents in the order of the truth
        return np.arange(len(names), dtype=np.int64)
    place = {name: i for i, name in enumerate(among)}
    return np.array([place.get(name, -1) for name in names], np.int64)


def assigned_labels(pairs: Pairs) -> Decisions:
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
    policies: Policies | None = None,
) -> list[Run]:
    """Return one `Run` per file, all over the same documents and categories; see `read_runs` for the options."""
    rules = policies or Policies()
    every = {*truth.categories, *known}
    grid = _Grid(_documents(truth, runs, rules), _categories(every, runs, rules))
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
            signature=_signature(rules, pairs, truth, len(ids)),
            outside=grid.outside(pairs) if rules.unknown == "wrong" else None,
            unknown_labels=grid.unknown_labels(pairs) if rules.unknown == "wrong" and pairs.has_decisions else None,
        )
        for name, pairs in runs.items()
    ]


def _signature(rules: Policies, pairs: Pairs, truth: Decisions, documents: int) -> Signature:
    """Return the policies that are not the default, with how many documents each one concerned."""
    lacking = len(set(truth.documents) - set(pairs.documents)) if rules.missing == "wrong" else 0
    if rules.missing == "drop":
        lacking = len(truth.documents) - documents
    return Signature(
        missing="" if rules.missing == "error" else f"{rules.missing} ({lacking:,} of {len(truth.documents):,})",
        unknown=rules.unknown if rules.unknown == "wrong" else "",
        duplicates="" if rules.duplicates == "error" else rules.duplicates,
    )


def _categories(known: set[str], runs: Mapping[str, Pairs], rules: Policies) -> tuple[str, ...]:
    every = set(known)
    for pairs in runs.values() if rules.unknown != "wrong" else ():
        problem = unknown_categories(pairs, every)
        if problem is not None and rules.unknown == "error":
            raise problem
        every |= set(pairs.categories)
    return tuple(sorted(every))


def unknown_categories(pairs: Pairs, known: set[str]) -> InvalidFile | None:
    """Return the problem of a file whose categories are not all known; None where they are."""
    unknown = set(pairs.categories) - known
    if not unknown:
        return None
    affected = np.isin(pairs.columns, _places(sorted(unknown), pairs.categories))
    return InvalidFile(
        f"{len(unknown)} categories are not in the truth: {listed(unknown)}",
        path=pairs.path,
        line=int(pairs.lines[np.argmax(affected)]) if affected.any() else None,
        remedy=_remedy(unknown, known),
    )


def _remedy(unknown: set[str], known: set[str]) -> str:
    """Return a remedy for unknown names.

    A name made of several known ones is a cell with the wrong separator; one near a known name is another spelling.
    """
    parts = (name.replace("|", ",").split(",") for name in unknown if "," in name or "|" in name)
    if any({part.strip() for part in several} <= known for several in parts):
        return "separate the labels of a cell by ';'"
    spellings = nearest_names(unknown, known)
    near = ", ".join(f"{name!r} is near {other!r}" for name, other in sorted(spellings.items())[:5])
    return (
        f"correct the names{f' ({near})' if near else ''}, list them (--categories, --train-counts), "
        "or count them as wrong answers (--unknown wrong)"
    )


def nearest_names(unknown: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """Return the known name that each unknown one is probably a spelling of, where there is one.

    >>> nearest_names(["Corn", "crude_oil", "gold"], ["corn", "crude oil", "wheat"])
    {'Corn': 'corn', 'crude_oil': 'crude oil'}
    """
    folded = {_folded(name): name for name in sorted(known, reverse=True)}
    spellings = {}
    for name in unknown:
        near = difflib.get_close_matches(_folded(name), folded, n=1, cutoff=0.8)
        if near:
            spellings[name] = folded[near[0]]
    return spellings


def _folded(name: str) -> str:
    """Return a name without the differences that spellings have: case, accents, blanks and punctuation."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(sign for sign in letters if sign.isalnum()) or letters


def _documents(truth: Decisions, runs: Mapping[str, Pairs], rules: Policies) -> tuple[str, ...]:
    shared = set(truth.documents)
    for pairs in runs.values():
        here = set(pairs.documents)
        problem = None if rules.missing != "error" else other_documents(pairs, shared)
        if problem is not None:
            raise problem
        if not shared & here:
            raise InvalidFile(
                "the file and the truth share no document",
                path=pairs.path,
                remedy="check that both use the same ids, or name the column that has them (--id NAME)",
            )
        shared = shared & here if rules.missing == "drop" else shared
    if not shared:
        raise InvalidInput("the truth and the runs share no document; check that they use the same ids")
    return tuple(name for name in truth.documents if name in shared)


def other_documents(pairs: Pairs, documents: set[str]) -> InvalidFile | None:
    """Return the problem of a file over other documents than these; None where they are the same."""
    here = set(pairs.documents)
    extra, missing = here - documents, documents - here
    if not extra and not missing:
        return None
    problems = [f"{len(extra)} documents that are not in the truth ({listed(extra)})"] if extra else []
    problems += [f"no row for {len(missing)} documents of the truth ({listed(missing)})"] if missing else []
    rows = np.isin(pairs.rows, _places(sorted(extra), pairs.documents))
    return InvalidFile(
        "the file has " + ", and ".join(problems),
        path=pairs.path,
        line=int(pairs.lines[np.argmax(rows)]) if rows.any() else None,
        remedy="make the ids agree (a document without labels needs a row with an empty cell), count missing documents "
        "as wrong (--missing wrong), or keep only the documents that all files share (--missing drop)",
    )
