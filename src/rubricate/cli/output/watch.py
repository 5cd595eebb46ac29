"""Watches answers go by: documents outside the categories, and documents unlike those for training."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rubricate.training.ranked import Answer

__all__ = ["Watch"]

STRANGE = 0.05
"""As in `training.familiarity`: one in twenty of the training documents is as strange."""
FEWEST = 20
"""Documents below which nothing is said of their distribution."""
ERRORS = 4
"""Standard errors above which a surplus of strange documents is no accident."""


class Watch:
    """Takes labels from documents outside and counts the strange ones."""

    def __init__(self, outside: float | None = None) -> None:
        self.outside = outside
        self.documents = self.strange = self.refused = self.total = self.abstained = 0

    def seen(self, answers: Sequence[Answer]) -> list[Answer]:
        """Return the answers, without labels where a document is outside."""
        self.total += len(answers)
        self.abstained += sum(answer.labels is None for answer in answers)
        known = [answer for answer in answers if answer.familiarity is not None]
        self.documents += len(known)
        self.strange += sum((answer.familiarity or 0.0) < STRANGE for answer in known)
        return list(map(self._answer, answers))

    def _answer(self, answer: Answer) -> Answer:
        if self.outside is None or answer.familiarity is None or answer.familiarity >= self.outside:
            return answer
        self.refused += 1
        return replace(answer, labels=())

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
