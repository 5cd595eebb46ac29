"""Whether the vectors of all documents fit into memory, before they are made."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.labels import column
from rubricate.text.blocks import Blocks
from rubricate.text.representation import Representation, source_of
from rubricate.training.data import TrainingData
from rubricate.types import Documents

__all__ = ["check_memory", "document_texts", "expected_need", "free_memory"]

SMALL = 1 << 24
"""Characters below which vectors of any representation fit (about 2 GB of n-grams at the very worst)."""
PROBED = 200
"""Documents from which the size of the others is guessed."""
NEED = 8
"""Bytes of memory for a byte of text."""
PACKED = {".gz": 4.0, ".parquet": 3.0, ".pq": 3.0}
"""How many times their size compressed files of text unpack to."""
BYTES = 45
"""Memory of an entry: its count (8 bytes), its weight (12), that of a fold (10), and both again side by side."""


def check_memory(representation: Representation | Blocks, material: TrainingData) -> None:
    """Raise InvalidInput where blocks of words and characters would need more memory than there is.

    The guess is from every n-th document, and looks only at corpora of more than 16 million characters.
    """
    if not isinstance(representation, Blocks) or not isinstance(material.documents, Documents | Sequence):
        return
    sizes = np.fromiter((len(text) for text in document_texts(material) if isinstance(text, str)), np.int64)
    free = free_memory()
    if free is None or sizes.sum() < SMALL:
        return
    rows = np.unique(np.linspace(0, len(sizes) - 1, PROBED).astype(np.int64))
    probe = material.sample(rows)
    counted = [part for part in representation.parts if source_of(part.weights) == "counts"]
    entries = sum(part.read(probe.documents).values.nnz for part in counted)
    needed = BYTES * entries * sizes.sum() / max(1, sizes[rows].sum())
    if needed > free:
        raise InvalidInput(
            f"words and characters of {len(sizes):,} documents ({sizes.sum() / 1e6:.0f} million characters) would need "
            f"about {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free. "
            "Fix: --representation terms, or fewer documents"
        )


def document_texts(material: TrainingData) -> Sequence[str]:
    """Return the texts that a training reads, without titles."""
    documents = material.documents
    return documents.bodies if isinstance(documents, Documents) else column(documents)


def expected_need(path: Path) -> int | None:
    """Guess the memory that the texts and vectors of a file or folder will take; None where there is no such file.

    Texts, ids, counts, vectors, and their copies for a fold and in the solver take a few times the size of the text;
    the guess is on the safe side.
    """
    if not path.exists():
        return None
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    return sum(int(file.stat().st_size * PACKED.get(file.suffix.lower(), 1)) for file in files) * NEED


def free_memory() -> int | None:
    """Return the bytes of memory that are free; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
