"""Evaluation of text categorization systems (2011): its measures, its relation of BEP and F, and figure 1, on data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from rubricate.corpora import load
from rubricate.measures import break_even_point, counts, macro, mean, micro, pooled_sweep, ranks
from rubricate.measures.contingency import f1, precision, recall
from rubricate.measures.rankings import eleven_point
from rubricate.papers.figures import Drawing, sets_drawing
from rubricate.papers.reproduction import Place, Reproduction, Results, Say, Value
from rubricate.papers.systems import SystemExecution
from rubricate.registry import reproduction
from rubricate.types import Counts, Run

__all__ = ["evaluation_2011"]


@reproduction("evaluation_2011")
def evaluation_2011(reproduction: Reproduction, tables: Sequence[str], say: Say) -> Results:
    """Return our figures of the wanted tables, and figure 1 from the same run."""
    study = MeasureStudy(reproduction, say)
    makers = {"measures": study.measures, "relation": study.relation}
    values: dict[Place, Value] = {}
    for name in tables:
        say(reproduction.tables[name].title)
        values |= {(name, *place): value for place, value in makers[name]().items()}
    return Results(values, {(name, row): "ours" for name, row, _ in values}, [study.figure_1()])


class MeasureStudy:
    """One run of one system, and everything that the paper defines on it."""

    def __init__(self, reproduction: Reproduction, say: Say) -> None:
        self.reproduction, self.options, self.say = reproduction, reproduction.options, say

    @cached_property
    def run(self) -> Run:
        """The SVM on the test documents."""
        place = self.reproduction.corpus
        return SystemExecution(self.reproduction.systems["SVM"], load(place["name"], split=place["split"])).run()

    @cached_property
    def table(self) -> Counts:
        return counts(self.run.truth, self.run.decisions.values)  # type: ignore[union-attr]

    def measures(self) -> dict[tuple[str, str], Value]:
        """Return the measures of sections 2 to 5 over all categories."""
        run, table = self.run, self.table
        scores = run.scores.values  # type: ignore[union-attr]
        values: dict[str, Value] = {
            f"{how}-averaged {name}": float(average(measure, table))
            for name, measure in (("precision", precision), ("recall", recall), ("F1", f1))
            for how, average in (("micro", micro), ("macro", macro))
        }
        tp, fp, fn = (int(part.sum()) for part in (table.tp, table.fp, table.fn))
        values |= {
            "micro-averaged E, |AΔB| / (|A| + |B|)": (fp + fn) / (2 * tp + fp + fn),
            "1 − micro-averaged F1": 1 - float(micro(f1, table)),
            "micro break-even point, one threshold": break_even_point(pooled_sweep(scores, run.truth).counts).value,
            "11-point average precision": float(mean(eleven_point(ranks(scores, run.truth)))),
        }
        return {(name, "value"): value for name, value in values.items()}

    def relation(self) -> dict[tuple[str, str], Value]:
        """Count by β the categories where (P + R)/2 stands to F_β as section 6 says, and those where it does not."""
        P, R = (np.asarray(measure(self.table), float) for measure in (precision, recall))
        known = (P > 0) & (R > 0)
        figures: dict[tuple[str, str], Value] = {}
        for beta in self.options["betas"]:
            F = (beta**2 + 1) * P[known] * R[known] / (beta**2 * P[known] + R[known])
            apart = np.sign(np.round((P[known] + R[known]) / 2 - F, 12))
            stated = np.array([_relation_of_paper(p, r, beta) for p, r in zip(P[known], R[known], strict=True)])
            for case, own in (
                ("P = R", P[known] == R[known]),
                ("P < R", P[known] < R[known]),
                ("P > R", P[known] > R[known]),
            ):
                row = f"β = {beta:g}, {case}"
                figures[row, "categories"] = int(own.sum())
                figures[row, "against the paper"] = int(np.sum(apart[own] != stated[own]))
        return figures

    def figure_1(self) -> Drawing:
        """Draw the relevant and the retrieved documents of one category."""
        name = self.options["drawn"]
        c = self.run.categories.index(name)
        tp, fp, fn = (int(part[c]) for part in (self.table.tp, self.table.fp, self.table.fn))
        title = f"Figure 1: relevant (A) and retrieved (B) test documents of {name}; shaded: AΔB"
        return sets_drawing("figure1", title, relevant=tp + fn, retrieved=tp + fp, both=tp)


def _relation_of_paper(p: float, r: float, beta: float) -> int:
    """Return the sign of (P + R)/2 − F_β by the three cases of section 6, as printed."""
    if p == r:
        return 0
    if p < r:
        return 1
    return int(np.sign(np.round(beta**2 * p / r - 1, 12)))
