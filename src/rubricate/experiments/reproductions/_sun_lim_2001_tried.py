"""Settings that Sun and Lim 2001 leave open: how many published figures each of them meets, over all three trees.

Every setting is judged over all cells of tables 4 to 6 at once; none is chosen cell by cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rubricate.classifiers.svm.svm import SVM
from rubricate.experiments.cells import Value
from rubricate.experiments.reproductions._svmlight import SVMLightDefault, default_cost
from rubricate.experiments.systems import PaperSystem
from rubricate.types import Sparse

__all__ = ["base_classifier", "tried_settings"]

DRAWS = 5
"""Draws of documents outside a tree for each setting."""
ENOUGH = {
    "4": ("crude", "grain", "nat-gas", "ship", "corn", "wheat"),
    "5": ("livestock", "veg-oil", "carcass", "oilseed"),
    "6": ("cocoa",),
}
"""Categories with 50 or more training documents (table 2)."""


def base_classifier(system: PaperSystem, tried: Mapping[str, Any], X: Sparse) -> Any:
    """Return the base classifier of a system with tried settings; an SVM without C has the default of SVMlight.

    C = "tree" is that default over all documents of the tree, C = "length" that of later versions.
    """
    parameters = {name: tried[name] for name in ("bias", "class_weight") if name in tried}
    cost = tried.get("C", system.get("C"))
    if system.get("classifier") != "svm":
        return system.classifier()
    if cost is None:
        return SVMLightDefault(**parameters)
    if cost == "tree":
        cost = default_cost(X)
    if cost == "length":
        cost = float(np.sqrt(np.asarray(X.multiply(X).sum(axis=1))).mean()) ** -2
    return SVM(C=cost, **parameters)


def tried_settings(study: Any) -> dict[tuple[str, str], Value]:
    """Count for each setting the cells within .05 of the published ones, and return the mean deviation beside."""
    counts: dict[tuple[str, str], Value] = {}
    for tried in study.options["tried"]:
        name = tried["name"]
        study.say(f"setting: {name}")
        far = {table: _deviations(study, table, tried) for table in ENOUGH}
        for table, rows in far.items():
            counts[name, f"table {table}"] = _near(rows.values())
        counts[name, "50 or more"] = _near(far[table][row] for table, rows in ENOUGH.items() for row in rows)
        every = np.concatenate([values for rows in far.values() for values in rows.values()])
        counts[name, "mean deviation"] = float(np.abs(every).mean())
    return counts


def _near(rows: Any) -> int:
    return int(sum((np.abs(values) <= 0.05 + 1e-9).sum() for values in rows))


def _deviations(study: Any, table: str, tried: Mapping[str, Any]) -> dict[str, Any]:
    """Return ours less published, by row of a table: six columns each."""
    tree = study.trees["abc"["456".index(table)]]
    draws = study.options["seeds"][:DRAWS]
    changed = {name: value for name, value in tried.items() if name != "name"}
    means = np.mean(study.draws(tree, "SVM", draws, **({"tried": changed} if changed else {})), axis=0)
    published = study.reproduction.tables[table].rows
    rows = (*tree.categories, "micro", "macro")
    return {row: means[r] - np.array([float(value) for value in published[row].values()]) for r, row in enumerate(rows)}
