"""The tables of what a hierarchy says: the measures, the numbers by depth, how far wrong decisions are."""

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
    """All three, of the systems that were measured with a hierarchy; none where there is no such system."""
    if not any(one.hierarchy for one in results):
        return []
    return [hierarchy_table(results), depth_table(results), distance_table(results)]


def _known(results: Sequence[Evaluation]) -> list[tuple[str, HierarchyEvaluation]]:
    return [(one.name, one.hierarchy) for one in results if one.hierarchy is not None]


def hierarchy_table(results: Sequence[Evaluation]) -> Table:
    """Micro- and macro-averages, a row a system and kind of measure; P, R, F1, then accuracy and error."""
    columns = dict(_COLUMNS)
    columns |= {name: name for _, found in _known(results) for name in found.micro["distance"] if ":" in name}
    rows: list[tuple[CellValue, ...]] = []
    for name, found in _known(results):
        for kind in sorted(found.micro, key=list(_WORDS).index):
            for how, averages in (("micro", found.micro[kind]), ("macro", found.macro[kind])):
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
    """`f1` of `extended_f1`; those with a β stand for themselves."""
    return measure.rpartition("_")[2] if ":" not in measure else measure


def depth_table(results: Sequence[Evaluation]) -> Table:
    """A row a system and depth."""
    rows: list[tuple[CellValue, ...]] = [
        (
            name,
            "outside" if one.depth is None else one.depth,
            one.categories,
            one.tp,
            one.fp,
            one.fn,
            one.precision,
            one.recall,
            one.f1,
            one.macro_f1,
            one.path_f1,
        )
        for name, found in _known(results)
        for one in found.levels
    ]
    columns = ("system", "depth", "categories", "TP", "FP", "FN", "miP", "miR", "miF1", "maF1", "hF")
    notes = ["Depth: links from the root. hF: of the nodes at that depth that are a label or above one."]
    return Table(columns, rows, title="By depth", notes=notes)


def distance_table(results: Sequence[Evaluation]) -> Table:
    """A row a system and direction; a column a distance."""
    known = _known(results)
    most = max((len(part) for _, found in known for part in (found.far.assigned, found.far.missed)), default=0)
    rows: list[tuple[CellValue, ...]] = []
    for name, found in known:
        for sort, part, alone in (
            ("wrongly given", found.far.assigned, found.far.assigned_alone),
            ("missed", found.far.missed, found.far.missed_alone),
        ):
            rows.append((name, sort, *(part[k] if k < len(part) else 0 for k in range(1, most)), alone))
    columns = ("system", "labels", *(f"{k} link{'s' * (k > 1)}" for k in range(1, most)), "nothing near")
    notes = ["Links to the nearest right label (of missed ones: to the nearest label given)."]
    return Table(columns, rows, title="How far off wrong decisions are", notes=notes)
