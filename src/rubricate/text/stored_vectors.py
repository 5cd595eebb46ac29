"""Vectors of texts kept on disk, by the content of the text and everything else that determines them.

    STORE/vectors/KEY/*.npy     one row per text: 16 bytes of the text's SHA-256, then the vector in single precision

KEY names the encoder (its digest, pooling, most tokens). A file appears whole or not at all; one that is damaged is
left out, and its texts are encoded again. Nothing but numbers is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["KeptVectors"]

KEY_BYTES = 16


class KeptVectors:
    """The vectors of one encoder that are in a folder.

    Parameters
    ----------
    folder
        Where they lie; it need not exist.
    width
        Numbers of a vector.
    """

    def __init__(self, folder: Path, width: int) -> None:
        self.folder, self.width = folder, width
        self._tables: list[NDArray[np.uint8]] = []
        self._places: dict[bytes, tuple[int, int]] = {}
        for path in sorted(folder.glob("*.npy")):
            with contextlib.suppress(OSError, ValueError, EOFError):
                self._take(np.load(path, mmap_mode="r", allow_pickle=False))

    def __len__(self) -> int:
        return len(self._places)

    def find(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return the vectors of texts, and for which of them one is known; unknown rows are zero."""
        vectors, known = np.zeros((len(texts), self.width), np.float32), np.zeros(len(texts), bool)
        for row, text in enumerate(texts):
            place = self._places.get(_key(text))
            if place is not None:
                bits = np.array(self._tables[place[0]][place[1], KEY_BYTES:])
                vectors[row], known[row] = bits.view(np.float32), True
        usable = np.isfinite(vectors).all(axis=1)
        return vectors, known & usable

    def keep(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Write the vectors of texts; where the folder cannot be written they are only remembered."""
        if not len(texts):
            return
        keys = np.frombuffer(b"".join(map(_key, texts)), np.uint8).reshape(-1, KEY_BYTES)
        values = np.ascontiguousarray(vectors, np.float32).view(np.uint8).reshape(len(texts), -1)
        table = np.hstack([keys, values])
        self._take(table)
        with contextlib.suppress(OSError):
            self._write(table)

    def _write(self, table: NDArray[np.uint8]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{secrets.token_hex(8)}.npy"
        part = path.with_suffix(".part")
        try:
            with part.open("wb") as stream:
                np.save(stream, table, allow_pickle=False)
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def _take(self, table: NDArray[Any]) -> None:
        if table.dtype != np.uint8 or table.ndim != 2 or table.shape[1] != KEY_BYTES + 4 * self.width:
            return
        number = len(self._tables)
        self._tables.append(table)
        keys = np.ascontiguousarray(table[:, :KEY_BYTES]).tobytes()
        for row in range(len(table)):
            self._places[keys[row * KEY_BYTES : (row + 1) * KEY_BYTES]] = (number, row)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:KEY_BYTES]
