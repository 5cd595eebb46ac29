"""Evidence for scores that are sums: the terms, documents or parts with the largest shares."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse

from rubricate.types import Evidence, Floats, Ints

__all__ = ["Kind", "contributions", "strongest"]

Kind: TypeAlias = Literal["term", "document", "rule", "part"]


def strongest(
    indices: Any,
    weights: Floats,
    limit: int,
    *,
    kind: Kind = "term",
    detail: str = "",
    names: Sequence[str] = (),
) -> list[Evidence]:
    """Return the indices with the largest absolute weights as evidence, largest first, the earlier of equals.

    Weights of zero are left out. `names` are parallel to `indices`, where only the classifier knows them.
    """
    order = np.argsort(-np.abs(weights), kind="stable")[:limit]
    return [
        Evidence(kind, int(indices[i]), float(weights[i]), detail=detail, name=names[i] if names else "")
        for i in order
        if weights[i] != 0
    ]


def contributions(X: Any, weights: Floats, limit: int, *, columns: Ints | None = None) -> list[list[Evidence]]:
    """Return the terms of each row of X by weight · value; `columns` are their numbers where X holds only some."""
    X = sparse.csr_array(X)
    reasons = []
    for start, stop in pairwise(X.indptr):
        terms = X.indices[start:stop]
        own = terms if columns is None else columns[terms]
        reasons.append(strongest(own, X.data[start:stop] * weights[terms], limit))
    return reasons
