"""Trees and graphs of categories: structure, coverage, distance; and the files that hold them."""

from __future__ import annotations

from rubricate.hierarchy.structure import VIRTUAL_ROOT, Hierarchy, Structure
from rubricate.hierarchy.taxonomy_files import path_edges, read_taxonomy

__all__ = ["VIRTUAL_ROOT", "Hierarchy", "Structure", "path_edges", "read_taxonomy"]
