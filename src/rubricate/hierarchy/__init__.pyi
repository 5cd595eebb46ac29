"""Public names of `rubricate.hierarchy`; `__init__.py` reads this list."""

from ..io.taxonomies import path_edges as path_edges
from ..io.taxonomies import read_taxonomy as read_taxonomy
from .drawing import as_svg as as_svg
from .drawing import as_text as as_text
from .kinship import distance as distance
from .kinship import distances as distances
from .kinship import lowest_common_ancestors as lowest_common_ancestors
from .kinship import siblings as siblings
from .structure import VIRTUAL_ROOT as VIRTUAL_ROOT
from .structure import Hierarchy as Hierarchy
from .structure import Structure as Structure
from .structure import ancestor_pairs as ancestor_pairs
