"""Tables of the page: column headings, numbers aligned right, cells that carry their full value for sorting."""

from __future__ import annotations

from collections.abc import Sequence

from rubricate.reports.cells import CellValue, is_number, missing, shown
from rubricate.reports.page.html import Html, isolated, tag
from rubricate.reports.tables import Table

__all__ = ["grid", "number_cell", "plain_table"]


def number_cell(value: float | int | None, *, digits: int = 3, class_: str = "", title: str | None = None) -> Html:
    """Return a cell with a number; it sorts by its full value."""
    full = None if value is None or missing(value) else f"{value:.6g}" if isinstance(value, float) else str(value)
    classes = f"num {class_}".strip()
    text = f"{value:,}" if isinstance(value, int) else shown(value, digits)
    return tag("td", text, class_=classes, data_value=full if full is not None else "", title=title)


def grid(
    heads: Sequence[Html | str],
    rows: Sequence[Html],
    *,
    numeric: Sequence[bool] = (),
    caption: str = "",
    label: str = "table",
    class_: str | None = None,
    tall: bool = False,
    id_: str | None = None,
    filter_: str | None = None,
    sortable: bool = False,
) -> Html:
    """Return a table in its own scrolling box.

    Screen readers use `label` where there is no caption; `filter_` labels the search field.
    """
    right = [*numeric, *[False] * (len(heads) - len(numeric))]
    cells = [
        tag("th", head, scope="col", class_="num" if flush else None) for head, flush in zip(heads, right, strict=True)
    ]
    table = tag(
        "table",
        tag("caption", caption) if caption else None,
        tag("thead", tag("tr", cells)),
        tag("tbody", rows),
        class_=class_,
        id=id_,
        data_sortable=sortable or None,
        data_filter=filter_,
    )
    return tag(
        "div",
        table,
        class_="scroll tall" if tall else "scroll",
        tabindex="0",
        role="region",
        aria_label=caption or label,
    )


def plain_table(table: Table, *, tall: bool = False, sortable: bool = False) -> Html:
    """Return a `Table` as markup: names in the first column, numbers aligned right, notes below."""
    numeric = [any(is_number(row[k]) for row in table.rows) for k in range(len(table.columns))]
    rows = [tag("tr", [_cell(cell, k, table.digits) for k, cell in enumerate(row)]) for row in table.rows]
    notes = [tag("p", note, class_="note") for note in table.notes]
    whole = grid(table.columns, rows, numeric=numeric, caption=table.title, tall=tall, sortable=sortable)
    return Html(whole + "".join(notes))


def _cell(cell: CellValue, column: int, digits: int) -> Html:
    if is_number(cell) or missing(cell):
        return number_cell(cell, digits=digits)  # type: ignore[arg-type]
    return tag("td", isolated(str(cell))) if column else tag("th", isolated(str(cell)), scope="row")
