"""Categories of a run found in a hierarchy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.hierarchy import Hierarchy
from rubricate.types import Bools, Ints

__all__ = ["Placed", "placed"]


@dataclass(frozen=True, eq=False)
class Placed:
    """The node of each category, −1 for one outside the hierarchy."""

    hierarchy: Hierarchy
    categories: tuple[str, ...]
    nodes: Ints

    @property
    def inside(self) -> Bools:
        """Tell which categories the hierarchy has."""
        inside: Bools = self.nodes >= 0
        return inside

    @property
    def outside(self) -> tuple[str, ...]:
        """Return the categories that the hierarchy does not have."""
        return tuple(self.categories[c] for c in np.flatnonzero(~self.inside))

    @cached_property
    def root_is_category(self) -> bool:
        """Tell whether documents can be put under the root itself."""
        return bool((self.nodes == 0).any())


def placed(hierarchy: Hierarchy, categories: Sequence[str], *, required: bool = True) -> Placed:
    """Find the categories in the hierarchy; where it has none of them, raise if that is `required`.

    >>> tree = Hierarchy.from_edges([("grain", "corn"), ("grain", "wheat")])
    >>> placed(tree, ["wheat", "ship"]).nodes.tolist()
    [2, -1]
    """
    names = tuple(map(str, categories))
    nodes = np.array([hierarchy.index(name) if name in hierarchy else -1 for name in names], np.int64)
    if hierarchy.virtual_root:
        nodes[nodes == 0] = -1
    if required and len(names) and not (nodes >= 0).any():
        have, want = (", ".join(map(repr, part[:3])) for part in (hierarchy.names[hierarchy.virtual_root :], names))
        raise InvalidInput(
            f"no category of the run is in the hierarchy: it has {have}, …, the run {want}, …; "
            "give the hierarchy of these categories, with the names spelt alike"
        )
    return Placed(hierarchy, names, nodes)
