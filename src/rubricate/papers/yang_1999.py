"""Yang 1999: tables 1, 3, 4, 5 and 6, the ways of cutting beside it, the claims in the text, and times then and now."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

from rubricate.engines import run_tasks
from rubricate.papers.reproduction import Place, Reproduction, Results, Say, Value
from rubricate.papers.yang_1999_study import OurFigures, VersionStudy, table_1, table_5
from rubricate.papers.yang_1999_tables import (
    Tuning,
    gains,
    indirect_comparisons,
    order,
    table_4,
    table_6,
    text_numbers,
    times,
    ways_of_cutting,
)
from rubricate.registry import reproduction

__all__ = ["yang_1999"]

TIMES = "times"


@reproduction("yang_1999")
def yang_1999(reproduction: Reproduction, tables: Sequence[str], say: Say) -> Results:
    """Return our figures of the wanted tables, and the curves of the search where table 3 is among them."""
    study = VersionStudy(reproduction, say)
    tuning = Tuning(study)
    makers: dict[str, Callable[[], OurFigures]] = {
        "1": lambda: table_1(study),
        "3": tuning.table_3,
        "4": lambda: table_4(study),
        "5": lambda: table_5(study),
        "6": lambda: table_6(study),
        "ways": lambda: ways_of_cutting(study),
        "gains": lambda: gains(study),
        "indirect": lambda: indirect_comparisons(study),
        "order": lambda: order(study),
        "text": lambda: text_numbers(study),
        TIMES: lambda: times(study),
    }

    def make(name: str) -> OurFigures:
        say(reproduction.tables[name].title)
        return makers[name]()

    values: dict[Place, Value] = {}
    with (
        warnings.catch_warnings()
    ):  # of category names with no word in the vocabulary: the table of the text counts them
        warnings.filterwarnings("ignore", message="no word of", category=UserWarning)
        # Tables share what they compute, whichever comes first; times are measured when nothing else runs.
        together = [name for name in tables if name != TIMES]
        for part in (together, [name for name in tables if name == TIMES]):
            for name, made in zip(part, run_tasks(make, part, engine="threads"), strict=True):
                values |= {(name, *place): value for place, value in made.items()}
    origins = {(table, row): _origin(reproduction, table, row) for table, row, _ in values}
    return Results(values, origins, (*tuning.figures(), *study.drawings))


def _origin(reproduction: Reproduction, table: str, row: str) -> str:
    """Return the origin of the system of a row; the reading of table 5 on v1 and v2 is recovered."""
    if table == "5":
        return "recovered" if row in ("v1", "v2") else "paper"
    system = reproduction.systems.get(reproduction.options["ten_topics"].get(row, row))
    return system.origin if system is not None and table in ("4", "6", "ways", "gains") else "paper"
