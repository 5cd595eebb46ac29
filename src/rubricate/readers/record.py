"""A document on its way into a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

__all__ = ["Record"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Record:
    """A document as it was read. `split` is None where the file does not say; `line` is where it starts."""

    id: str
    text: str
    labels: tuple[str, ...] = ()
    title: str | None = None
    split: Literal["train", "test"] | None = None
    line: int | None = None
    fields: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
