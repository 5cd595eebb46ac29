"""How many documents do I need? The estimate at growing sizes, and a power law through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from scipy.special import stdtrit

from rubricate.errors import InvalidInput
from rubricate.estimation.results import MEASURES, Estimate, names_for
from rubricate.estimation.xi_alpha import xi_alpha
from rubricate.folds import take_rows
from rubricate.labels import indicator
from rubricate.types import AnyClassifier, Floats, Ints, Sparse

__all__ = ["Forecast", "LearningCurve", "forecast", "learning_curve"]

Law: TypeAlias = tuple[float, float, float]
"""a, b and c of a + b n^−c."""

RESAMPLES = 200
REACH = 0.67
"""The part of the way from the law to what is possible that curves went at most, on six corpora."""
EXPONENTS = np.arange(0.05, 2.001, 0.01)
"""The c that a law may have."""


@dataclass(frozen=True)
class Forecast:
    """A measure expected at some number of documents, with an interval."""

    measure: str
    documents: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Estimates at growing sizes: `values[measure]` is sizes × draws × (categories + 1), the last the micro-average."""

    sizes: Ints
    categories: tuple[str, ...]
    values: dict[str, Floats] = field(default_factory=dict)

    def column(self, category: str | None) -> int:
        """Return the place of a category; that of the micro-average for None."""
        if category is None:
            return len(self.categories)
        if category not in self.categories:
            raise InvalidInput(f"no category {category!r} in the curve; it has {', '.join(self.categories[:10])}")
        return self.categories.index(category)

    def mean(self, measure: str = "f1", category: str | None = None) -> Floats:
        """Return the mean over the draws at each size."""
        return np.asarray(self.values[measure][:, :, self.column(category)].mean(axis=1))

    def at(
        self,
        documents: int,
        *,
        measure: str = "f1",
        category: str | None = None,
        level: float = 0.95,
        seed: int = 0,
    ) -> Forecast:
        """Return what to expect of so many documents; `forecast` says how."""
        points = self.values[measure][:, :, self.column(category)]
        value, low, high = forecast(self.sizes, points, documents, falling=measure == "error", level=level, seed=seed)
        return Forecast(measure, documents, value, low, high)

    def needed(self, gain: float, *, measure: str = "f1", category: str | None = None) -> int | None:
        """Return how many documents, by the law of `forecast`, make the measure better by `gain` than all have now.

        None where the law never gets there. It is where the law passes the mark, without an interval; `at` has one.

        >>> sizes = np.array([100, 200, 400, 800])
        >>> LearningCurve(sizes, (), {"error": (2 / sizes**0.5).reshape(4, 1, 1)}).needed(0.02, measure="error")
        1556
        """
        points = self.values[measure][:, :, self.column(category)]
        grid, flat = np.repeat(self.sizes.astype(float), points.shape[1]), points.ravel()
        a, b, c = _fit(grid, flat if measure == "error" else 1 - flat)
        wanted = _law(float(self.sizes[-1]), (a, b, c)) - gain
        if wanted <= a or b <= 0:
            return None
        return int(np.ceil((b / (wanted - a)) ** (1 / c)))


def learning_curve(
    classifier: AnyClassifier,
    X: Any,
    labels: Sparse,
    *,
    sizes: Sequence[int] | None = None,
    draws: int = 3,
    categories: Any = None,
    estimator: Callable[..., Estimate] = xi_alpha,
    seed: int = 0,
    **options: Any,
) -> LearningCurve:
    """Estimate at growing sizes, on `draws` random subsets of the documents, each size within the next.

    By default six sizes from n/32 to n, each twice the one before. `estimator` is any of this package; ξα costs two
    trainings per draw, as the sizes halve. A category that a subset lacks has recall and F1 0 there. With
    `single=True` every document has one label and gets its best category: the averaged F1 is the accuracy, and the
    averaged error the share of documents that get a wrong one.
    """
    labels = indicator(labels)
    n = labels.shape[0]
    wanted = sorted({int(s) for s in sizes}) if sizes is not None else sorted({n >> k for k in range(6)} - {0, 1})
    if not wanted or wanted[0] < 2 or wanted[-1] > n:
        raise InvalidInput(f"sizes must be from 2 to the {n} documents there are, got {list(sizes or ())}")
    names = names_for(categories, labels.shape[1])
    values = {name: np.zeros((len(wanted), draws, len(names) + 1)) for name in MEASURES}
    for draw in range(draws):
        order = np.random.default_rng([seed, draw]).permutation(n)
        for k, size in enumerate(wanted):
            some = np.sort(order[:size])
            result = estimator(classifier, take_rows(X, some), labels[some], categories=names, **options)
            for name in MEASURES:
                values[name][k, draw] = [*getattr(result, name), result.micro[name]]
            if result.accuracy is not None:
                values["error"][k, draw, -1] = 1 - result.accuracy
    return LearningCurve(np.array(wanted), names, values)


def _law(n: Any, law: Law) -> Any:
    """Return a + b n^−c: what is left when documents abound, and how fast the rest goes."""
    return law[0] + law[1] * np.power(n, -law[2])


def _fit(sizes: Floats, points: Floats) -> Law:
    """Fit the law nearest to the points by weighted least squares: 0 <= a <= 1, b >= 0, c of `EXPONENTS`.

    A point of n documents weighs n, as the variance of such an estimate goes with 1/n. For each c a line through
    (n^−c, point); where a or b leave their range, the best with one of them at its end.
    """
    weights, x = sizes / sizes.sum(), sizes[None, :] ** -EXPONENTS[:, None]
    mean_x, mean = x @ weights, points @ weights
    spread = (x - mean_x[:, None]) ** 2 @ weights
    b = np.maximum((x - mean_x[:, None]) @ (weights * (points - mean)) / np.where(spread > 0, spread, 1), 0.0)
    a = mean - b * mean_x
    ends = np.clip(a, 0.0, 1.0)
    pinned = np.maximum((x * (points[None, :] - ends[:, None])) @ weights / (x**2 @ weights), 0.0)
    b, a = np.where(a != ends, pinned, b), ends
    best = int(np.argmin((a[:, None] + b[:, None] * x - points) ** 2 @ weights))
    return float(a[best]), float(b[best]), float(EXPONENTS[best])


def forecast(
    sizes: Any, points: Any, documents: int, *, falling: bool = False, level: float = 0.95, seed: int = 0
) -> tuple[float, float, float]:
    """Return (value, low, high) at so many documents by the inverse power law a + b n^−c through the points.

    `points` are sizes × draws; measures where more is better are fitted as 1 − value. Values are kept within [0, 1].

    The interval is for the estimate that so many documents will give, not for the law alone. What is possible comes
    from three doubts: which law (from no further progress beyond the largest size, to progress without end, b n^−c with
    a = 0), how well the points fix it (the central `level` of laws fitted to residuals, times √n, drawn anew), and the
    noise of the estimate to come (the residuals again, over √documents). The interval goes `REACH` of the way from the
    law to that: as far as any real curve did whose later half was hidden (docs/guides/few-labels.md). Where a draw is
    still at zero at the largest size, the curve has hardly begun, and the interval reaches up to 1.
    """
    points = np.atleast_2d(np.asarray(points, float).T).T
    if len(points) < 3:
        raise InvalidInput(f"an extrapolation from {len(points)} sizes; give at least 3")
    grid = np.repeat(np.asarray(sizes, float), points.shape[1])
    flat = (points if falling else 1 - points).ravel()
    if not falling and flat.min() >= 1:
        return 0.0, 0.0, 1.0  # a curve that is still at zero does not say where it will go once it begins
    law = _fit(grid, flat)
    rest, rng = (flat - _law(grid, law)) * np.sqrt(grid), np.random.default_rng(seed)
    drawn = []
    for _ in range(RESAMPLES):
        again = _law(grid, law) + rng.choice(rest, len(rest)) / np.sqrt(grid)
        drawn.append(_law(documents, _fit(grid, again)))
    tail = 100 * (1 - level) / 2
    low, high = np.percentile(drawn, [tail, 100 - tail])
    last = flat[grid == grid.max()].mean()
    low, high = min(low, _endless(grid, flat, documents)), max(high, last)
    noise = float(stdtrit(max(len(rest) - 3, 1), 0.5 + level / 2) * np.sqrt((rest**2).mean() / documents))
    value, least, most = np.clip([_law(documents, law), low - noise, high + noise], 0, 1)
    low, high = value - REACH * (value - least), value + REACH * (most - value)
    if not falling and (flat[grid == grid.max()] >= 1).any():
        low = 0.0  # a draw that has not begun at the largest size: the others do not say how fast it will rise
    value, low, high = (value, low, high) if falling else (1 - value, 1 - high, 1 - low)
    return float(value), float(low), float(high)


def _endless(sizes: Floats, points: Floats, documents: int) -> float:
    """Return the least error that progress without end would reach: the better of two lines through the later half.

    Logarithms of the errors over log n (a power law without floor), and logits (a curve that has just begun to rise
    gains speed before it slows down, which no power law does).
    """
    later = sizes >= np.median(np.unique(sizes))
    x, errors = np.log(sizes[later]), np.clip(points[later], 1e-9, 1.0)
    ahead = np.log(documents) - x.mean()
    kept = np.clip(errors, 0.01, 0.99)
    ends = []
    for y in (np.log(errors), np.log(kept / (1 - kept))):
        spread = float(((x - x.mean()) ** 2).sum())
        slope = min(float(((x - x.mean()) * (y - y.mean())).sum()) / spread, 0.0) if spread > 0 else 0.0
        ends.append(float(y.mean() + slope * ahead))
    return min(float(np.exp(ends[0])), float(1 / (1 + np.exp(-ends[1]))))
