"""Trees and graphs of categories: structure, coverage, distance; and the files that hold them."""

from __future__ import annotations

from rubricate.hierarchy.closure import ancestor_pairs
from rubricate.hierarchy.distance import distance, distances, lowest_common_ancestors, siblings
from rubricate.hierarchy.drawing import as_svg, as_text
from rubricate.hierarchy.structure import VIRTUAL_ROOT, Hierarchy, Structure
from rubricate.hierarchy.taxonomy_files import path_edges, read_taxonomy

__all__ = [
    "VIRTUAL_ROOT",
    "Hierarchy",
    "Structure",
    "ancestor_pairs",
    "as_svg",
    "as_text",
    "distance",
    "distances",
    "lowest_common_ancestors",
    "path_edges",
    "read_taxonomy",
    "siblings",
]
