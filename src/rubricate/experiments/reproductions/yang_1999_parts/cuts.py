"""Break-even points by way of cutting, and the decisions of each way.

A way of cutting is a family of decisions with one parameter, and the micro break-even point is read in that family
(yang1999, table 6 names the way in brackets): x of Pcut, t of Rcut, one offset common to all cuts of Scut, one
threshold for all. Scut's cuts are learned from out-of-fold scores of the training documents (fallback FBR.1, .1); the
parameter is free, for a break-even point is where it is by definition.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from rubricate.errors import UnknownName
from rubricate.experiments.reproductions.yang_1999_parts.scored import RuleDecisions, ScoredSystem
from rubricate.measures import (
    BreakEven,
    break_even_point,
    counts,
    family,
    mean,
    micro,
    pooled_sweep,
    ranks,
)
from rubricate.measures.eleven_point import eleven_point
from rubricate.measures.f1 import f1
from rubricate.thresholds.pcut import Pcut
from rubricate.thresholds.rank_limit import RankLimit
from rubricate.thresholds.rcut import Rcut
from rubricate.thresholds.scut import Scut
from rubricate.types import Counts, Sparse

__all__ = ["WAYS", "break_even", "decide", "eleven_points", "micro_f1"]

HALVINGS = 40
PRIORS: dict[str, Literal["documents", "labels"]] = {"pcut": "labels", "shares": "documents"}
"""The two readings of Pcut, sections 4.2 and 4.3."""


def by_scut(scored: ScoredSystem) -> BreakEven:
    """Move all cuts of Scut by one offset."""
    cuts = Scut(fbr=0.1).fit(scored.out_of_fold, scored.labels).cuts_
    return break_even_point(pooled_sweep(scored.scores - cuts, scored.truth).counts)


def by_pcut(scored: ScoredSystem) -> BreakEven:
    """Find x of Pcut by halving, since the number assigned never falls as x grows."""
    low, high, tables, true = 0.0, float(scored.truth.shape[1]), list[Counts](), scored.truth.nnz
    for _ in range(HALVINGS):
        x = (low + high) / 2
        decided = Pcut(x=x, prior="labels").fit(None, scored.labels).decide(scored.scores)
        tables.append(counts(scored.truth, decided))
        if decided.nnz == true:
            break
        low, high = (x, high) if decided.nnz < true else (low, x)
    return break_even_point(family(tables))


def by_rcut(scored: ScoredSystem) -> BreakEven:
    """Assign the t best categories of each document, t = 1, 2, …, 10."""
    most = min(10, scored.truth.shape[1])
    tables = [counts(scored.truth, Rcut(t=t).decide(scored.scores)) for t in range(1, most + 1)]
    return break_even_point(family(tables))


def by_one_threshold(scored: ScoredSystem) -> BreakEven:
    """Take one threshold for all categories."""
    return break_even_point(pooled_sweep(scored.scores, scored.truth).counts)


def by_own_decisions(scored: ScoredSystem | RuleDecisions) -> BreakEven:
    """Return the mean of precision and recall of the decisions that the system makes itself; there is no parameter."""
    return break_even_point(family([counts(scored.truth, scored.decided)]))


def own_f1(scored: ScoredSystem | RuleDecisions) -> BreakEven:
    """Return F1 of the system's own decisions: no break-even point, but what is printed for C4.5."""
    return BreakEven(micro_f1(scored.truth, scored.decided), False, 0)


WAYS: dict[str, Callable[[Any], BreakEven]] = {
    "Scut": by_scut,
    "Pcut": by_pcut,
    "Rcut": by_rcut,
    "one threshold": by_one_threshold,
    "own decisions": by_own_decisions,
    "F1": own_f1,
}


def break_even(scored: ScoredSystem | RuleDecisions, way: str) -> float:
    """Return the micro break-even point on the test documents."""
    if way not in WAYS:
        raise UnknownName("way of cutting", way, WAYS)
    return WAYS[way](scored).value


def micro_f1(truth: Sparse, decided: Sparse) -> float:
    """Return micro-averaged F1."""
    return float(micro(f1, counts(truth, decided)))


def eleven_points(scored: ScoredSystem, limit: int | None = None) -> float:
    """Return 11-point average precision of the category rankings; `limit` is TR."""
    return float(mean(eleven_point(ranks(scored.scores, scored.truth), limit=limit)))


def decide(scored: ScoredSystem, cut: str, limit: int | None = None) -> Sparse:
    """Decide by `scut`, `pcut:x` (x labels per document), `shares:x` or `rcut:t`, on scores limited to TR ranks.

    `shares:x` is Pcut with shares of documents in place of shares of labels.
    """
    name, _, argument = cut.partition(":")
    if name in PRIORS:
        chosen: Pcut | Rcut | Scut = Pcut(x=float(argument), prior=PRIORS[name])
    else:
        chosen = Rcut(t=int(argument)) if name == "rcut" else Scut(fbr=0.1)
    limited = RankLimit(rank=limit or scored.truth.shape[1], cut=chosen)
    held = scored.out_of_fold if name == "scut" else None
    return limited.fit(held, scored.labels).decide(scored.scores)
