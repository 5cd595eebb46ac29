"""Categories of a run found in a hierarchy."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.hierarchy import Hierarchy, distances
from rubricate.measures.tables import canonical
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = [
    "ByDistance",
    "BySimilarity",
    "Nearness",
    "Placed",
    "Similarity",
    "Wrong",
    "by_distance",
    "by_similarity",
    "category_similarity",
    "category_vectors",
    "placed",
    "read_similarity",
    "wrong_decisions",
]


@dataclass(frozen=True, eq=False)
class Placed:
    """The node of each category, −1 for one outside the hierarchy."""

    hierarchy: Hierarchy
    categories: tuple[str, ...]
    nodes: Ints

    @property
    def inside(self) -> Bools:
        """Tell which categories the hierarchy has."""
        inside: Bools = self.nodes >= 0
        return inside

    @property
    def outside(self) -> tuple[str, ...]:
        """Return the categories that the hierarchy does not have."""
        return tuple(self.categories[c] for c in np.flatnonzero(~self.inside))

    @cached_property
    def root_is_category(self) -> bool:
        """Tell whether documents can be put under the root itself."""
        return bool((self.nodes == 0).any())


def placed(hierarchy: Hierarchy, categories: Sequence[str], *, required: bool = True) -> Placed:
    """Find the categories in the hierarchy; where it has none of them, raise if that is `required`.

    >>> tree = Hierarchy.from_edges([("grain", "corn"), ("grain", "wheat")])
    >>> placed(tree, ["wheat", "ship"]).nodes.tolist()
    [2, -1]
    """
    names = tuple(map(str, categories))
    nodes = np.array([hierarchy.index(name) if name in hierarchy else -1 for name in names], np.int64)
    if hierarchy.virtual_root:
        nodes[nodes == 0] = -1
    if required and len(names) and not (nodes >= 0).any():
        have, want = (", ".join(map(repr, part[:3])) for part in (hierarchy.names[hierarchy.virtual_root :], names))
        raise InvalidInput(
            f"no category of the run is in the hierarchy: it has {have}, …, the run {want}, …; "
            "give the hierarchy of these categories, with the names spelt alike"
        )
    return Placed(hierarchy, names, nodes)


_CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Similarity:
    """Similarities of categories, kept as unit vectors or as the matrix itself; made by `category_similarity`."""

    categories: tuple[str, ...]
    vectors: Sparse | None = None
    values: Floats | None = None

    def __post_init__(self) -> None:
        kept = self.vectors if self.vectors is not None else self.values
        if kept is None or kept.shape[0] != len(self.categories):
            raise InvalidInput(f"similarities of {len(self.categories)} categories: one vector or row is needed each")

    @classmethod
    def of_matrix(cls, values: Any, categories: Sequence[str]) -> Similarity:
        """Take similarities that are known already: a symmetric matrix, categories × categories, of numbers up to 1."""
        matrix, m = np.asarray(values, np.float64), len(categories)
        if matrix.shape != (m, m) or not np.isfinite(matrix).all() or np.abs(matrix - matrix.T).max(initial=0) > 1e-9:
            raise InvalidInput(f"similarities must be a symmetric matrix of {m} × {m} finite numbers")
        if np.abs(matrix).max(initial=0) > 1 + 1e-9:
            raise InvalidInput(f"a similarity of {np.abs(matrix).max():g}; they lie between −1 and 1")
        return cls(tuple(map(str, categories)), values=matrix)

    def pairs(self, a: Ints, b: Ints) -> Floats:
        """Return CS of categories a[i] and b[i]; 0 where one has no terms. Cost: the terms of the pairs."""
        if self.values is not None:
            return self.values[a, b]
        rows = self.vectors
        parts = [slice(start, start + _CHUNK) for start in range(0, len(a), _CHUNK)]
        cosines = [np.asarray(rows[a[part]].multiply(rows[b[part]]).sum(axis=1)).ravel() for part in parts]  # type: ignore[index]
        return np.concatenate(cosines) if cosines else np.zeros(0)

    def matrix(self) -> Floats:
        """Return all similarities, categories × categories."""
        if self.values is not None:
            return self.values
        matrix: Floats = (self.vectors @ self.vectors.T).toarray()  # type: ignore[union-attr]
        return matrix

    @cached_property
    def average(self) -> float:
        """Return ACS; 0 for fewer than two categories.

        Of unit vectors u it is (|Σu|² − Σ|u|²) / (m(m − 1)), so that the cost is their terms, not m².
        """
        m = len(self.categories)
        if m < 2:
            return 0.0
        if self.values is not None:
            return float((self.values.sum() - np.trace(self.values)) / (m * (m - 1)))
        together = np.asarray(self.vectors.sum(axis=0)).ravel()  # type: ignore[union-attr]
        return float((together @ together - (self.vectors.data**2).sum()) / (m * (m - 1)))  # type: ignore[union-attr]

    def within(self, names: Iterable[str]) -> Similarity:
        """Keep the similarities of some of the categories; names without similarities are ignored."""
        kept = set(names)
        rows = np.array([i for i, name in enumerate(self.categories) if name in kept], np.int64)
        chosen = tuple(self.categories[i] for i in rows)
        if self.values is not None:
            return Similarity(chosen, values=self.values[np.ix_(rows, rows)])
        return Similarity(chosen, vectors=self.vectors[rows])  # type: ignore[index]


def category_vectors(X: Any, labels: Any, *, how: Literal["union", "sum"] = "union") -> Sparse:
    """Return one vector per category, from its documents: their `union` (1 for each term that occurs) or their `sum`.

    `X` is documents × terms, `labels` documents × categories. Cost: labels × terms of a document.
    """
    if how not in ("union", "sum"):
        raise UnknownName("way to join vectors", str(how), ("union", "sum"))
    rows, marks = sparse.csr_array(X, dtype=np.float64), canonical(labels)
    if rows.shape[0] != marks.shape[0]:
        raise InvalidInput(
            f"{rows.shape[0]} document vectors and labels of {marks.shape[0]} documents; give both of the same ones"
        )
    if how == "union":
        rows = sparse.csr_array((rows != 0).astype(np.float64))
    vectors = sparse.csr_array(marks.T.astype(np.float64) @ rows)
    vectors.eliminate_zeros()
    if how == "union":
        vectors.data[:] = 1.0
    return vectors


def category_similarity(
    X: Any,
    labels: Any,
    categories: Sequence[str],
    *,
    how: Literal["union", "sum"] = "union",
) -> Similarity:
    """Compare categories by the vectors of their documents (see `category_vectors`).

    A category without documents or terms is like no other: its similarities count as 0.

    >>> similarity = category_similarity([[1, 1, 0], [0, 1, 1]], [[1, 0], [0, 1]], ["corn", "wheat"])
    >>> round(similarity.average, 6), similarity.matrix().round(6).tolist()
    (0.5, [[1.0, 0.5], [0.5, 1.0]])
    """
    vectors = category_vectors(X, labels, how=how)
    lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    unit = sparse.csr_array(sparse.diags_array(scale) @ vectors)
    return Similarity(tuple(map(str, categories)), vectors=unit)


_REMEDY = "write a square table: 'category,corn,wheat' above, 'corn,1,.7' below it; half of it is enough"


def read_similarity(path: str | Path) -> Similarity:
    """Read a file like table 3 of sunlim2001; cells above or below the diagonal may be empty.

    Further rows, such as one with the average, are an error; an empty diagonal counts as 1.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise InvalidFile(f"cannot be read ({problem})", path=path, remedy="give a CSV file in UTF-8") from None
    rows = [(number, row) for number, row in enumerate(csv.reader(lines), 1) if any(map(str.strip, row))]
    names = [cell.strip() for cell in rows[0][1][1:]] if rows else []
    if not names or "" in names or len(set(names)) < len(names):
        raise InvalidFile("no header with the names of the categories", path=path, line=1, remedy=_REMEDY)
    values = np.full((len(names), len(names)), math.nan)
    for number, row in rows[1:]:
        if row[0].strip() not in names or len(row) > len(names) + 1:
            raise InvalidFile(f"a row for {row[0]!r} with {len(row)} cells", path=path, line=number, remedy=_REMEDY)
        for column, cell in enumerate(row[1:]):
            values[names.index(row[0].strip()), column] = _number(path, number, cell)
    return _symmetric(path, names, values)


def _number(path: Path, line: int, cell: str) -> float:
    try:
        return float(cell) if cell.strip() else math.nan
    except ValueError:
        raise InvalidFile(f"{cell!r} is not a number", path=path, line=line, remedy="write .7, or nothing") from None


def _symmetric(path: Path, names: list[str], values: Floats) -> Similarity:
    both = np.where(np.isnan(values), values.T, values)
    np.fill_diagonal(both, np.where(np.isnan(np.diag(both)), 1.0, np.diag(both)))
    if np.isnan(both).any():
        a, b = (names[i] for i in np.argwhere(np.isnan(both))[0])
        raise InvalidFile(f"no similarity of {a!r} and {b!r}", path=path, remedy=_REMEDY)
    try:
        return Similarity.of_matrix(both, names)
    except InvalidInput as problem:
        raise InvalidFile(str(problem), path=path, remedy=_REMEDY) from None


class Wrong(NamedTuple):
    """Wrong decisions of one kind: `rows[i]` is the document and `columns[i]` the category of the i-th.

    `others[k]` is a category that decision `items[k]` is compared with.
    """

    rows: Ints
    columns: Ints
    items: Ints
    others: Ints


def wrong_decisions(truth: Sparse, decided: Sparse) -> tuple[Wrong, Wrong]:
    """Return false positives beside the labels of their documents, false negatives beside what was assigned."""
    true, yes = canonical(truth), canonical(decided)
    both = true.multiply(yes)
    return _beside(yes > both, true), _beside(true > both, yes)


def _beside(wrong: Sparse, others: Sparse) -> Wrong:
    rows, columns = (part.astype(np.int64) for part in wrong.nonzero())
    starts = others.indptr.astype(np.int64)
    sizes = starts[rows + 1] - starts[rows]
    first = np.cumsum(sizes) - sizes
    places = np.arange(int(sizes.sum())) - np.repeat(first, sizes) + np.repeat(starts[rows], sizes)
    return Wrong(rows, columns, np.repeat(np.arange(len(rows)), sizes), others.indices[places].astype(np.int64))


class Nearness(Protocol):
    """Contributions between the categories of a run, given by their columns."""

    categories: tuple[str, ...]

    def between(self, a: Ints, b: Ints) -> Floats:
        """Return the contribution between columns a[i] and b[i], which is the same both ways."""
        ...


class ByDistance:
    """Nearness by links: 1 − dis(c', c)/disθ."""

    def __init__(self, where: Placed, acceptable: float) -> None:
        self.where, self.acceptable, self.categories = where, acceptable, where.categories

    def between(self, a: Ints, b: Ints) -> Floats:
        """Return the contributions; the cost is that of `hierarchy.distances`."""
        known = (self.where.nodes[a] >= 0) & (self.where.nodes[b] >= 0)
        contributions = np.zeros(len(a))
        far = distances(self.where.hierarchy, self.where.nodes[a[known]], self.where.nodes[b[known]])
        contributions[known] = 1 - far / self.acceptable
        return contributions


class BySimilarity:
    """Nearness by similarity: (CS(c', c) − ACS)/(1 − ACS)."""

    def __init__(self, similarity: Similarity, categories: Sequence[str]) -> None:
        self.similarity, self.categories = similarity, tuple(categories)
        rows = {name: row for row, name in enumerate(similarity.categories)}
        self.rows = np.array([rows.get(name, -1) for name in self.categories], np.int64)

    def between(self, a: Ints, b: Ints) -> Floats:
        """Return the contributions; the cost is that of `Similarity.pairs`."""
        known = (self.rows[a] >= 0) & (self.rows[b] >= 0)
        contributions, average = np.zeros(len(a)), self.similarity.average
        if 1 - average > 1e-12:
            alike = self.similarity.pairs(self.rows[a[known]], self.rows[b[known]])
            contributions[known] = (alike - average) / (1 - average)
        return contributions


def by_distance(
    hierarchy: Hierarchy, categories: Sequence[str], *, acceptable: float = 2.0, required: bool = True
) -> ByDistance:
    """Measure nearness by links; `acceptable` is disθ, the distance that contributes nothing (2 in the paper).

    Where no category is in the hierarchy, that is an error if one is `required`; else nothing contributes.
    """
    if not (acceptable > 0 and math.isfinite(acceptable)):
        raise InvalidInput(f"an acceptable distance of {acceptable}; give a number of links above 0, as 2")
    return ByDistance(placed(hierarchy, categories, required=required), float(acceptable))


def by_similarity(
    similarity: Similarity, categories: Sequence[str], *, hierarchy: Hierarchy | None = None, required: bool = True
) -> BySimilarity:
    """Measure nearness by similarity; ACS is that of the categories of the hierarchy, where one is given."""
    known = similarity if hierarchy is None else similarity.within(hierarchy.names)
    if required and len(categories) and not set(known.categories) & set(categories):
        raise InvalidInput("no category of the run has a similarity; give those of the same categories")
    return BySimilarity(known, categories)
