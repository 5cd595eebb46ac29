"""Table 6: all systems, micro break-even points by the way of cutting that the paper names; and what follows from it.

The paper has 23 figures for 14 systems on 4 versions; the empty places of v2 to v4 are filled here, and
the other ways of cutting, which section 5.4 misses, are added.
"""

from __future__ import annotations

from collections.abc import Callable

from rubricate.engines import run_tasks
from rubricate.experiments.reproductions.yang_1999_parts.cuts import WAYS, break_even
from rubricate.experiments.reproductions.yang_1999_parts.order import grouped, order_drawing, ordered_rows
from rubricate.experiments.reproductions.yang_1999_parts.study import OurFigures, VersionStudy
from rubricate.significance import published
from rubricate.significance.indirect import indirect
from rubricate.types import Significance

__all__ = ["gains", "indirect_comparisons", "order", "table_6", "way_of", "ways_of_cutting"]


TEN = 10


def way_of(study: VersionStudy, system: str, version: str) -> str:
    """Return the way of cutting behind a cell: the one in brackets, else the usual one of the system."""
    named = study.options["ways"]
    by_version = named.get(system, {})
    return by_version.get(version, by_version.get("*", named["*"]))


def cell(study: VersionStudy, system: str, version: str) -> float:
    """Return one cell of table 6."""
    return point(study, system, version, way_of(study, system, version))


def point(study: VersionStudy, system: str, version: str, way: str) -> float:
    """Return the micro break-even point of a system on a version by a way of cutting; computed once."""
    return study.points.get((system, version, way), lambda: break_even(study.scored(system, version), way))


def table_6(study: VersionStudy) -> OurFigures:
    """Measure every system on its versions, and the forms of NNets.PARC on the ten most common categories of v4."""
    places = [(system, version) for system, versions in study.options["table6"].items() for version in versions]
    few = [(row, "v4") for row in study.options["ten_topics"]]

    def value(place: tuple[str, str]) -> float:
        if place in few:
            return break_even(study.scored(study.options["ten_topics"][place[0]], "v4", topics=TEN), "Pcut")
        return cell(study, *place)

    return dict(zip([*places, *few], run_tasks(value, [*places, *few], engine="threads"), strict=True))


def ways_of_cutting(study: VersionStudy) -> OurFigures:
    """Return break-even points of every system on v3 by each way of cutting."""
    systems = [system for system, versions in study.options["table6"].items() if "v3" in versions]
    ways = [way for way in WAYS if way not in ("own decisions", "F1")]
    rows = run_tasks(lambda system: [point(study, system, "v3", way) for way in ways], systems, engine="threads")
    return {
        (system, way): value
        for system, row in zip(systems, rows, strict=True)
        for way, value in zip(ways, row, strict=True)
    }


def gains(study: VersionStudy) -> OurFigures:
    """Return what each system gains when the unlabelled documents go, from v2 to v3 (section 5.3)."""
    known = [system for system, versions in study.options["table6"].items() if {"v2", "v3"} <= {*versions}]
    return {(system, "gain"): cell(study, system, "v3") - cell(study, system, "v2") for system in known}


def indirect_comparisons(study: VersionStudy) -> OurFigures:
    """Compare two systems on different versions by what each gains on kNN there (section 5.3).

    The mark is that of the p-test on the difference of the gains in recall, at the break-even points; the mark of the
    published figures is made the same way.
    """
    figures: OurFigures = {}
    for row in study.reproduction.tables["indirect"].rows:
        ours = _through_knn(study, row, lambda system, version: cell(study, system, version))
        theirs = _through_knn(study, row, lambda system, version: _printed(study, system, version))
        figures[row, "difference of the gains on kNN"] = ours.effect
        figures[row, "mark"] = ours.symbol
        figures[row, "mark of the published figures"] = theirs.symbol
    return figures


def order(study: VersionStudy) -> OurFigures:
    """Order and group all systems, by the published figures and by ours; keep what the drawings need."""
    printed = {
        name: {version: float(value) for version, value in row.items() if value is not None}
        for name, row in study.reproduction.tables["6"].rows.items()
    }
    ours = {
        name: {version: cell(study, name, version) for version in versions}
        for name, versions in study.options["table6"].items()
    }
    rows: OurFigures = {}
    for what, figures in (("published figures", printed), ("our figures", ours)):
        versions = {version for row in figures.values() for version in row}
        labels = {version: study.corpus(version).test.labels.nnz for version in versions}
        groups, links = grouped(figures, labels)
        rows |= ordered_rows(what, groups, links)
        study.drawings.append(order_drawing(what, groups, links))
    return rows


def _through_knn(study: VersionStudy, row: str, value: Callable[[str, str], float]) -> Significance:
    """Compare `A on v4 against B on v3` by the value of each and of kNN beside it."""
    sides = []
    for side in row.split(" against "):
        name, version = side.rsplit(" on ", 1)
        true = study.corpus(version).test.labels.nnz
        sides += [published(each, recall=value(each, version), true=true, collection=version) for each in (name, "kNN")]
    return indirect(sides[0], sides[2], baseline_a=sides[1], baseline_b=sides[3])


def _printed(study: VersionStudy, system: str, version: str) -> float:
    return float(study.reproduction.tables["6"].rows[system][version])  # type: ignore[arg-type]
