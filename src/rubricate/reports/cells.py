"""Cells of tables as text, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import math
import numbers
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

__all__ = [
    "CellValue",
    "aligned",
    "is_number",
    "latex",
    "markdown",
    "missing",
    "paragraph",
    "plain",
    "shown",
    "width",
]

CellValue = str | int | float | bool | None


def is_number(cell: CellValue) -> bool:
    """Tell whether the cell is a number; True and False are not."""
    return isinstance(cell, numbers.Real) and not isinstance(cell, bool)


def missing(cell: CellValue) -> bool:
    """Tell whether there is nothing to show: None or NaN."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def shown(cell: CellValue, digits: int) -> str:
    """Return a cell for readers; a fraction below one loses its leading zero, as in the tables of the papers."""
    if missing(cell):
        return "–"
    if isinstance(cell, numbers.Integral) or not isinstance(cell, numbers.Real):
        return " ".join(str(cell).split())
    text = f"{float(cell):.{digits}f}"
    if float(text) == 0 and cell != 0:
        return f"{float(cell):.1e}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def width(text: str) -> int:
    """Count the terminal columns of a text: wide characters take two, combining characters none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def aligned(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    """Return one line of text: each cell padded to its width, on the left where `right` is true."""
    padded = []
    for cell, wide, flush in zip(cells, widths, right, strict=True):
        blank = " " * (wide - width(cell))
        padded.append(blank + cell if flush else cell + blank)
    return "  ".join(padded).rstrip()


def markdown(text: str) -> str:
    """Escape what Markdown would take for markup."""
    return paragraph(text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*"))


def paragraph(text: str) -> str:
    """Escape a line of Markdown, where `>` at its start would quote it and `<` begin a tag."""
    return text.replace("<", "&lt;").replace(">", "&gt;")


_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{sign: rf"\ensuremath{{{sign}}}" for sign in "<>"},
    ">>": r"\ensuremath{\gg}",
    "<<": r"\ensuremath{\ll}",
    "<=": r"\ensuremath{\le}",
    ">=": r"\ensuremath{\ge}",
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\ensuremath{\sim}",
    "|": r"\textbar{}",
    "–": "--",
    "α": r"\ensuremath{\alpha}",
    "β": r"\ensuremath{\beta}",
    "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}",
    "×": r"\ensuremath{\times}",
    "·": r"\ensuremath{\cdot}",
}


_SIGNS = re.compile(r"[<>]=|>>|<<|.", re.DOTALL)


def latex(text: str) -> str:
    """Write the special characters of LaTeX, and the signs that our tables use, as commands."""
    return _SIGNS.sub(lambda found: _LATEX.get(found[0], found[0]), text)


def plain(cell: CellValue) -> Any:
    """Return the cell for JSON: a plain Python value, None where JSON has no number for it."""
    if missing(cell) or (isinstance(cell, float) and math.isinf(cell)):
        return None
    item = getattr(cell, "item", None)
    return cell if item is None else item()
