"""Figures as SVG and PNG for papers: Altair specifications drawn by vl-convert (extra `report`).

Lines differ by colour, dash and marker, so that they are distinct in black and white.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from rubricate.errors import MissingExtra

__all__ = ["PALETTE", "Rows", "drawn", "interval_chart", "line_chart", "matrix_chart"]

PALETTE = ("#0b5ea8", "#b84a00", "#00735a", "#9b2f7a", "#7a6200", "#4b45b2", "#006f8e", "#5c5c5c")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (12, 4), (4, 2, 1, 2), (1, 3), (10, 2, 2, 2, 2, 2))

Rows: TypeAlias = list[dict[str, Any]]
"""The data of a figure, one mapping per point."""


def _altair() -> Any:
    try:
        import altair
        import vl_convert  # noqa: F401
    except ImportError:
        raise MissingExtra("report", "figures as SVG and PNG") from None
    return altair


def drawn(figure: Any) -> dict[str, bytes]:
    """Draw a figure as the content of its files: `svg`, and `png` at twice the size. Nothing is downloaded."""
    _altair()
    import vl_convert

    svg = str(vl_convert.vegalite_to_svg(figure.to_dict()))
    return {"svg": svg.encode("utf-8", "replace"), "png": bytes(vl_convert.svg_to_png(svg, scale=2))}


def line_chart(
    rows: Rows,
    names: Sequence[str],
    *,
    x: str,
    y: str,
    log: bool = False,
    top: float | None = 1.0,
    signs: bool = True,
) -> Any:
    """Chart `rows` with `system`, `x` and `y` as lines, one per system, in the order of `names`."""
    alt = _altair()
    order = list(dict.fromkeys([*names, *(row["system"] for row in rows)]))
    scheme = {
        "color": alt.Color("system:N", title=None, sort=order, scale=_scale(alt, order, PALETTE)),
        "strokeDash": alt.StrokeDash("system:N", title=None, sort=order, scale=_scale(alt, order, DASHES)),
    }
    if signs:
        scheme["shape"] = alt.Shape("system:N", title=None, sort=order, scale=_scale(alt, order, SHAPES))
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("x:Q", title=x, scale=alt.Scale(type="log" if log else "linear", nice=not log)),
        y=alt.Y("y:Q", title=y, scale=alt.Scale(domain=[0, top]) if top else alt.Scale(zero=True)),
        **scheme,
    )
    lines = base.mark_line(strokeWidth=1.8)
    whole = lines + base.mark_point(filled=True, size=45, opacity=1) if signs else lines
    return _styled(whole.properties(width=420, height=260), symbolStrokeWidth=0 if signs else 1.8)


def _scale(alt: Any, order: Sequence[str], values: Sequence[Any]) -> Any:
    return alt.Scale(domain=list(order), range=[values[k % len(values)] for k in range(len(order))])


def interval_chart(rows: Rows, *, order: Sequence[str]) -> Any:
    """Chart values with intervals: `rows` with `system`, `measure`, `value`, and `low` and `high` where known."""
    alt = _altair()
    base = alt.Chart().encode(y=alt.Y("system:N", sort=list(order), title=None))
    ends = base.mark_rule(color=PALETTE[0], strokeWidth=1.8).encode(
        x=alt.X("low:Q", title=None, scale=alt.Scale(zero=False)), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=55, color=PALETTE[0], opacity=1).encode(x=alt.X("value:Q", title=None))
    panel = (ends + dots).properties(width=240, height=26 * len(order) + 10)
    columns = list(dict.fromkeys(row["measure"] for row in rows))
    facet = alt.Facet("measure:N", sort=columns, title=None)
    return _styled(panel.facet(facet, columns=2, data=alt.Data(values=rows)).resolve_scale(x="independent"))


def matrix_chart(rows: Rows) -> Any:
    """Chart confusions: `rows` with `missed`, `given` and `documents`; darker is more, each cell shows its number."""
    alt = _altair()
    most = max(row["documents"] for row in rows)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("given:N", title="given instead", axis=alt.Axis(orient="top", labelAngle=-90)),
        y=alt.Y("missed:N", title="missed"),
    )
    cells = base.mark_rect().encode(color=alt.Color("documents:Q", scale=alt.Scale(scheme="reds"), legend=None))
    light = alt.condition(f"datum.documents > {0.6 * most}", alt.value("white"), alt.value("black"))
    return _styled((cells + base.mark_text(fontSize=10).encode(text="documents:Q", color=light)), grid=False)


def _styled(chart: Any, *, grid: bool = True, **legend: Any) -> Any:
    return (
        chart.configure(font="sans-serif", background="white")
        .configure_axis(grid=grid, gridColor="#e3e0d9", domainColor="#5d5953", tickColor="#5d5953", labelLimit=220)
        .configure_view(stroke=None)
        .configure_legend(labelLimit=240, **legend)
    )
