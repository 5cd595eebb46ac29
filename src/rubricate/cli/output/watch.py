"""Watches answers go by: documents outside the categories, and documents unlike those for training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rubricate.training.answer_columns import AnswerColumns

__all__ = ["Watch"]

STRANGE = 0.05
"""As in `training.familiarity`: one in twenty of the training documents is as strange."""
FEWEST = 20
"""Documents below which nothing is said of their distribution."""
ERRORS = 4
"""Standard errors above which a surplus of strange documents is no accident."""


class Watch:
    """Removes the labels of documents outside the categories, and counts unfamiliar documents."""

    def __init__(self, outside: float | None = None) -> None:
        self.outside = outside
        self.documents = self.strange = self.refused = self.total = self.abstained = 0

    def seen(self, answers: AnswerColumns) -> AnswerColumns:
        """Return the answers, without labels where a document is outside."""
        self.total += len(answers)
        self.abstained += int(answers.withheld.sum())
        near = answers.familiarity
        if near is None:
            return answers
        self.documents += len(answers)
        self.strange += int((near < STRANGE).sum())
        if self.outside is None:
            return answers
        refused = near < self.outside
        self.refused += int(refused.sum())
        return answers.without_labels(refused)

    def lines(self) -> list[str]:
        """Say what was refused, and whether the documents look unlike those for training."""
        lines = [] if self.outside is None else [f"{self.refused:,} of {self.documents:,} documents are outside"]
        if self.abstained:
            answered = self.total - self.abstained
            lines.append(
                f"{answered:,} of {self.total:,} documents answered ({answered / self.total:.0%}), the others not"
            )
        if self.documents < FEWEST:
            return lines
        share, error = self.strange / self.documents, math.sqrt(STRANGE * (1 - STRANGE) / self.documents)
        if share > 2 * STRANGE and share > STRANGE + ERRORS * error:
            lines.append(
                f"{share:.0%} of the documents look unlike those for training ({STRANGE:.0%} expected): their best "
                "scores are low, so confidences and the figures of the training may be too high for them"
            )
        return lines
