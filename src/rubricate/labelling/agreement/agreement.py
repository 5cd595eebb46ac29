"""`agreement`: how far annotators agree, per category and on whole label sets, with intervals and disagreements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from rubricate.errors import InvalidInput
from rubricate.labelling.agreement.annotations import Annotations, join_annotations
from rubricate.labelling.agreement.binary import COEFFICIENTS, States, binary_coefficients, category_states
from rubricate.labelling.agreement.label_sets import (
    BATCH,
    DISTANCES,
    Ratings,
    alpha_by_distance,
    nominal_coefficients,
    set_distances,
)
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Agreement", "CategoryAgreement", "Coefficient", "Disagreement", "agreement"]

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
        Disagreement(judged.documents[row], _said(judged, int(row)), float(distance[row]))
        for row in order
        if distance[row] > 0
    )


def _said(judged: Annotations, row: int) -> dict[str, tuple[str, ...] | None]:
    labels: dict[str, tuple[str, ...] | None] = {}
    for a, name in enumerate(judged.annotators):
        own = judged.labels[a]
        columns = own.indices[own.indptr[row] : own.indptr[row + 1]]
        labels[name] = tuple(judged.categories[c] for c in columns) if judged.present[row, a] else None
    return labels
