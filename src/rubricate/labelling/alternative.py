"""The alternative annotator test: may a model stand in for a person? calderon2025.

For each annotator j, and each document i that j and at least one other annotator labelled: who is closer to the others,
the model or j? W^f counts the documents where the model is at least as close, W^h those where the person is. The model
wins against j if ρ^f > ρ^h − ε by a one-sided t-test of d = W^h − W^f < ε, corrected over the annotators by Benjamini
and Yekutieli. The model passes if it wins against at least half of the annotators. ε is the bonus for being cheaper:
.2 for experts, .15 for skilled annotators, .1 for crowds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr

from rubricate.errors import InvalidInput
from rubricate.labelling.agreements import Annotations, join_annotations, set_distances
from rubricate.types import Bools, Floats, Sparse

__all__ = ["AlternativeAnnotator", "alternative_annotator"]

LEAST = 30
"""Fewest documents per annotator: the t-test needs about this many, as the paper asks."""


@dataclass(frozen=True)
class AlternativeAnnotator:
    """Outcome of the test: `winning_rate` ω, `advantage` ρ (mean share of documents where the model is as close)."""

    passes: bool
    winning_rate: float
    advantage: float
    epsilon: float
    p_values: Mapping[str, float]
    wins: Mapping[str, bool]
    documents: Mapping[str, int]
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        return asdict(self)


def alternative_annotator(
    labels: Sequence[Any],
    model: Any,
    *,
    names: Sequence[str] | None = None,
    epsilon: float = 0.2,
    level: float = 0.05,
) -> AlternativeAnnotator:
    """Test whether the labels of a model may replace those of an annotator.

    Parameters
    ----------
    labels : sequence of Decisions, label lists or matrices
        One per annotator, at least three.
    model
        The model's labels of the same documents, in the same form.
    names : sequence of str, optional
        The annotators.
    epsilon : float
        How much worse than a person the model may be, for being cheaper.
    level : float
        False discovery rate over the annotators.

    Closeness is the mean Jaccard similarity to the others' label sets, for one label per document the share of others
    who gave the same label.
    """
    if len(labels) < 3:
        raise InvalidInput(f"the test needs at least three annotators, got {len(labels)}; label with one more person")
    everyone = tuple(names) if names is not None else tuple(f"annotator {a + 1}" for a in range(len(labels)))
    judged = join_annotations([*labels, model], names=(*everyone, "model"))
    p_values, documents, shares = {}, {}, []
    for j, name in enumerate(everyone):
        worse, kept = _differences(judged, j)
        documents[name] = int(kept.sum())
        if not documents[name]:
            raise InvalidInput(f"{name} shares no document with another annotator and the model; label more together")
        p_values[name] = _t_test(worse[kept, 0] - worse[kept, 1], epsilon)
        shares.append(float(worse[kept, 1].mean()))
    wins = _rejected(p_values, level)
    rate = sum(wins.values()) / len(wins)
    few = min(documents.values())
    note = f"only {few} documents for some annotator; the t-test wants {LEAST}" if few < LEAST else ""
    return AlternativeAnnotator(rate >= 0.5, rate, float(np.mean(shares)), epsilon, p_values, wins, documents, note)


def _differences(judged: Annotations, j: int) -> tuple[Floats, Bools]:
    """Return W^h and W^f of each document, and which documents count."""
    model = len(judged.annotators) - 1
    others = [k for k in range(model) if k != j]
    common = judged.present[:, j] & judged.present[:, model] & judged.present[:, others].any(axis=1)
    close = np.zeros((len(common), 2))
    for side, who in enumerate((j, model)):
        total, count = np.zeros(len(common)), np.zeros(len(common))
        for k in others:
            both = np.flatnonzero(common & judged.present[:, k])
            total[both] += 1 - _jaccard(judged.labels[who][both], judged.labels[k][both])
            count[both] += 1
        close[:, side] = np.divide(total, count, out=np.zeros(len(count)), where=count > 0)
    person, machine = np.round(close, 12).T
    return np.column_stack([person >= machine, machine >= person]).astype(float), common


def _jaccard(left: Sparse, right: Sparse) -> Floats:
    return set_distances(left, right)["jaccard"]


def _t_test(differences: Floats, epsilon: float) -> float:
    """Return P(T <= t) for the mean of the differences against ε. All equal: 0 or 1 by the side they are on."""
    n, mean = len(differences), float(differences.mean())
    spread = float(differences.std(ddof=1)) if n > 1 else 0.0
    if spread == 0:
        return 0.0 if mean < epsilon and n > 1 else 1.0
    return float(stdtr(n - 1, (mean - epsilon) / (spread / np.sqrt(n))))


def _rejected(p_values: Mapping[str, float], level: float) -> dict[str, bool]:
    """Return who is beaten at this false discovery rate under any dependence. benjamini2001."""
    ordered = sorted(p_values, key=lambda name: p_values[name])
    total = len(ordered)
    penalty = sum(1 / rank for rank in range(1, total + 1))
    last = max(
        (rank for rank, name in enumerate(ordered, start=1) if p_values[name] <= rank * level / (total * penalty)),
        default=0,
    )
    return {name: name in ordered[:last] for name in p_values}
