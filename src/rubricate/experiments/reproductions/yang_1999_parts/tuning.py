"""Table 3, the greedy search on a validation part of the training documents, and table 4, its result on the test set.

The search is that of `rubricate tune --greedy` (`experiments.tuning.search`): one parameter after the other, the
others fixed. A third of the training documents of v3 is the validation part; Scut learns its cuts from folds of the
other two thirds, so that no validation document helps to decide on itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from rubricate.engines import run_tasks
from rubricate.experiments.figure import Figure, Series
from rubricate.experiments.reproductions.yang_1999_parts.cuts import decide, eleven_points, micro_f1
from rubricate.experiments.reproductions.yang_1999_parts.scored import ScoredSystem
from rubricate.experiments.reproductions.yang_1999_parts.study import MANY, OurFigures, VersionStudy
from rubricate.experiments.tuning import best_of, search
from rubricate.folds import deal
from rubricate.training.cache import Once
from rubricate.training.material import Material
from rubricate.types import Corpus

__all__ = ["Tuning", "table_4"]

MEASURES = ("11-pt", "miF1")


class Tuning:
    """Points of the search, each a value for every parameter, judged on the validation part."""

    def __init__(self, study: VersionStudy) -> None:
        self.study, self.options = study, study.options["tuning"]
        self._scored, self._judged, self.made = Once(MANY), Once(MANY), False

    @cached_property
    def corpus(self) -> Corpus:
        """Training documents of v3, a third of them in the place of the test documents."""
        whole = self.study.corpus("v3")
        held = deal(whole.train.labels, 3, seed=0) == 0
        kept, out = (whole.train.take(np.flatnonzero(rows)) for rows in (~held, held))
        return replace(whole, train=kept, test=out)

    @cached_property
    def material(self) -> Material:
        """Return the same documents, read once for all points."""
        return Material(self.corpus, test=self.corpus.test)

    def judged(self, system: str, point: Mapping[str, Any]) -> tuple[float, float]:
        """Return 11-point average precision and micro-F1 at a point."""

        def make() -> tuple[float, float]:
            scored = self._scores(system, point)
            decided = decide(scored, point["cut"], point["TR"])
            return eleven_points(scored, point["TR"]), micro_f1(scored.truth, decided)

        return self._judged.get((system, *sorted(point.items())), make)

    def _scores(self, system: str, point: Mapping[str, Any]) -> ScoredSystem:
        changes = {"weights": point["TW"]} | {name: point[name] for name in ("k", "p") if name in point}
        if "FT" in point:
            changes["select"] = f"chi2:{point['FT']}"

        def make() -> ScoredSystem:
            self.study.say(f"tuning {system}: " + ", ".join(f"{name} = {value}" for name, value in changes.items()))
            varied = self.study.reproduction.systems[system].varied(**changes)
            return ScoredSystem(varied, self.corpus, material=self.material)

        return self._scored.get((system, *sorted(changes.items())), make)

    def table_3(self) -> OurFigures:
        """Return the rows of the paper, others fixed as printed there; then our own searches to the end."""
        figures: OurFigures = {}
        self.made = True
        self._judge_all([(row["system"], point) for row in self.options["rows"] for point in _points(row).values()])
        for row in self.options["rows"]:
            figures |= self._row(row)
        for system, grid in self.options["greedy"].items():
            figures |= self._greedy(system, grid)
        return figures

    def _judge_all(self, points: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Judge points on all cores: first the scores, each once, then what is decided by them."""
        scored = {id(each): each for each in (self._scores(*point) for point in points)}
        run_tasks(lambda each: each.out_of_fold, scored.values(), engine="threads")
        run_tasks(lambda point: self.judged(*point), points, engine="threads")

    def _row(self, row: Mapping[str, Any]) -> OurFigures:
        """Return our best value of one parameter, and the range of both measures over those the paper calls best."""
        by = MEASURES.index(row["by"])
        values = {value: self.judged(row["system"], point) for value, point in _points(row).items()}
        chosen = max(values, key=lambda value: values[value][by])
        figures: OurFigures = {
            (row["row"], "best choice"): row["printed"] if chosen in row["best"] else str(chosen),
            (row["row"], "our best"): chosen,
        }
        for number, measure in enumerate(MEASURES):
            among = [values[value][number] for value in row["best"]]
            figures[row["row"], f"{measure}, lowest of the best"] = min(among)
            figures[row["row"], f"{measure}, highest of the best"] = max(among)
        return figures

    def _greedy(self, system: str, grid: Mapping[str, Sequence[Any]]) -> OurFigures:
        """Search all parameters in the paper's order by micro-F1; return what is chosen, and how much was tried."""

        def judge(points: Sequence[Mapping[str, Any]]) -> list[float]:
            self._judge_all([(system, point) for point in points])
            return [self.judged(system, point)[1] for point in points]

        tried = search(grid, judge, greedy=True)
        best = best_of(tried, lambda a, b: a > b)
        row = f"{system}, greedy"
        said = ", ".join(f"{name}={value}" for name, value in best.values.items())
        ranking, f1 = self.judged(system, best.values)
        every = int(np.prod([len(candidates) for candidates in grid.values()]))
        return {
            (row, "our best"): f"{said}; {len(tried)} of {every} tried",
            (row, "11-pt, highest of the best"): ranking,
            (row, "miF1, highest of the best"): f1,
        }

    def figures(self) -> tuple[Figure, ...]:
        """Draw the rows that are marked for it; nothing when table 3 was not made."""
        rows = [row for row in self.options["rows"] if row.get("figure")]
        return tuple(self._curve(row) for row in rows) if self.made else ()

    def _curve(self, row: Mapping[str, Any]) -> Figure:
        name, values = row["parameter"], row["candidates"]
        judged = [self.judged(row["system"], {**row["fixed"], name: value}) for value in values]
        series = tuple(Series(measure, values, [pair[i] for pair in judged]) for i, measure in enumerate(MEASURES))
        title = f"{row['system']} on the validation part of v3 by {name}"
        return Figure(f"{row['system'].lower()}-{name.lower()}", title, name, "11-pt and micro-F1", series)


def _points(row: Mapping[str, Any]) -> dict[Any, dict[str, Any]]:
    """Return the points of a row of the paper by the value of its parameter."""
    return {value: {**row["fixed"], row["parameter"]: value} for value in row["candidates"]}


def table_4(study: VersionStudy) -> OurFigures:
    """Measure the test set of v3 with the printed parameters, TR = 10."""
    figures: OurFigures = {}
    limit = study.options["table4"]["TR"]
    for system, cuts in study.options["table4"]["cuts"].items():
        scored = study.scored(system, "v3")
        figures[system, "11-pt"] = eleven_points(scored, limit)
        for column, cut in cuts.items():
            figures[system, column] = micro_f1(scored.truth, decide(scored, cut, limit))
    return figures
