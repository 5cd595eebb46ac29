"""Hashes of settings and of documents: equal content, equal hash, on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.matrices import stacked
from rubricate.types import Documents

__all__ = ["canonical", "digest", "documents_digest"]


def canonical(value: Any) -> str:
    """Return JSON in its one canonical form: keys sorted, no spaces, no NaN.

    >>> canonical({"b": 1, "a": [0.5, None]})
    '{"a":[0.5,null],"b":1}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"settings of a stored trial must be numbers, texts, lists and tables, as JSON has them: {error}"
        ) from None


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def documents_digest(documents: Documents) -> str:
    """Return the hash of documents: ids, titles, bodies, labels, categories, and vectors where they have some.

    Cost: one pass over the text, some hundred MB per second.
    """
    sha = hashlib.sha256()
    _add_texts(sha, documents.ids)
    _add_texts(sha, documents.bodies)
    _add_texts(sha, documents.titles if documents.titles is not None else ())
    _add_texts(sha, documents.categories)
    labels = documents.labels
    for array in (labels.indptr, labels.indices):
        sha.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    if "vectors" in documents.fields:
        _add_matrix(sha, stacked(documents.fields["vectors"]))
    return sha.hexdigest()


def _add_matrix(sha: Any, matrix: Any) -> None:
    """Add a dense matrix, or the arrays of a sparse one."""
    if sparse.issparse(matrix):
        for array in (matrix.indptr, matrix.indices):
            sha.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    sha.update(np.ascontiguousarray(matrix.data if sparse.issparse(matrix) else matrix, dtype="<f8").tobytes())


def _add_texts(sha: Any, texts: Iterable[str]) -> None:
    """Add each text behind its length, so that no two lists give the same bytes."""
    count = 0
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        sha.update(len(raw).to_bytes(8, "little") + raw)
        count += 1
    sha.update(b"end" + count.to_bytes(8, "little"))
