"""The record of every number before training was rebuilt: how values are digested, stored and compared.

A part is one JSON file beside this module: case → values. A case is a function without arguments that computes its
values through public names only, so that the record holds whatever the package looks like inside. Scores are rounded
to 6 digits, then digested; shape, mean and extremes stand beside a digest to show how far a changed one is off.

Digests do not depend on threads, hash seeds or runs. On another kind of processor BLAS and some kernels add in another
order, and what is computed by iteration (`SENSITIVE` in `parts.py`) may differ in the sixth digit: there, and only
there, such cases are held to `NEAR`. `machine.json` says on which kind the record was made.

A digest may be renewed (`python -m tests.record.make PART CASE`) only in a commit that names the cause.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_info

from rubricate.native.library import VARIANT

FOLDER = Path(__file__).parent
DIGITS = 6
VERBATIM = 1_000
"""Characters of JSON up to which a list or mapping is stored as it is."""
MANY = 20
"""Items up to which a longer one is stored item by item; one of more, as of all categories, as a digest."""

NEAR = 1e-4
"""How far numbers may be apart on another kind of processor."""

Case = Callable[[], Any]


def rounded(values: Any, digits: int = DIGITS) -> Any:
    """Return a float64 array without the digits after `digits`, and without negative zeros."""
    return np.round(np.asarray(values, dtype=np.float64), digits) + 0.0


def digest(values: Any, digits: int = DIGITS) -> dict[str, Any]:
    """Return the digest of a matrix (dense, or sparse with explicit places) with figures that say how it looks."""
    hashed = hashlib.sha256()
    if sparse.issparse(values):
        matrix = sparse.csr_array(values, copy=True)
        matrix.sum_duplicates()
        hashed.update(matrix.indptr.astype("<i8").tobytes() + matrix.indices.astype("<i8").tobytes())
        shape, array = matrix.shape, rounded(matrix.data, digits)
    else:
        array = rounded(values, digits)
        shape = array.shape
    if np.isnan(array).any():
        raise ValueError("a score is not a number; the record has none")
    hashed.update(repr(tuple(map(int, shape))).encode() + array.astype("<f8").tobytes())
    finite = array[np.isfinite(array)]
    looks = [finite.mean(), finite.min(), finite.max()] if finite.size else []
    return {
        "sha256": hashed.hexdigest(),
        "shape": [*map(int, shape)],
        "mean min max": [round(float(x), 5) for x in looks],
        **({"stored": int(array.size)} if sparse.issparse(values) else {}),
    }


def text_digest(value: Any) -> str:
    """Return the digest of texts, names or other JSON."""
    return hashlib.sha256(_compact(value).encode()).hexdigest()


def plain(value: Any) -> Any:
    """Return a value as JSON holds it: floats rounded, arrays as lists, no infinities."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(each) for each in value]
    if isinstance(value, (float, np.floating)):
        return round(float(value), DIGITS) + 0.0 if math.isfinite(value) else str(value)
    return value.item() if isinstance(value, np.generic) else value


def short(value: Any) -> Any:
    """Return a tree in which every long list or mapping of many items is replaced by its length and digest."""
    if isinstance(value, (list, Mapping)) and len(_compact(value)) > VERBATIM:
        if len(value) > MANY or not any(isinstance(each, (list, Mapping)) for each in _items(value)):
            return {"items": len(value), "sha256": text_digest(value)}
        return [short(each) for each in value] if isinstance(value, list) else {k: short(v) for k, v in value.items()}
    return value


def _items(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, Mapping) else value


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def stored(part: str) -> dict[str, Any]:
    """Return what is recorded of a part; nothing where it has no file yet."""
    path = FOLDER / f"{part}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def store(part: str, entries: Mapping[str, Any]) -> None:
    """Write a part, one line per case."""
    lines = [f"{json.dumps(name)}: {_compact(entries[name])}" for name in sorted(entries)]
    (FOLDER / f"{part}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def computed(case: Case) -> Any:
    """Return the values of a case as they come back from its JSON file."""
    return json.loads(_compact(short(plain(case()))))


def processor() -> str:
    """Return the kinds of processor that BLAS computes for, and the variant of the compiled library."""
    libraries = sorted({library["architecture"] for library in threadpool_info() if "architecture" in library})
    return ", ".join([*libraries, VARIANT])


def differences(before: Any, after: Any, path: str = "", *, near: float = 0.0) -> Iterator[str]:
    """Yield a line for each place where two trees differ, numbers by more than `near`.

    With `near`, digests may differ where the figures beside them are near.
    """
    if isinstance(before, dict) and isinstance(after, dict) and (near or "sha256" not in before):
        for key in sorted({*before, *after} - ({"sha256"} if near else set())):
            place = f"{path}/{key}"
            if key not in before or key not in after:
                yield f"{place}: {'new' if key in after else 'gone'}"
            else:
                yield from differences(before[key], after[key], place, near=near)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from differences(old, new, f"{path}/{index}", near=near)
    elif before != after and not (near and _are_near(before, after, near)):
        yield f"{path}: {_compact(before)} became {_compact(after)}"


def _are_near(before: Any, after: Any, near: float) -> bool:
    return isinstance(before, float) and isinstance(after, float) and abs(before - after) <= near
