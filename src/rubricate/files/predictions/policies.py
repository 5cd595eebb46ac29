"""What to do with documents, labels and rows that do not fit the truth."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rubricate.errors import UnknownName

__all__ = ["Duplicates", "Missing", "Policies", "Unknown", "policies_from"]

Missing: TypeAlias = Literal["error", "wrong", "drop"]
Unknown: TypeAlias = Literal["error", "wrong", "new"]
Duplicates: TypeAlias = Literal["error", "first"]

CHOICES = {"missing": ("error", "wrong", "drop"), "unknown": ("error", "wrong"), "duplicates": ("error", "first")}


@dataclass(frozen=True)
class Policies:
    """How runs are brought to the documents and categories of the truth.

    Parameters
    ----------
    missing : "error", "wrong" or "drop"
        A document of the truth that a run lacks: an error; answered with nothing, which counts as wrong; or left out
        for all runs. Under the last two, documents that the truth lacks are ignored.
    unknown : "error", "wrong" or "new"
        A label that is not a category of the truth: an error; or a wrong answer that counts in micro-averages and in
        measures by document, while macro-averages stay those of the known categories. "new", which only objects in
        memory use, makes it one more category.
    duplicates : "error" or "first"
        A document or pair that occurs twice: an error, or the first one counts.
    """

    missing: Missing = "error"
    unknown: Unknown = "error"
    duplicates: Duplicates = "error"

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            value = getattr(self, name)
            if value not in known and (name, value) != ("unknown", "new"):
                raise UnknownName(f"policy for {name}", str(value), known)


def policies_from(
    *,
    missing: Missing = "error",
    unknown: Unknown = "error",
    duplicates: Duplicates = "error",
    intersection: bool = False,
    new_categories: bool = False,
) -> Policies:
    """Return the policies; `intersection` and `new_categories` are the deprecated names of two of them."""
    if intersection:
        warnings.warn("intersection is deprecated; use missing='drop' (--missing drop)", FutureWarning, stacklevel=3)
        missing = "drop"
    if new_categories:
        warnings.warn(
            "new_categories is deprecated; use unknown='wrong' (--unknown wrong)", FutureWarning, stacklevel=3
        )
        unknown = "wrong"
    return Policies(missing, unknown, duplicates)
