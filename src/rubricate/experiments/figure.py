"""A figure as data: what is drawn, not how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Drawing", "Figure", "Series"]


@dataclass(frozen=True)
class Series:
    """A named line or set of bars; points where y is NaN are left out."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True)
class Figure:
    """One figure of a paper, made again."""

    name: str
    title: str
    x_title: str
    y_title: str
    series: Sequence[Series]
    kind: Literal["bars", "lines"] = "lines"
    log_y: bool = False
    log_x: bool = False


@dataclass(frozen=True)
class Drawing:
    """A figure that is not a chart, such as a tree: the SVG itself."""

    name: str
    title: str
    svg: str
