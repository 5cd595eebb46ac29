"""Cells of tables as text, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
import numbers
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rubricate._tables import frame_of, html_of
from rubricate.errors import InvalidInput, UnknownName
from rubricate.io.text_files import inert

__all__ = [
    "FORMATS",
    "CellValue",
    "Table",
    "aligned",
    "is_number",
    "latex",
    "markdown",
    "missing",
    "paragraph",
    "plain",
    "render",
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


LONG = 50
"""Rows beyond which a LaTeX table breaks over pages."""


@dataclass(frozen=True)
class Table:
    """Columns and rows with a title, notes below, and the signature that tells where the numbers come from.

    >>> print(Table(("system", "miF1"), [("svm", 0.8599), ("knn", 0.8567)], title="Reuters").to_text())
    Reuters
    <BLANKLINE>
    system   miF1
    -------------
    svm     .8599
    knn     .8567
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[CellValue]]
    title: str = ""
    notes: Sequence[str] = ()
    signature: str = ""
    digits: int = 4

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise InvalidInput(f"row {number} has {len(row)} cells for {len(self.columns)} columns")

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Render aligned columns, names left and numbers right, with notes and signature below."""
        body = [[shown(cell, self.digits) for cell in row] for row in self.rows]
        right = _numeric(self)
        widths = [max(map(width, column)) for column in zip(self.columns, *body, strict=True)]
        lines = [aligned(cells, widths, right) for cells in ([*self.columns], *body)]
        lines.insert(1, "-" * max([*map(width, lines), 1]))
        return "\n".join([*([self.title, ""] if self.title else []), *lines, *_below(self)])

    def to_markdown(self) -> str:
        """Render a pipe table; `|` in a cell is escaped."""
        body = [[markdown(shown(cell, self.digits)) for cell in row] for row in self.rows]
        rule = [" ---: " if right else " --- " for right in _numeric(self)]
        lines = ["| " + " | ".join(cells) + " |" for cells in ([markdown(c) for c in self.columns], *body)]
        lines.insert(1, "|" + "|".join(rule) + "|")
        title = [f"**{markdown(self.title)}**", ""] if self.title else []
        below = [line for note in _below(self)[1:] for line in ("", paragraph(note))]
        return "\n".join([*title, *lines, *below])

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame, with all digits."""
        return frame_of(self.columns, self.rows)

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        rows = [[shown(cell, self.digits) for cell in row] for row in self.rows]
        return html_of(self.columns, rows, self.title)

    def to_latex(self, *, label: str = "") -> str:
        """Render a table with the rules of booktabs; characters special to LaTeX are escaped.

        The title is the caption, `label` the name for references. More than LONG rows make a `longtable`, which breaks
        over pages. The document needs `\\usepackage{booktabs, longtable}`.
        """
        body = [[latex(shown(cell, self.digits)) for cell in row] for row in self.rows]
        align = "".join("r" if right else "l" for right in _numeric(self))
        lines = [" & ".join(cells) + r" \\" for cells in ([latex(c) for c in self.columns], *body)]
        ruled = [r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"]
        if len(self.rows) > LONG:
            return self._long_latex(align, lines, label)
        caption = [rf"\caption{{{latex(self.title)}}}"] if self.title else []
        caption += [rf"\label{{{label}}}"] if label else []
        below = [rf"\par\smallskip\footnotesize {latex(note)}" for note in _below(self)[1:]]
        tabular = [rf"\begin{{tabular}}{{{align}}}", *ruled, r"\end{tabular}"]
        return "\n".join([r"\begin{table}", r"\centering", *caption, *tabular, *below, r"\end{table}"])

    def _long_latex(self, align: str, lines: Sequence[str], label: str) -> str:
        named = rf"\label{{{label}}}" if label else ""
        caption = [rf"\caption{{{latex(self.title)}}}{named}\\"] if self.title or label else []
        head = [r"\toprule", lines[0], r"\midrule"]
        whole = [rf"\begin{{longtable}}{{{align}}}", *caption, *head, r"\endfirsthead", *head, r"\endhead"]
        whole += [r"\bottomrule", r"\endfoot", *lines[1:], r"\end{longtable}"]
        below = [rf"{{\footnotesize {latex(note)}\par}}" for note in _below(self)[1:]]
        return "\n".join([*whole, *below])

    def to_csv(self) -> str:
        """Render header and rows with all digits; cells that a spreadsheet would run as a formula start with `'`."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([inert(name) for name in self.columns])
        writer.writerows([[inert("" if missing(cell) else cell) for cell in row] for row in self.rows])
        return text.getvalue().removesuffix("\n")

    def to_json(self) -> str:
        """Render title, notes, signature and one object per row."""
        rows = [{name: plain(cell) for name, cell in zip(self.columns, row, strict=True)} for row in self.rows]
        whole = {"title": self.title, "rows": rows, "notes": list(self.notes), "signature": self.signature}
        return json.dumps(whole, ensure_ascii=False, indent=2)


FORMATS: dict[str, Callable[[Table], str]] = {
    "text": Table.to_text,
    "markdown": Table.to_markdown,
    "latex": Table.to_latex,
    "csv": Table.to_csv,
    "json": Table.to_json,
}
"""The renderings by name."""


def render(table: Table, form: str = "text") -> str:
    """Render the table in one of FORMATS."""
    if form not in FORMATS:
        raise UnknownName("table format", form, FORMATS)
    return FORMATS[form](table)


def _numeric(table: Table) -> list[bool]:
    """Tell which columns hold numbers: at least one, and otherwise only missing cells."""
    columns = [[row[i] for row in table.rows if not missing(row[i])] for i in range(len(table.columns))]
    return [bool(column) and all(is_number(cell) for cell in column) for column in columns]


def _below(table: Table) -> list[str]:
    notes = [*table.notes, *([table.signature] if table.signature else [])]
    return ["", *notes] if notes else []
