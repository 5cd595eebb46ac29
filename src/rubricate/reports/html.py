"""Markup that is safe from injection: only `escape` turns text into `Html`, only `tag` makes elements.

`tag` escapes every child and attribute that is not `Html` already, so that names and documents from anywhere are
shown as they are and never run. Control characters and halves of surrogate pairs, which HTML cannot hold, are
shown as U+FFFD.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from rubricate import svg
from rubricate.reports.tables import CellValue, Table, is_number, missing, shown

__all__ = [
    "Child",
    "Html",
    "data_script",
    "escape",
    "grid",
    "isolated",
    "join",
    "number_cell",
    "plain_table",
    "shorten",
    "tag",
]

_VOID = {"br", "col", "hr", "img", "input", "meta"}
_NAME = re.compile(r"[a-z][a-z0-9-]*")


class Html(str):
    """Text that is already markup."""

    __slots__ = ()


Child: TypeAlias = "str | int | float | Html | Iterable[Child] | None"


def escape(text: str) -> Html:
    """Return markup that shows the text.

    >>> escape("<b> & 'c'")
    '&lt;b&gt; &amp; &#39;c&#39;'
    """
    if isinstance(text, Html):
        return text
    return Html(svg.escape(text))


def join(children: Child) -> Html:
    """Return the markup of the children, one after the other; None adds nothing."""
    if children is None:
        return Html("")
    if isinstance(children, (str, int, float)):
        return escape(children if isinstance(children, str) else str(children))
    return Html("".join(join(child) for child in children))


def tag(name: str, /, *children: Child, **attributes: str | int | float | bool | None) -> Html:
    """Return an element. `class_` is class, `data_x` is data-x; True is an attribute without a value; None omits it.

    >>> tag("td", "a < b", class_="num", title='"', hidden=True)
    '<td class="num" title="&quot;" hidden>a &lt; b</td>'
    """
    parts = [name]
    for key, value in attributes.items():
        attribute = key.rstrip("_").replace("_", "-")
        if not _NAME.fullmatch(attribute) or attribute.startswith("on"):
            raise ValueError(f"no attribute named {attribute!r} in a report")
        if value is True:
            parts.append(attribute)
        elif value is not None and value is not False:
            parts.append(f'{attribute}="{escape(str(value))}"')
    opening = f"<{' '.join(parts)}>"
    return Html(opening if name in _VOID else f"{opening}{join(children)}</{name}>")


def data_script(data: Any) -> Html:
    """Embed data for the script of the page. No text in it can end the element or be taken for a comment.

    Numbers are rounded to six digits; NaN and infinity become null.

    >>> data_script({"name": "</script><!--", "x": 0.12345678})
    '<script type="application/json">{"name":"\\\\u003c/script\\\\u003e\\\\u003c!--","x":0.123457}</script>'
    """
    text = json.dumps(_plain(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Html(f'<script type="application/json">{text}</script>')


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {_plain(str(key)): _plain(part) for key, part in value.items()}
    if isinstance(value, str):
        return svg.printable(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(part) for part in value]
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        short = float(f"{value:.6g}")
        return int(short) if short.is_integer() else short
    return value


def shorten(text: str, length: int = 60) -> str:
    """Put the text on one line, cut to a length with an ellipsis.

    >>> shorten("one  two\\nthree", 9)
    'one two …'
    """
    line = " ".join(text[: 20 * length].split())
    return line if len(line) <= length else line[: length - 1].rstrip() + " …"


def isolated(name: str, length: int = 60, **attributes: str | None) -> Html:
    """Show a name from outside: shortened, with its own writing direction; its tooltip has the whole name."""
    short = shorten(name, length)
    return tag("bdi", short, title=shorten(name, 500) if short != name else None, **attributes)


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
