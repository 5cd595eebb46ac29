"""Everything that a hierarchy says about decisions: extended measures, hP hR hF, LCA measures, depths, distances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from rubricate.hierarchy import Hierarchy
from rubricate.measures.averages import macro, micro
from rubricate.measures.definition import Measure, of_kind, resolve
from rubricate.measures.extended import Contributions, Extended, contributions, extended
from rubricate.measures.hierarchical import Far, Level, by_depth, how_far, meeting_counts, with_ancestors
from rubricate.measures.nearness import Nearness, Placed, Similarity, by_distance, by_similarity, placed
from rubricate.measures.tables import counts
from rubricate.types import Counts, Floats, Sparse, Undefined

__all__ = ["HierarchyEvaluation", "hierarchy_evaluation", "hierarchy_tables"]

Averages = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class HierarchyEvaluation:
    """How well the decisions fit a hierarchy.

    `micro` and `macro` by kind and measure: `distance` and `similarity` (the extended measures by either nearness;
    averages over categories), `ancestors` (hP, hR, hF) and `lca`, whose micro-averages sum over documents and whose
    macro-averages are means over them. `per_category`: contributions and extended measures, as `distance.fp_con`.
    `outside`: the categories that the hierarchy does not have; they contribute nothing and count as themselves.
    `documents`: the tables of `ancestors` and `lca`, one entry per document. `wrong`: the contributions of each false
    positive and each false negative, by nearness.
    """

    structure: str
    nodes: int
    outside: tuple[str, ...]
    acceptable: float
    average_similarity: float | None
    levels: tuple[Level, ...]
    far: Far
    micro: Averages = field(default_factory=dict)
    macro: Averages = field(default_factory=dict)
    per_category: Mapping[str, Floats] = field(default_factory=dict)
    documents: Mapping[str, Counts] = field(default_factory=dict)
    wrong: Mapping[str, tuple[Contributions, Contributions]] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """Return what the numbers depend on besides the decisions."""
        known = "" if self.average_similarity is None else f"|acs:{self.average_similarity:.6g}"
        return f"hierarchy:{self.structure}, {self.nodes} nodes|acceptable:{self.acceptable:g}{known}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the values of each category, which `Evaluation` lists."""
        return {
            "structure": self.structure,
            "nodes": self.nodes,
            "outside": list(self.outside),
            "acceptable": self.acceptable,
            "average_similarity": self.average_similarity,
            "micro": self.micro,
            "macro": self.macro,
            "levels": [asdict(level) for level in self.levels],
            "far": asdict(self.far),
            "signature": self.signature,
        }


def hierarchy_tables(
    truth: Sparse, decided: Sparse, where: Placed, *, wrong: Mapping[str, tuple[Contributions, Contributions]]
) -> dict[str, Counts | Extended]:
    """Return the tables of the measures by kind; one entry per category, or (ancestors, lca) per document."""
    table = counts(truth, decided)
    tables: dict[str, Counts | Extended] = {
        kind: extended(table, fp.summed(), fn.summed()) for kind, (fp, fn) in wrong.items()
    }
    tables["ancestors"] = counts(with_ancestors(truth, where), with_ancestors(decided, where), by="document")
    tables["lca"] = meeting_counts(truth, decided, where)
    return tables


def hierarchy_evaluation(
    truth: Sparse,
    decided: Sparse,
    categories: Sequence[str],
    *,
    hierarchy: Hierarchy,
    acceptable: float = 2.0,
    similarity: Similarity | None = None,
    measures: Sequence[str] = (),
    undefined: Undefined = "zero",
) -> HierarchyEvaluation:
    """Return every hierarchical measure of decisions.

    Parameters
    ----------
    truth, decided : csr_array
        True labels and decisions, documents × categories.
    categories : sequence of str
        Names of the columns.
    hierarchy : Hierarchy
        Which category is above which.
    acceptable : float
        disθ, the number of links that contributes nothing.
    similarity : Similarity, optional
        Adds the extended measures by similarity.
    measures : sequence of str
        Further measures, such as `extended_f_beta:2`.
    undefined : "zero", "one" or "omit"
        What 0/0 counts as.
    """
    where = placed(hierarchy, categories)
    nearness: dict[str, Nearness] = {"distance": by_distance(hierarchy, categories, acceptable=acceptable)}
    known = None
    if similarity is not None:
        near = by_similarity(similarity, categories, hierarchy=hierarchy)
        nearness["similarity"], known = near, near.similarity.average
    wrong = {kind: contributions(truth, decided, near) for kind, near in nearness.items()}
    tables = hierarchy_tables(truth, decided, where, wrong=wrong)
    chosen = {kind: _measures(kind, measures) for kind in tables}
    labelled = [where.categories[c] for c in np.flatnonzero(truth.sum(axis=0))]
    return HierarchyEvaluation(
        structure=hierarchy.structure(labelled),
        nodes=len(hierarchy) - hierarchy.virtual_root,
        outside=where.outside,
        acceptable=float(acceptable),
        average_similarity=known,
        levels=by_depth(truth, decided, where, undefined=undefined),
        far=how_far(truth, decided, where),
        micro={
            k: {n: micro(measure, tables[k], undefined=undefined) for n, measure in chosen[k].items()} for k in tables
        },
        macro={
            k: {n: macro(measure, tables[k], undefined=undefined) for n, measure in chosen[k].items()} for k in tables
        },
        per_category=_columns(tables, chosen, undefined),
        documents={kind: table for kind, table in tables.items() if isinstance(table, Counts)},
        wrong=wrong,
    )


def _measures(kind: str, extra: Sequence[str]) -> dict[str, Measure[...]]:
    """Return the measures of a table in the order precision, recall, F1, …; those named by the user come last."""
    sort: Any = "extended" if kind in ("distance", "similarity") else kind
    more = {name: measure for name in extra if (measure := resolve(name)).kind == sort}
    by_name = of_kind(sort)
    order = {name: place for place, name in enumerate(("precision", "recall", "f1", "accuracy", "error"))}
    return {**dict(sorted(by_name.items(), key=lambda item: order.get(item[0].rpartition("_")[2], len(order)))), **more}


def _columns(
    tables: Mapping[str, Counts | Extended], chosen: Mapping[str, Mapping[str, Measure[...]]], undefined: Undefined
) -> dict[str, Floats]:
    columns: dict[str, Floats] = {}
    for kind, table in tables.items():
        if isinstance(table, Extended):
            columns |= {f"{kind}.fp_con": table.fp_con, f"{kind}.fn_con": table.fn_con}
            columns |= {f"{kind}.{name}": measure(table, undefined=undefined) for name, measure in chosen[kind].items()}
    return columns
