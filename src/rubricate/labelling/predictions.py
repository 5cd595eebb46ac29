"""What a system said of many documents, as estimators need it: scores on one scale and decisions, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.labels import in_columns
from rubricate.types import Floats, Ints, Run, Sparse

__all__ = ["Predictions", "labels_over_run", "logistic", "logit"]

BLOCK = 1 << 22
"""Most cells of a block of categories, 32 MB."""
EDGE = 1e-6
"""Probabilities are kept this far from 0 and 1, so that their logits are finite."""


def logit(p: Any) -> Floats:
    """Return log(p / (1 − p)) with p kept within [EDGE, 1 − EDGE]."""
    kept = np.clip(np.asarray(p, float), EDGE, 1 - EDGE)
    return np.asarray(np.log(kept) - np.log1p(-kept))


def logistic(x: Any) -> Floats:
    """Return 1 / (1 + e^−x)."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -35.0, 35.0))))


@dataclass(frozen=True, eq=False)
class Predictions:
    """Scores and decisions of a run over its documents.

    Scores that all lie within 0 and 1 are taken as probabilities and turned into logits; other scores stay as they
    are. A pair without a score has the lowest score of the run. A run without scores has 1 for a decision and -1 else.
    """

    run: Run
    decided: Any
    scores: Any
    lowest: float
    probabilities: bool

    @classmethod
    def of(cls, run: Run) -> Predictions:
        """Take the parts of a run; it must have decisions."""
        if run.decisions is None:
            raise InvalidInput(f"run {run.name!r} has scores but no decisions; give a cut, such as --cut 0.5")
        decided = sparse.csc_array(run.decisions.values)
        if run.scores is None:
            return cls(run, decided, None, -1.0, False)
        values: Any = run.scores.values
        stored = values.data if sparse.issparse(values) else np.asarray(values).ravel()
        finite = stored[np.isfinite(stored)]
        if not len(finite):
            return cls(run, decided, None, -1.0, False)
        low, high = float(finite.min()), float(finite.max())
        chances = low >= 0 and high <= 1
        floor = run.scores.floor
        least = min(low, floor) if np.isfinite(floor) else (0.0 if chances else low)
        columns = sparse.csc_array(values) if sparse.issparse(values) else np.asarray(values)
        return cls(run, decided, columns, least, chances)

    @property
    def shape(self) -> tuple[int, int]:
        """Documents and categories."""
        return len(self.run.documents), len(self.run.categories)

    def blocks(self) -> Iterator[slice]:
        """Yield the categories in blocks of at most BLOCK cells."""
        documents, categories = self.shape
        step = max(1, BLOCK // max(documents, 1))
        for start in range(0, categories, step):
            yield slice(start, min(start + step, categories))

    def block(self, columns: slice | Ints) -> tuple[Floats, Floats]:
        """Return scores and decisions (0 or 1) of some categories, dense."""
        decided = self.decided[:, columns].toarray().astype(float)
        if self.scores is None:
            return 2 * decided - 1, decided
        scores = self._dense(self.scores[:, columns])
        return (logit(scores) if self.probabilities else scores), decided

    def rows(self, index: Ints) -> tuple[Floats, Floats]:
        """Return scores and decisions of some documents, dense; for the labelled ones, which are few."""
        decided = sparse.csr_array(self.decided[index]).toarray().astype(float)
        if self.scores is None:
            return 2 * decided - 1, decided
        scores = self._dense(self.scores[index])
        return (logit(scores) if self.probabilities else scores), decided

    def _dense(self, part: Any) -> Floats:
        if not sparse.issparse(part):
            return np.where(np.isfinite(part), part, self.lowest)
        entries = part.tocoo()
        dense = np.full(part.shape, self.lowest)
        kept = np.isfinite(entries.data)
        dense[entries.row[kept], entries.col[kept]] = entries.data[kept]
        return dense

    def pilot(self, columns: slice) -> Floats:
        """Guess probabilities before any label is known: as stated, by the scale of the scores, or by the decisions.

        Scores that are not probabilities are centred on what divides decisions from the rest and scaled by their
        spread; decisions alone are right in GUESS of the cases, on either side.
        """
        scores, decided = self.block(columns)
        if self.scores is None:
            share = decided.mean(axis=0)
            missed = np.divide((1 - GUESS) * share, 1 - share, out=np.zeros_like(share), where=share < 1)
            return np.where(decided > 0, GUESS, np.minimum(missed, 0.5))
        if self.probabilities:
            return logistic(scores)
        spread = float(scores.std()) or 1.0
        yes, no = scores[decided > 0], scores[decided == 0]
        middle = 0.5 * (float(np.quantile(yes, 0.02)) + float(np.quantile(no, 0.998))) if len(yes) and len(no) else 0.0
        return logistic(INITIAL_SLOPE * (scores - middle) / spread)


GUESS, INITIAL_SLOPE = 0.85, 1.5
"""Used only to plan samples: precision and recall of bare decisions, and slope per standard deviation of scores."""


def labels_over_run(labels: Sparse, names: tuple[str, ...], run: Run) -> Sparse:
    """Return labels over the categories of a run; unknown categories are an error that names them."""
    unknown = sorted(set(names) - set(run.categories))
    if unknown:
        listed = ", ".join(unknown[:5])
        raise InvalidInput(f"labels outside the population: {len(unknown)} categories such as {listed}; correct them")
    return in_columns(labels, names, run.categories)
