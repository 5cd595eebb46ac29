"""What several annotators said of the same documents, on one grid; a document that one of them skipped is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import ndtri

from rubricate.errors import InvalidInput
from rubricate.labels import indicator, label_matrix
from rubricate.native.measures import as_lists, sum_similarities
from rubricate.types import Bools, Decisions, Floats, Ints, Sparse

__all__ = [
    "COEFFICIENTS",
    "DISTANCES",
    "Agreement",
    "Annotations",
    "CategoryAgreement",
    "Coefficient",
    "Disagreement",
    "Ratings",
    "States",
    "agreement",
    "alpha_by_distance",
    "binary_coefficients",
    "category_states",
    "join_annotations",
    "nominal_coefficients",
    "set_distances",
]


@dataclass(frozen=True, eq=False)
class Annotations:
    """Labels of all annotators: `labels[a]` is documents × categories, `present` is documents × annotators."""

    documents: tuple[str, ...]
    categories: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[Sparse, ...]
    present: Bools

    def codes(self) -> tuple[Ints, Sparse]:
        """Return a number for the label set of each document and annotator (-1 missing), and the distinct sets."""
        # Only rows that were labelled count: else "not labelled" would be one more value, the empty set.
        labelled = np.flatnonzero(self.present.T.ravel())
        stacked = sparse.csr_array(sparse.vstack(self.labels, format="csr"))
        numbers, sets = _distinct_rows(sparse.csr_array(stacked[labelled]))
        units = np.full(stacked.shape[0], -1, np.int64)
        units[labelled] = numbers
        return units.reshape(len(self.annotators), -1).T.copy(), sets


def _distinct_rows(matrix: Sparse) -> tuple[Ints, Sparse]:
    """Number the distinct rows of a canonical boolean matrix; the rows come in the order of first occurrence."""
    numbers: dict[bytes, int] = {}
    items = matrix.indices.astype(np.int32, copy=False)
    starts = matrix.indptr.tolist()
    codes = np.empty(matrix.shape[0], np.int64)
    first: list[int] = []
    for row in range(len(codes)):
        key = items[starts[row] : starts[row + 1]].tobytes()
        number = numbers.setdefault(key, len(numbers))
        if number == len(first):
            first.append(row)
        codes[row] = number
    return codes, indicator(matrix[np.asarray(first, np.int64)])


def join_annotations(labels: Sequence[Any], *, names: Sequence[str] | None = None) -> Annotations:
    """Put the labels of several annotators on one grid of documents and categories.

    Parameters
    ----------
    labels : sequence of Decisions, or of label lists or matrices
        `Decisions` are joined by the ids of their documents; others must have the same documents in the same order.
    names : sequence of str, optional
        The annotators; A, B, C, … by default.
    """
    if len(labels) < 2:
        raise InvalidInput(f"agreement needs at least two annotators, got {len(labels)}; give one file for each")
    given = [part if isinstance(part, Decisions) else _numbered(part) for part in labels]
    categories = tuple(sorted(set().union(*(part.categories for part in given))))
    documents = tuple(dict.fromkeys(str(name) for part in given for name in part.documents))
    place = {name: row for row, name in enumerate(documents)}
    column = {name: c for c, name in enumerate(categories)}
    present = np.zeros((len(documents), len(given)), bool)
    matrices = []
    for a, part in enumerate(given):
        rows = np.array([place[str(name)] for name in part.documents], np.int64)
        columns = np.array([column[name] for name in part.categories], np.int64)
        present[rows, a] = True
        entries = part.values.tocoo()
        cells = (np.ones(entries.nnz, bool), (rows[entries.row], columns[entries.col]))
        matrices.append(indicator(sparse.csr_array(cells, shape=(len(documents), len(categories)))))
    if not (present.sum(axis=1) > 1).any():
        raise InvalidInput("no document was labelled by two annotators; check that the files use the same ids")
    everyone = tuple(names) if names is not None else tuple(_letters(len(given)))
    return Annotations(documents, categories, everyone, tuple(matrices), present)


def _numbered(labels: Any) -> Decisions:
    matrix, categories = label_matrix(labels)
    return Decisions(matrix, categories, tuple(str(row) for row in range(matrix.shape[0])))


def _letters(count: int) -> list[str]:
    return [chr(ord("A") + a) if a < 26 else f"annotator {a + 1}" for a in range(count)]


COEFFICIENTS = ("percent", "kappa", "alpha", "ac1")


@dataclass(frozen=True, eq=False)
class States:
    """States a document can be in for one category; `both` marks those that two annotators decided between them."""

    raters: Floats
    positives: Floats
    first: Floats
    second: Floats
    pair: bool


def _pair_states() -> States:
    """Return both: 00, 10, 01, 11; the first alone: 0, 1; the second alone: 0, 1."""
    raters = np.array([2, 2, 2, 2, 1, 1, 1, 1.0])
    first, second = np.array([0, 1, 0, 1, 0, 1, 0, 0.0]), np.array([0, 0, 1, 1, 0, 0, 0, 1.0])
    return States(raters, first + second, first, second, True)


def _count_states(annotators: int) -> States:
    pairs = [(r, k) for r in range(1, annotators + 1) for k in range(r + 1)]
    raters, positives = np.array(pairs, float).T
    return States(raters, positives, np.zeros(len(pairs)), np.zeros(len(pairs)), False)


def category_states(judged: Annotations) -> tuple[Ints, States]:
    """Return categories × states: how many documents are in each state, and what the states are. Cost: the labels."""
    count, wide = len(judged.annotators), len(judged.categories)
    raters = judged.present.sum(axis=1)
    if count == 2:
        code = judged.labels[0].astype(np.int64) + 2 * judged.labels[1].astype(np.int64)
        # Presence 3 (both) starts at state 0, 1 (the first alone) at 4, 2 (the second alone) at 6.
        presence = judged.present @ np.array([1, 2])
        offset = np.array([0, 4, 6, 0])
        states = _pair_states()
        step = np.array([0, 1, 1, 1])  # "the second alone said yes" has code 2 and is the state after its 0
    else:
        code = sum((labels.astype(np.int64) for labels in judged.labels[1:]), judged.labels[0].astype(np.int64))
        presence, states = raters, _count_states(count)
        offset = np.array([r * (r + 1) // 2 - 1 for r in range(count + 1)])
        step = np.zeros(0)
    cells = code.tocoo()
    value = cells.data if count != 2 else np.where(presence[cells.row] == 3, cells.data, step[cells.data])
    width = len(states.raters)
    place = cells.col * width + offset[presence[cells.row]] + value
    table = np.bincount(place.astype(np.int64), minlength=wide * width).reshape(wide, width).astype(np.int64)
    for kind in np.unique(presence[raters > 0]):
        rest = int((presence == kind).sum()) - np.bincount(cells.col[presence[cells.row] == kind], minlength=wide)
        table[:, offset[kind]] += rest
    return table, states


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(
        numerator,
        denominator,
        out=np.full(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)), np.nan),
        where=np.asarray(denominator) > 0,
    )


def binary_coefficients(table: Ints | Floats, states: States) -> dict[str, Floats]:
    """Return percent, kappa, alpha and AC1 of tables (…, states). NaN where chance agreement is certain (0/0).

    percent  mean share of agreeing pairs of annotators per document
    kappa    Cohen's for two annotators (cohen1960), Fleiss' for more (fleiss1971)
    alpha    Krippendorff's, nominal (krippendorff2004)
    ac1      Gwet's (gwet2008); like Fleiss' kappa with missing judgements as in gwet2014, chapter 2
    """
    x, r, k = np.asarray(table, float), states.raters, states.positives
    several = r > 1
    pairs = np.where(several, r * (r - 1), 1.0)
    agree = np.where(several, (k * (k - 1) + (r - k) * (r - k - 1)) / pairs, 0.0)
    percent = _ratio(x @ agree, x @ several.astype(float))
    share = _ratio(x @ (k / r), x.sum(axis=-1))
    judgements, yes = x @ (r * several), x @ (k * several)
    disagreement = x @ np.where(several, 2 * k * (r - k) / np.maximum(r - 1, 1), 0.0)
    alpha = 1 - _ratio(disagreement * (judgements - 1), 2 * yes * (judgements - yes))
    chance = 2 * share * (1 - share)
    if states.pair:
        both = x * several
        total = both.sum(axis=-1)
        a, b = _ratio(both @ states.first, total), _ratio(both @ states.second, total)
        expected = a * b + (1 - a) * (1 - b)
    else:
        expected = 1 - chance
    kappa = 1 - _ratio(1 - percent, np.where(expected < 1 - 1e-15, 1 - expected, 0.0))
    return {"percent": percent, "kappa": kappa, "alpha": alpha, "ac1": 1 - _ratio(1 - percent, 1 - chance)}


DISTANCES = ("jaccard", "masi")
BATCH = 1 << 24
"""Most cells of a batch of resampled counts, 128 MB."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Values given to documents: `units` is documents × annotators, -1 where one is missing; documents with any."""

    units: Ints
    values: int

    @property
    def raters(self) -> Ints:
        """How many annotators judged each document."""
        return (self.units >= 0).sum(axis=1)

    def table(self, columns: Any = slice(None)) -> Sparse:
        """Return documents × values: how many of the annotators (those of `columns`) gave each value."""
        part = self.units[:, columns].reshape(len(self.units), -1)
        rows, places = np.nonzero(part >= 0)
        shape = (len(self.units), self.values)
        return sparse.csr_array((np.ones(len(rows)), (rows, part[rows, places])), shape=shape)


def nominal_coefficients(ratings: Ratings, weights: Floats) -> dict[str, Floats]:
    """Return percent, kappa, fleiss, alpha and AC1 for each row of document weights (draws × documents).

    The formulas are those of `binary_coefficients`, with as many values as were given; kappa is Cohen's for two
    annotators and Fleiss' for more, fleiss is always Fleiss' (generalised Scott's pi).
    """
    r = ratings.raters.astype(float)
    table, several = ratings.table(), r > 1
    alike = np.asarray(table.multiply(table - _ones(table)).sum(axis=1)).ravel()
    agree = np.where(several, alike / np.where(several, r * (r - 1), 1), 0.0)
    shares = sparse.csr_array(sparse.diags_array(1 / np.maximum(r, 1)) @ table)
    pairable = sparse.csr_array(sparse.diags_array(several.astype(float)) @ table)
    with np.errstate(divide="ignore", invalid="ignore"):
        percent = weights @ agree / (weights @ several)
        pi = (weights @ shares) / (weights @ (r > 0))[:, None]
        same = (pi**2).sum(axis=1)
        judged = weights @ (r * several)
        counts = weights @ pairable
        expected = judged**2 - (counts**2).sum(axis=1)
        observed = weights @ np.where(several, (r * r - alike - r) / np.maximum(r - 1, 1), 0.0)
        values = max(ratings.values, 2)
        results = {
            "percent": percent,
            "fleiss": (percent - same) / (1 - same),
            "alpha": 1 - observed * (judged - 1) / expected,
            "ac1": 1 - (1 - percent) / (1 - (1 - same) / (values - 1)),
        }
        results["kappa"] = _cohen(ratings, weights) if ratings.units.shape[1] == 2 else results["fleiss"]
    return {name: np.where(np.isfinite(column), column, np.nan) for name, column in results.items()}


def _ones(table: Sparse) -> Sparse:
    return sparse.csr_array((np.ones_like(table.data), table.indices, table.indptr), shape=table.shape)


def _cohen(ratings: Ratings, weights: Floats) -> Floats:
    both = ratings.raters == 2
    alike = ratings.units[:, 0] == ratings.units[:, 1]
    total = weights @ both
    margins = [
        weights @ sparse.csr_array(sparse.diags_array(both.astype(float)) @ ratings.table([a])) / total[:, None]
        for a in (0, 1)
    ]
    expected = (margins[0] * margins[1]).sum(axis=1)
    return np.asarray((weights @ (both & alike) / total - expected) / (1 - expected))


def set_distances(left: Sparse, right: Sparse) -> dict[str, Floats]:
    """Return the Jaccard and MASI distance of each row of one boolean matrix to the same row of the other.

    MASI = 1 − |∩| / |∪| · m with m = 1 for equal sets, 2/3 where one holds the other, 1/3 where they overlap
    (passonneau2006). Two empty sets are equal.
    """
    common = np.asarray(left.multiply(right).sum(axis=1), float).ravel()
    a, b = (np.asarray(side.sum(axis=1), float).ravel() for side in (left, right))
    union = a + b - common
    jaccard = np.where(union > 0, common / np.maximum(union, 1), 1.0)
    kind = np.where(common == union, 1.0, np.where(common == np.minimum(a, b), 2 / 3, 1 / 3))
    return {"jaccard": 1 - jaccard, "masi": 1 - jaccard * kind}


def alpha_by_distance(units: Ints, sets: Sparse) -> dict[str, tuple[float, float]]:
    """Return Krippendorff's alpha and its standard error for label sets, by distance.

    α = 1 − O (n − 1) / (n² − cᵀSc), where O = Σ over documents of the distances of its pairs · 2 / (r − 1), n the
    judgements of documents with at least two, c how often each set was given there and S the similarities of sets. The
    standard error is the infinitesimal jackknife over documents: a bootstrap would need all pairs of sets in each draw.
    NaN where all judgements are equal.
    """
    r = (units >= 0).sum(axis=1)
    units, r = units[r > 1], r[r > 1].astype(float)
    n = float(r.sum())
    counts = np.bincount(units[units >= 0], minlength=sets.shape[0]).astype(float)
    similar = _similar(sets, counts)
    observed = {name: np.zeros(len(units)) for name in DISTANCES}
    for i, j in combinations(range(units.shape[1]), 2):
        both = (units[:, i] >= 0) & (units[:, j] >= 0)
        for name, distance in set_distances(sets[units[both, i]], sets[units[both, j]]).items():
            observed[name][both] += distance * 2 / (r[both] - 1)
    results = {}
    for place, name in enumerate(DISTANCES):
        near, own = similar[:, place], observed[name]
        total, spread = float(own.sum()), float(n * n - counts @ near)
        if spread <= 1e-9 * n:
            results[name] = (np.nan, np.nan)
            continue
        reach = np.where(units >= 0, near[units], 0.0).sum(axis=1)
        slope = own * (n - 1) + total * r - total * (n - 1) * 2 * (n * r - reach) / spread
        error = float(np.sqrt(((slope / spread) ** 2).sum()))
        results[name] = (1 - total * (n - 1) / spread, error)
    return results


def _similar(sets: Sparse, counts: Floats) -> Floats:
    """Return Σ_j c_j s(i, j) for each set and distance; the empty set is like itself alone."""
    filled = np.flatnonzero(np.diff(sets.indptr) > 0)
    rows = sparse.csr_array(sets[filled]).sorted_indices()
    turned = sparse.csr_array(rows.T)
    similar = np.repeat(counts[:, None], len(DISTANCES), axis=1)
    if len(filled):
        similar[filled] = sum_similarities(as_lists(rows), as_lists(turned), counts[filled])
    return similar


FEWEST, WORK = 200, 20_000_000
"""Most resampled patterns of the label sets, 2 s; of many patterns fewer draws are taken, but not below FEWEST."""


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement with its interval; NaN where it is 0/0."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class CategoryAgreement:
    """Agreement on one category; `low` and `high` enclose alpha."""

    category: str
    percent: float
    kappa: float
    alpha: float
    ac1: float
    low: float
    high: float


@dataclass(frozen=True)
class Disagreement:
    """A document that was labelled differently: what each annotator said (None: not labelled), and the distance."""

    document: str
    labels: Mapping[str, tuple[str, ...] | None]
    distance: float


@dataclass(frozen=True, eq=False)
class Agreement:
    """What `agreement` found.

    `overall` treats each distinct label set as one value: percent, kappa (Cohen's for two annotators, Fleiss' for
    more), fleiss, alpha, ac1; and alpha_jaccard and alpha_masi, for which label sets are more or less alike.
    """

    annotators: tuple[str, ...]
    documents: int
    level: float
    overall: Mapping[str, Coefficient]
    categories: tuple[CategoryAgreement, ...]
    disagreements: tuple[Disagreement, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it; NaN becomes None."""
        estimates = {name: _plain(value.estimate) for name, value in self.overall.items()}
        ends = {name: [_plain(value.low), _plain(value.high)] for name, value in self.overall.items()}
        whole: dict[str, Any] = {**estimates, "low": ends["alpha"][0], "high": ends["alpha"][1], "intervals": ends}
        rows = [{name: _plain(cell) for name, cell in asdict(row).items()} for row in self.categories]
        split = [asdict(item) for item in self.disagreements]
        facts = {"annotators": list(self.annotators), "documents": self.documents, "level": self.level}
        return {**facts, "overall": whole, "categories": rows, "disagreements": split}


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value


def agreement(
    labels: Sequence[Any],
    *,
    names: Sequence[str] | None = None,
    draws: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    disagreements: int = 20,
) -> Agreement:
    """Measure how far annotators agree.

    Parameters
    ----------
    labels : sequence of Decisions, label lists or matrices
        One per annotator; `join_annotations` says how they are joined. Documents that an annotator lacks are missing.
    names : sequence of str, optional
        The annotators.
    draws, level, seed
        Resamples of the documents, confidence of the intervals, and seed.
    disagreements : int
        How many documents to list that were labelled differently, the most different first.

    >>> found = agreement([["a", "b", "b", "a"], ["a", "b", "a", "a"]], draws=100)
    >>> found.overall["percent"].estimate, round(found.overall["kappa"].estimate, 4)
    (0.75, 0.5)
    """
    if not 0 < level < 1:
        raise InvalidInput(f"a confidence level lies between 0 and 1, got {level}; .95 is usual")
    judged = join_annotations(labels, names=names)
    units, sets = judged.codes()
    rng = np.random.default_rng(seed)
    table, states = category_states(judged)
    return Agreement(
        annotators=judged.annotators,
        documents=int((judged.present.sum(axis=1) > 1).sum()),
        level=level,
        overall=_overall(units, sets, draws, level=level, rng=rng),
        categories=_categories(judged.categories, table, states, draws=draws, level=level, rng=rng),
        disagreements=_disagreements(judged, units, sets, disagreements),
    )


def _ends(drawn: Floats, level: float) -> tuple[float, float]:
    """Return the percentile interval, draws that are 0/0 left out."""
    kept = drawn[np.isfinite(drawn)]
    if not len(kept):
        return np.nan, np.nan
    tail = (1 - level) / 2
    low, high = np.quantile(kept, [tail, 1 - tail])
    return float(low), float(high)


def _overall(
    units: Ints, sets: Sparse, draws: int, *, level: float, rng: np.random.Generator
) -> dict[str, Coefficient]:
    # Documents with the same judgements are one pattern, drawn as often as a multinomial says: the same bootstrap.
    patterns, sizes = np.unique(units, axis=0, return_counts=True)
    ratings = Ratings(patterns, sets.shape[0])
    estimates = nominal_coefficients(ratings, sizes[None, :].astype(float))
    draws = min(draws, max(FEWEST, WORK // len(sizes)))
    batch = max(1, BATCH // max(len(sizes), sets.shape[0]))
    parts = []
    for start in range(0, draws, batch):
        counts = rng.multinomial(sizes.sum(), sizes / sizes.sum(), min(batch, draws - start))
        parts.append(nominal_coefficients(ratings, counts.astype(float)))
    results = {}
    for name in ("percent", "kappa", "fleiss", "alpha", "ac1"):
        drawn = np.concatenate([part[name] for part in parts]) if parts else np.zeros(0)
        results[name] = Coefficient(float(estimates[name][0]), *_ends(drawn, level))
    z = float(ndtri(0.5 + level / 2))
    for name, (value, error) in alpha_by_distance(units, sets).items():
        results[f"alpha_{name}"] = Coefficient(value, value - z * error, min(1.0, value + z * error))
    return results


def _categories(
    names: Sequence[str], table: Ints, states: States, *, draws: int, level: float, rng: np.random.Generator
) -> tuple[CategoryAgreement, ...]:
    values = binary_coefficients(table, states)
    rows = []
    for c, name in enumerate(names):
        own = table[c]
        drawn = rng.multinomial(own.sum(), own / own.sum(), draws)
        low, high = _ends(binary_coefficients(drawn, states)["alpha"], level)
        own_values = {key: float(values[key][c]) for key in COEFFICIENTS}
        rows.append(CategoryAgreement(name, low=low, high=high, **own_values))
    return tuple(rows)


def _disagreements(judged: Annotations, units: Ints, sets: Sparse, most: int) -> tuple[Disagreement, ...]:
    """Return the documents with different label sets, by the mean MASI distance of their pairs of annotators."""
    total, pairs = np.zeros(len(units)), np.zeros(len(units))
    for i in range(units.shape[1]):
        for j in range(i):
            both = np.flatnonzero((units[:, i] >= 0) & (units[:, j] >= 0))
            total[both] += set_distances(sets[units[both, i]], sets[units[both, j]])[DISTANCES[1]]
            pairs[both] += 1
    distance = np.divide(total, pairs, out=np.zeros(len(units)), where=pairs > 0)
    order = np.argsort(-distance, kind="stable")[:most]
    return tuple(
        Disagreement(judged.documents[row], _labels_given(judged, int(row)), float(distance[row]))
        for row in order
        if distance[row] > 0
    )


def _labels_given(judged: Annotations, row: int) -> dict[str, tuple[str, ...] | None]:
    labels: dict[str, tuple[str, ...] | None] = {}
    for a, name in enumerate(judged.annotators):
        own = judged.labels[a]
        columns = own.indices[own.indptr[row] : own.indptr[row + 1]]
        labels[name] = tuple(judged.categories[c] for c in columns) if judged.present[row, a] else None
    return labels
