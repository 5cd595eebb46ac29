"""Texts → answers by plain arithmetic: terms, weights, linear scores, cuts.

The answers are those of `Categorizer.answers`, to the last bit: sums run in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.text.few_texts import FewTexts
from rubricate.training.familiarity import familiarity
from rubricate.training.offsets import NO_CONFIDENCE, offsets, sureness
from rubricate.training.ranked import Answer, scores_shown
from rubricate.types import Floats, Ints

if TYPE_CHECKING:
    from rubricate.types import Documents

__all__ = ["CertaintyCurve", "FileScorer", "LinearScores"]

LOWEST = float(np.finfo(np.float64).min)
"""No cut lies under it, so that a score of -inf is never assigned."""


@dataclass(frozen=True, eq=False)
class LinearScores:
    """Linear scores: `weights` (terms × columns) and `bias`, placed at `columns` among the `constants` of all.

    Where it is `mirrored` one column of weights scores two classes, the first by the opposite sign.
    """

    weights: Floats
    bias: Floats
    constants: Floats
    columns: Ints
    mirrored: bool

    def scores(self, terms: Ints, values: Floats) -> Floats:
        """Score one document by its terms and their values."""
        # Row after row is added up, in this order, as a sparse product does.
        known = np.add.reduce(values[:, None] * self.weights[terms], axis=0, initial=0.0)
        known += self.bias
        scores = self.constants.copy()
        scores[self.columns] = np.concatenate([-known, known]) if self.mirrored else known
        return scores


@dataclass(frozen=True, eq=False)
class CertaintyCurve:
    """The learned values of `training.confidence`."""

    weights: Floats
    scale: float
    familiar: Floats
    sureness: Floats
    chances: Floats

    def of(self, offsets: Floats) -> Floats:
        """Return the chance that the decision on each document is exactly right."""
        return np.interp(sureness(offsets, self.weights, self.scale, self.familiar), self.sureness, self.chances)


@dataclass(frozen=True, eq=False)
class FileScorer:
    """A model that answers a few documents.

    Parameters
    ----------
    categories
        The names of the columns.
    readers, factors
        How texts become vectors; several stand side by side, each times its factor.
    linear
        Their scores.
    t, cuts
        So many best categories are assigned, or with cuts every category whose score reaches its own.
    certainty, reference, sharpness
        For confidences and familiarity; None where the model has none.
    """

    categories: tuple[str, ...]
    readers: Sequence[FewTexts]
    factors: Floats
    linear: LinearScores
    t: int
    cuts: Floats | None
    certainty: CertaintyCurve | None
    reference: Floats | None
    sharpness: float | None

    @property
    def cuts_(self) -> Floats | None:
        """The cuts, by the name that thresholds give them."""
        return self.cuts

    def answers(
        self, documents: Documents, *, abstain: float | None = None, top: int | None = None, confident: bool = True
    ) -> list[Answer]:
        """Return labels, confidence and scores of each document; `Categorizer.answers` has the options.

        Without `confident` the confidence is left out, unless `abstain` needs it.
        """
        if abstain is not None and self.certainty is None:
            raise InvalidInput(NO_CONFIDENCE)
        titles: Sequence[str | None] = documents.titles or [None] * len(documents)
        scores = self.scores(list(zip(titles, documents.bodies, strict=True)))
        chances = self._chances(scores, confident or abstain is not None)
        near = (
            [None] * len(scores)
            if self.reference is None
            else familiarity(scores, self.reference, self.sharpness).tolist()
        )
        every, answers = np.arange(len(self.categories)), []
        for row, chance, share in zip(scores, chances, near, strict=True):
            labels = tuple(self.categories[column] for column in self._decided(row))
            given = None if abstain is not None and (chance is None or chance < abstain) else labels
            shown = scores_shown((every, row), self.categories, labels, top=top)
            answers.append(Answer(given, chance, labels, shown, {}, share))
        return answers

    def scores(self, documents: Sequence[tuple[str | None, str]]) -> Floats:
        """Score documents, each a title (or None) and a body; one row per document."""
        rows = [self.linear.scores(*self._vector(title, body)) for title, body in documents]
        return np.array(rows).reshape(len(rows), len(self.categories))

    def try_out(self) -> None:
        """Score two documents, one of them empty; raises where the parts do not fit together."""
        few = " ".join(list(self.readers[0].columns)[:3])
        if np.isnan(self.scores([(None, ""), (few, few)])).any():
            raise ValueError("scores that are not numbers")

    def _vector(self, title: str | None, body: str) -> tuple[Ints, Floats]:
        """Return the vector of a document, its blocks side by side, each times its factor."""
        if len(self.readers) == 1:
            return self.readers[0].vector(title, body)
        columns, values, width = [], [], 0
        for reader, factor in zip(self.readers, self.factors, strict=True):
            own, weights = reader.vector(title, body)
            columns.append(own + width)
            values.append(weights * factor)
            width += len(reader.columns)
        return np.concatenate(columns), np.concatenate(values)

    def _decided(self, row: Floats) -> list[int]:
        """Return the columns of the categories assigned, in order."""
        if self.cuts is not None:
            return np.flatnonzero(row >= np.maximum(self.cuts, LOWEST)).tolist()
        best = np.argsort(-row, kind="stable")[: self.t]
        return sorted(best[row[best] > -np.inf].tolist())

    def _chances(self, scores: Floats, wanted: bool) -> list[float | None]:
        if self.certainty is None or not wanted:
            return [None] * len(scores)
        return self.certainty.of(offsets(scores, self)).tolist()
