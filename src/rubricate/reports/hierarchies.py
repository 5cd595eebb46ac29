"""Tables of evaluations with a hierarchy: the measures, the numbers by depth, the distances of wrong decisions."""

from __future__ import annotations

from collections.abc import Sequence

from rubricate.evaluation import Evaluation, HierarchyEvaluation
from rubricate.reports.cells import CellValue
from rubricate.reports.tables import Table

__all__ = ["depth_table", "distance_table", "hierarchy_table", "hierarchy_tables"]

_WORDS = {
    "ancestors": "labels with their ancestors",
    "lca": "labels with the paths to lowest common ancestors",
    "distance": "extended, by distance",
    "similarity": "extended, by similarity",
}
_COLUMNS = {"precision": "P", "recall": "R", "f1": "F1", "accuracy": "accuracy", "error": "error"}


def hierarchy_tables(results: Sequence[Evaluation]) -> list[Table]:
    """Return all three tables of the systems that were measured with a hierarchy; none without such a system."""
    if not any(evaluation.hierarchy for evaluation in results):
        return []
    return [hierarchy_table(results), depth_table(results), distance_table(results)]


def _known(results: Sequence[Evaluation]) -> list[tuple[str, HierarchyEvaluation]]:
    return [(evaluation.name, evaluation.hierarchy) for evaluation in results if evaluation.hierarchy is not None]


def hierarchy_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate micro- and macro-averages, one row per system and kind of measure: P, R, F1, accuracy, error."""
    columns = dict(_COLUMNS)
    columns |= {name: name for _, measured in _known(results) for name in measured.micro["distance"] if ":" in name}
    rows: list[tuple[CellValue, ...]] = []
    for name, measured in _known(results):
        for kind in sorted(measured.micro, key=list(_WORDS).index):
            for how, averages in (("micro", measured.micro[kind]), ("macro", measured.macro[kind])):
                by_part = {_part(measure): value for measure, value in averages.items()}
                rows.append((name, _WORDS[kind], how, *(by_part.get(part) for part in columns)))
    first = _known(results)[0][1]
    notes = [
        "Ancestors and paths: micro sums over documents (hP, hR, hF), macro is the mean over them; "
        "extended: micro and macro over categories.",
    ]
    if first.outside:
        notes.append(f"Categories outside the hierarchy, which contribute nothing: {len(first.outside)}.")
    heads = ("system", "measures of", "average", *columns.values())
    return Table(heads, rows, title="With the hierarchy", notes=notes, signature=first.signature)


def _part(measure: str) -> str:
    """Return `f1` for `extended_f1`; a measure with a β stays whole."""
    return measure.rpartition("_")[2] if ":" not in measure else measure


def depth_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate one row per system and depth."""
    rows: list[tuple[CellValue, ...]] = [
        (
            name,
            "outside" if level.depth is None else level.depth,
            level.categories,
            level.tp,
            level.fp,
            level.fn,
            level.precision,
            level.recall,
            level.f1,
            level.macro_f1,
            level.path_f1,
        )
        for name, measured in _known(results)
        for level in measured.levels
    ]
    columns = ("system", "depth", "categories", "TP", "FP", "FN", "miP", "miR", "miF1", "maF1", "hF")
    notes = ["Depth: links from the root. hF: of the nodes at that depth that are a label or above one."]
    return Table(columns, rows, title="By depth", notes=notes)


def distance_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate one row per system and direction, one column per distance."""
    known = _known(results)
    most = max((len(part) for _, measured in known for part in (measured.far.assigned, measured.far.missed)), default=0)
    rows: list[tuple[CellValue, ...]] = []
    for name, measured in known:
        for sort, part, alone in (
            ("wrongly given", measured.far.assigned, measured.far.assigned_alone),
            ("missed", measured.far.missed, measured.far.missed_alone),
        ):
            rows.append((name, sort, *(part[k] if k < len(part) else 0 for k in range(1, most)), alone))
    columns = ("system", "labels", *(f"{k} link{'s' * (k > 1)}" for k in range(1, most)), "nothing near")
    notes = ["Links to the nearest right label (of missed ones: to the nearest label given)."]
    return Table(columns, rows, title="How far off wrong decisions are", notes=notes)
