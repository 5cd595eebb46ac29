"""Rows for notebooks: as a data frame, and as an HTML table."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from rubricate.errors import MissingExtra

__all__ = ["frame_of", "html_of"]


def frame_of(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Any:
    """Return a pandas data frame; pandas is needed only here."""
    try:
        import pandas
    except ImportError:
        raise MissingExtra("frames", "Data frames") from None
    return pandas.DataFrame([list(row) for row in rows], columns=list(columns))


def html_of(columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """Return an HTML table; numbers have four digits, everything else is escaped.

    >>> html_of(["system", "F1"], [("a<b", 0.5)])[:60]
    '<table><thead><tr><th>system</th><th>F1</th></tr></thead><tb'
    """
    heads = "".join(f"<th>{html.escape(str(name))}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _cell(cell: Any) -> str:
    if cell is None or cell != cell:
        return "<td>–</td>"
    if isinstance(cell, float):
        return f"<td>{cell:.4f}</td>"
    return f"<td>{html.escape(str(cell))}</td>"
