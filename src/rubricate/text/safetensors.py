"""Read the files of an encoder: weights by the package `safetensors`, everything else as JSON.

Nothing in such a file can be executed. A file from anywhere may be hostile: the package checks the header before it
touches a byte of data, and reads with `pread`, because a file that another process shortens would end the process if
it were mapped into memory.
"""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubricate.errors import InvalidFile, MissingExtra

__all__ = ["TensorFile", "read_json"]

MAX_JSON = 1 << 26
"""Bytes of a JSON file of an encoder; the largest tokenizers of today have 35 MB."""
BFLOAT16 = "BF16"
FLOATS = ("F64", "F32", "F16", BFLOAT16)


class TensorFile:
    """The tensors of a file by name; each is read when it is asked for.

    Parameters
    ----------
    path
        The file.
    """

    def __init__(self, path: Path) -> None:
        try:
            from safetensors import SafetensorError, safe_open
        except ImportError:
            raise MissingExtra("embeddings", "Encoders of texts") from None
        self.path, self._errors = path, (SafetensorError, OSError)
        try:
            self._file: Any = safe_open(path, framework="np", backend="pread")
        except self._errors as error:
            raise self._refuse(f"cannot be read ({error!s:.200})") from None
        self.names = tuple(self._file.keys())

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def floats(self, name: str, shape: tuple[int, ...] | None = None) -> NDArray[np.float32]:
        """Return a tensor in single precision; it must have this shape, and finite numbers only."""
        if name not in self.names:
            raise self._refuse(f"no tensor named {name!r}")
        try:
            part = self._file.get_slice(name)
            dtype, actual = part.get_dtype(), tuple(part.get_shape())
            if shape is not None and actual != shape:
                raise self._refuse(f"{name} has the shape {actual}, expected {shape}")
            if dtype not in FLOATS:
                raise self._refuse(f"{name} holds {dtype}, expected floating-point numbers")
            raw = self._upper_halves[name] if dtype == BFLOAT16 else self._file.get_tensor(name)
        except self._errors as error:
            raise self._refuse(f"{name} cannot be read ({error!s:.200})") from None
        values = np.asarray(raw, np.float32).reshape(actual)
        if not np.isfinite(values).all():
            raise self._refuse(f"{name} holds NaN or infinite numbers")
        return values

    @cached_property
    def _upper_halves(self) -> dict[str, NDArray[np.float32]]:
        """The tensors in bfloat16, the upper half of single precision, which NumPy and the package do not read."""
        from safetensors import deserialize

        every = deserialize(self.path.read_bytes())
        halves = {name: np.frombuffer(entry["data"], "<u2") for name, entry in every if entry["dtype"] == BFLOAT16}
        return {name: (half.astype(np.uint32) << 16).view(np.float32) for name, half in halves.items()}

    def _refuse(self, problem: str) -> InvalidFile:
        return InvalidFile(problem, path=self.path, remedy="get the encoder's files again")


def read_json(path: Path) -> Any:
    """Return the JSON of a file of an encoder, or raise InvalidFile."""
    try:
        if path.stat().st_size > MAX_JSON:
            raise InvalidFile(f"more than {MAX_JSON:,} bytes", path=path, remedy="get the encoder's files again")
        return json.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise InvalidFile(f"cannot be read ({error.strerror or error})", path=path) from error
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"not JSON ({error!s:.100})", path=path, remedy="get the encoder's files again") from None
