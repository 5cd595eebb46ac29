"""Exchange the answers of two systems on each document with chance 1/2: the tails of the difference of a measure.

Documents whose exchange has the same effect on the counts, or the opposite one, are one pattern; from the midpoint of
both systems the difference d of mean F1 is an odd function of the deviations δ_g = k_g − n_g/2, where k_g of n_g
documents are exchanged, k_g ~ Bin(n_g, 1/2). Hence p = 2·P(d* >= |d|).

The exact tail counts all outcomes, the plain one draws them. The normal tail takes d as linear in δ: d ≈ Σ w_g δ_g with
variance Σ w_g² n_g / 4. Tilted draws take k_g ~ Bin(n_g, 1/(1 + exp(−θ w_g))) with θ such that d is expected, so that
half of the draws are as far off, and weigh each by its likelihood ratio; the p-value (w_observed + Σ w·hit)/(m + 1) is
valid for any number m of draws. harrison2012, equation 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse, special
from scipy.optimize import brentq

from rubricate.engines import run_tasks
from rubricate.measures.definition import ratio
from rubricate.measures.resampling import binomial_draws, sum_rows, weighted_sums
from rubricate.significance.statistics import binomial_tail
from rubricate.types import Bools, Floats, Ints, Sparse, Undefined

__all__ = [
    "Exchanges",
    "SwapFamily",
    "SwapOutcome",
    "SwapPair",
    "count_outcomes",
    "exact_tail",
    "f1_slopes",
    "holm_lines",
    "mean_f1",
    "normal_tail",
    "plain_tail",
    "tilted_tail",
]

MAX_TILT = 1e6
"""Largest tilt, in units of 1/standard deviation: beyond it the observed difference is the largest possible one."""


class Exchanges(NamedTuple):
    """What an exchange on one document of each pattern adds to the TP and the assigned labels of a, and takes from b's.

    One column for each category, or one for all of them.
    """

    tp: Any
    assigned: Any


@dataclass(frozen=True, eq=False)
class SwapPair:
    """The patterns of two systems: documents `n`, those in the first orientation `k`, and the effects of exchanges.

    `middle_tp` and `middle_sum` are the means of both systems: TP, and true + assigned labels.
    """

    n: Ints
    k: Ints
    effects: Exchanges
    middle_tp: Floats
    middle_sum: Floats
    undefined: Undefined = "zero"

    def differences(self, k: Ints) -> Floats:
        """Return the difference of mean F1, a − b, if `k[b, g]` documents of pattern g have the first orientation."""
        tp, assigned = (sums / 2 for sums in weighted_sums(self.effects, 2 * k - self.n))
        first = mean_f1(self.middle_tp + tp, self.middle_sum + assigned, self.undefined)
        return first - mean_f1(self.middle_tp - tp, self.middle_sum - assigned, self.undefined)

    def is_far(self, k: Ints, far: float) -> Bools:
        """Return which differences are `far` or more from 0; those within 10⁻¹² are ties, and one left out is far."""
        return np.asarray(~(np.abs(self.differences(k)) < far - 1e-12))

    def slopes(self) -> Floats:
        """Return w: how much the difference changes with each deviation, at the midpoint."""
        return f1_slopes(self.effects, self.middle_tp, self.middle_sum)


def mean_f1(tp: Floats, both: Floats, undefined: Undefined) -> Floats:
    """Return the mean of F1 = 2TP / (A + T) over the last axis; 0/0 counts as `undefined`, `both` is A + T."""
    values = ratio(2 * tp, both, undefined)
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1), undefined)


def f1_slopes(effects: Exchanges, middle_tp: Floats, middle_sum: Floats) -> Floats:
    """Return how much mean F1(a) − F1(b) changes if a gains and b loses what each row of the effects has."""
    inverse = np.divide(1.0, middle_sum, out=np.zeros_like(middle_sum), where=middle_sum > 0)
    tp, assigned = effects
    return np.asarray(4 / len(middle_sum) * (tp @ inverse - assigned @ (middle_tp * inverse**2)))


def count_outcomes(n: Ints) -> float:
    """Return how many outcomes there are: of n documents of a pattern 0 to n can be exchanged."""
    return math.prod((n + 1.0).tolist())


def exact_tail(pair: SwapPair, far: float) -> float:
    """Return the two-sided p-value from all outcomes. Cost: outcomes × patterns."""
    outcomes = np.array(list(product(*(range(int(size) + 1) for size in pair.n))), np.int64)
    chances = np.ones(len(outcomes))
    for g, size in enumerate(int(size) for size in pair.n):
        chances *= np.array([math.comb(size, k) / 2**size for k in range(size + 1)])[outcomes[:, g]]
    return min(1.0, float(chances[pair.is_far(outcomes, far)].sum()))


def plain_tail(pair: SwapPair, far: float, *, draws: int, rng: np.random.Generator) -> float:
    """Return the two-sided p-value from plain draws, with the observation as one more."""
    blocks = binomial_draws(pair.n, draws, rng=rng, columns=len(pair.middle_sum))
    return (1 + sum(int(pair.is_far(k, far).sum()) for k in blocks)) / (1 + draws)


def normal_tail(difference: float, variance: float) -> float:
    """Return the two-sided p-value of the linear approximation; 1 if no document differs in effect."""
    return float(2 * special.ndtr(-abs(difference) / math.sqrt(variance))) if variance > 0 else 1.0


def tilted_tail(pair: SwapPair, far: float, *, draws: int, rng: np.random.Generator) -> float:
    """Return the two-sided p-value by importance sampling; differences within 10⁻¹² are ties."""
    w, n = pair.slopes(), pair.n
    if far < 1e-12 or not (w != 0).any():
        return 1.0
    theta = _tilt(w, n, far)
    cumulant = float((n * (np.logaddexp(theta * w / 2, -theta * w / 2) - math.log(2))).sum())
    total = math.exp(min(cumulant - theta * abs(float((pair.k - n / 2) @ w)), 0.0))
    for k in binomial_draws(n, draws, rng=rng, chance=special.expit(theta * w), columns=len(pair.middle_sum)):
        hit = pair.differences(k) >= far - 1e-12
        total += float(np.exp(np.minimum(cumulant - theta * ((k[hit] - n / 2) @ w), 50.0)).sum())
    return min(1.0, 2 * total / (draws + 1))


def _tilt(w: Floats, n: Ints, far: float) -> float:
    """Return θ with expected linear difference `far`: Σ n w/2 · tanh(θ w/2) = far; the largest if there is none."""
    sd2 = float((w**2 * n).sum()) / 4

    def shortfall(theta: float) -> float:
        return float((n * w / 2 * np.tanh(theta * w / 2)).sum()) - far

    high = far / sd2
    while shortfall(high) < 0:
        high *= 2
        if high > MAX_TILT / math.sqrt(sd2):
            return high
    return float(brentq(shortfall, 0.0, high, xtol=1e-9 * high))


MIN_DIFFERING = 500
"""Differing documents below which a normal tail is not trusted and draws are made."""

MAX_PAIRS = 50
"""Pairs up to which every one is drawn on micro-F1; more are many."""

NEAR, NEAR_OF_MANY = 30.0, 5.0
"""Factor around Holm's line within which a normal tail is not trusted: on 1,128 pairs of 50,000 tweets it was off by at
most 1.4 there, and by more only far from the line. The factor for many pairs is three times as far as it was ever
off."""

FAR = 1_000.0
"""Factor around Holm's line from which on a pair of many is clear even if few documents differ: hundreds of systems
make more pairs than can all be drawn. By Hoeffding's inequality the tail of a sum of signs is at most z√(2π) times the
normal one, 20 times at z = 8. With up to MAX_PAIRS every such pair is drawn."""

DRAWS, MIN_DRAWS, MAX_BINOMIALS = 2_000, 500, 4_000_000
"""Tilted draws per pair: a relative error of about 4 %, where 22,560 plain draws have 20 % at p = .001. With so many
patterns that they cost more than MAX_BINOMIALS fewer are made, but not below MIN_DRAWS: about 8 %. Of many pairs each
gets MIN_DRAWS, and only those within a factor of CLOSE of the line get DRAWS."""

CLOSE = 1.5

MAX_OUTCOMES = 9_999
"""Outcomes up to which all of them are counted."""

MAX_SERIAL_PAIRS = 8
"""Pairs up to which threads cost more than they gain."""

LEVEL = 0.05


class SwapOutcome(NamedTuple):
    """The p-value of a pair, both values of the measure, the documents that differ, and how p was found."""

    p_value: float
    of_a: float
    of_b: float
    n: int
    method: str


class SwapFamily:
    """All systems of a collection beside one truth; `measure` is micro_f1, macro_f1 or accuracy.

    Each document of each system has a code for what the system adds to the counts there. Two codes tell what an
    exchange changes, so that a pair of systems is a table of codes × codes instead of documents.
    """

    def __init__(self, truth: Sparse, decided: Sequence[Sparse], *, measure: str, known: int) -> None:
        self.measure, self.known = measure, known
        self.true = np.bincount(truth.indices, minlength=truth.shape[1])[:known].astype(np.float64)
        hits = [sparse.csr_array(yes.multiply(truth)) for yes in decided]
        if measure == "macro_f1":
            self._by_category(hits, decided)
        elif measure == "micro_f1":
            self._pooled(hits, decided)
        else:
            self._exact(truth, hits, decided)

    def _by_category(self, hits: Sequence[Sparse], decided: Sequence[Sparse]) -> None:
        """Mark each document of each system by a sum of random numbers, so that differences tell patterns apart."""
        numbers = np.random.default_rng(1999).integers(-(2**61), 2**61, (2, hits[0].shape[1]), dtype=np.int64)
        numbers[:, self.known :] = 0
        marks = [
            sum_rows(h, numbers[0, h.indices]) + sum_rows(a, numbers[1, a.indices])
            for h, a in zip(hits, decided, strict=True)
        ]
        self._coded(marks, hits, decided)
        self.answers = self.codes
        self.tp = [_columns(h, self.known) for h in hits]
        self.assigned = [_columns(a, self.known) for a in decided]

    def _pooled(self, hits: Sequence[Sparse], decided: Sequence[Sparse]) -> None:
        of_hits, of_answers = ([np.diff(part.indptr).astype(np.int64) for part in parts] for parts in (hits, decided))
        marks = [h * 1_000_003 + a for h, a in zip(of_hits, of_answers, strict=True)]
        numbers = np.random.default_rng(1999).integers(-(2**61), 2**61, hits[0].shape[1], dtype=np.int64)
        # Answers can differ though their numbers do not: such a document is one on which the systems disagree.
        self.answers = [sum_rows(a, numbers[a.indices]) for a in decided]
        self.known = 1
        self._coded(marks, *([sparse.csr_array(part[:, None]) for part in parts] for parts in (of_hits, of_answers)))
        self.tp = [np.array([float(h.sum())]) for h in of_hits]
        self.assigned = [np.array([float(a.sum())]) for a in of_answers]
        self.true = np.array([float(self.true.sum())])

    def _coded(self, marks: Sequence[Ints], hits: Sequence[Sparse], decided: Sequence[Sparse]) -> None:
        """Number the distinct marks of all systems, and keep what a document of each number adds to the counts."""
        own = [np.unique(each, return_index=True, return_inverse=True) for each in marks]
        self.marks, first, codes = np.unique(
            np.concatenate([distinct for distinct, _, _ in own]), return_index=True, return_inverse=True
        )
        ends = np.cumsum([len(distinct) for distinct, _, _ in own])
        parts = np.split(codes.ravel().astype(np.int32), ends[:-1])
        self.codes = [part[inverse.ravel()] for part, (_, _, inverse) in zip(parts, own, strict=True)]
        system = np.searchsorted(ends, first, side="right")
        rows = np.concatenate([index for _, index, _ in own])[first]
        self.adds = Exchanges(*(_stacked(matrices, system, rows)[:, : self.known] for matrices in (hits, decided)))

    def _exact(self, truth: Sparse, hits: Sequence[Sparse], decided: Sequence[Sparse]) -> None:
        labels = np.diff(truth.indptr)
        self.right = [
            ((np.diff(h.indptr) == labels) & (np.diff(a.indptr) == labels)).astype(np.int8)
            for h, a in zip(hits, decided, strict=True)
        ]

    def value(self, system: int) -> float:
        """Return the measure of a system; 0/0 counts as 0."""
        if self.measure == "accuracy":
            return float(self.right[system].mean()) if len(self.right[system]) else 0.0
        return float(mean_f1(self.tp[system], self.true + self.assigned[system], "zero"))

    def _middle(self, a: int, b: int) -> tuple[Floats, Floats]:
        """Return the means of both systems: TP, and true + assigned labels."""
        return (self.tp[a] + self.tp[b]) / 2, (self.assigned[a] + self.assigned[b]) / 2 + self.true

    def pair(self, a: int, b: int) -> SwapPair:
        """Return the merged patterns of two systems; each has the orientation of its first document."""
        codes_a, codes_b, counts = self._joint(a, b)
        change = self.marks[codes_a] - self.marks[codes_b]
        _, first, group = np.unique(np.abs(change), return_index=True, return_inverse=True)
        group = group.ravel()
        n = np.bincount(group, weights=counts, minlength=len(first)).astype(np.int64)
        same = change == change[first][group]
        k = np.bincount(group, weights=counts * same, minlength=len(first)).astype(np.int64)
        effects = Exchanges(*(part[codes_a[first]] - part[codes_b[first]] for part in self.adds))
        return SwapPair(n, k, effects, *self._middle(a, b))

    def _joint(self, a: int, b: int) -> tuple[Ints, Ints, Ints]:
        """Return the different codes that documents have in both systems, in the order of the documents, and counts."""
        size = len(self.marks)
        key = self.codes[a].astype(np.int64) * size + self.codes[b]
        cells, first, counts = np.unique(key, return_index=True, return_counts=True)
        order = np.argsort(first, kind="stable")
        codes_a, codes_b = np.divmod(cells[order], size)
        differ = codes_a != codes_b
        return codes_a[differ], codes_b[differ], counts[order][differ]

    def test(
        self, pairs: Sequence[tuple[int, int]], *, seed: int = 0, advance: Callable[[int], None] = lambda steps: None
    ) -> list[SwapOutcome]:
        """Test the pairs, two-sided; `advance` is told of each pair that is done."""
        engine, many = "threads" if len(pairs) > MAX_SERIAL_PAIRS else "serial", len(pairs) > MAX_PAIRS
        first = self._sign_test if self.measure == "accuracy" else self._tail
        outcomes = run_tasks(lambda pair: first(*pair), pairs, engine=engine)
        lines = holm_lines(np.array([outcome.p_value for outcome in outcomes]))

        def finish(task: tuple[tuple[int, int], SwapOutcome, float]) -> SwapOutcome:
            systems, outcome, line = task
            if self.measure != "accuracy":
                outcome = self._refined(systems, outcome, line, many=many, seed=seed)
            advance(1)
            return outcome

        return run_tasks(finish, zip(pairs, outcomes, lines.tolist(), strict=True), engine=engine)

    def _refined(
        self, systems: tuple[int, int], outcome: SwapOutcome, line: float, *, many: bool, seed: int
    ) -> SwapOutcome:
        """Return the outcome by draws if a normal tail is not trusted; `line` is the p-value that Holm asks for."""
        factor, p = NEAR_OF_MANY if many else NEAR, outcome.p_value
        rough = outcome.n < MIN_DIFFERING or (self.measure == "micro_f1" and not many)
        clear = p >= line * FAR or (many and p <= line / FAR)
        if not outcome.n or not (line / factor < p < line * factor or (rough and not clear)):
            return outcome
        outcome = self._drawn(systems, outcome, seed, draws=MIN_DRAWS if many else DRAWS)
        if many and line / CLOSE < outcome.p_value < line * CLOSE:
            outcome = self._drawn(systems, outcome, seed, draws=DRAWS)
        return outcome

    def _tail(self, a: int, b: int) -> SwapOutcome:
        """Return the normal tail: documents are independent coins, each of which moves the difference by its slope."""
        of_a, of_b = self.value(a), self.value(b)
        slopes = f1_slopes(self.adds, *self._middle(a, b))
        first, second = self.codes[a], self.codes[b]
        n = int((self.answers[a] != self.answers[b]).sum())
        variance = float(((slopes[first] - slopes[second]) ** 2).sum()) / 4
        return SwapOutcome(normal_tail(of_a - of_b, variance) if n else 1.0, of_a, of_b, n, "normal tail of swaps")

    def _drawn(self, systems: tuple[int, int], outcome: SwapOutcome, seed: int, *, draws: int) -> SwapOutcome:
        """Return the outcome with all swaps counted if they are few, else with tilted draws.

        The better system comes first, so that the draws are the same whichever is named first.
        """
        a, b = systems if outcome.of_a >= outcome.of_b else systems[::-1]
        pair, difference = self.pair(a, b), abs(outcome.of_a - outcome.of_b)
        if count_outcomes(pair.n) <= MAX_OUTCOMES:
            return outcome._replace(p_value=exact_tail(pair, difference), method="all swaps")
        draws = min(draws, max(MIN_DRAWS, MAX_BINOMIALS // len(pair.n)))
        p = tilted_tail(pair, difference, draws=draws, rng=np.random.default_rng(seed))
        return outcome._replace(p_value=p, method=f"{draws:,} tilted swaps, seed {seed}")

    def _sign_test(self, a: int, b: int) -> SwapOutcome:
        """Return the exact test of accuracy: each document that only one gets right is a fair coin."""
        change = self.right[a] - self.right[b]
        wins, losses = int((change > 0).sum()), int((change < 0).sum())
        n = wins + losses
        p = min(1.0, 2 * binomial_tail(max(wins, losses), n)) if n else 1.0
        return SwapOutcome(p, self.value(a), self.value(b), n, "exact binomial")


def holm_lines(p_values: Floats) -> Floats:
    """Return the p-value that each pair must not exceed under Holm's correction, in its place in the order."""
    lines = np.empty(len(p_values))
    lines[np.argsort(p_values, kind="stable")] = LEVEL / np.arange(len(p_values), 0, -1)
    return lines


def _columns(matrix: Sparse, known: int) -> Floats:
    return np.bincount(matrix.indices, minlength=matrix.shape[1])[:known].astype(np.float64)


def _stacked(matrices: Sequence[Sparse], system: Ints, rows: Ints) -> Sparse:
    """Return row `rows[i]` of matrix `system[i]` for each i."""
    order = np.argsort(system, kind="stable")
    chosen = [matrices[s][rows[order][system[order] == s]] for s in np.unique(system)]
    stacked = sparse.csr_array(sparse.vstack(chosen, format="csr"), dtype=np.float64)
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return stacked[back]
