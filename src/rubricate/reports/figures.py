"""Figures as SVG and PNG, drawn by Altair without a browser; legible in black and white."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from rubricate.atomic import write_file
from rubricate.errors import MissingExtra, UnknownName
from rubricate.experiments.figure import Drawing, Figure

__all__ = ["FORMS", "chart_of", "write_figure"]

FORMS = ("svg", "png", "json")
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 4]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
GREYS = ["#000000", "#3b3b3b", "#555555", "#000000", "#707070", "#2a2a2a"]


def chart_of(figure: Figure) -> dict[str, Any]:
    """Return the Vega-Lite specification: bars, or lines that differ by dashes and markers instead of colours."""
    rows = [
        {"x": x, "y": y, "series": series.name}
        for series in figure.series
        for x, y in zip(series.x, series.y, strict=True)
        if not math.isnan(y)
    ]
    scale = {"type": "log"} if figure.log_y else {"zero": True}
    encoding: dict[str, Any] = {
        "x": {"field": "x", "type": "quantitative", "title": figure.x_title} | _axis(figure),
        "y": {"field": "y", "type": "quantitative", "title": figure.y_title, "scale": scale},
    }
    whole = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": figure.title,
        "width": 560,
        "height": 320,
        "background": "white",
        "data": {"values": rows},
    }
    if figure.kind == "bars":
        encoding["y"]["scale"] |= {"domainMin": 1} if figure.log_y else {}
        return {**whole, "mark": {"type": "bar", "color": "#444444"}, "encoding": encoding}
    names = [series.name for series in figure.series]
    for channel, values in (("strokeDash", DASHES), ("shape", SHAPES), ("color", GREYS)):
        wanted = {"domain": names, "range": [values[i % len(values)] for i in range(len(names))]}
        encoding[channel] = {"field": "series", "type": "nominal", "title": None, "sort": names, "scale": wanted}
    return {**whole, "mark": {"type": "line", "point": {"size": 45, "filled": True}}, "encoding": encoding}


def _axis(figure: Figure) -> dict[str, Any]:
    """Return the x-axis; a logarithmic one has its ticks at the points."""
    if not figure.log_x:
        return {}
    places = sorted({x for series in figure.series for x in series.x})
    return {"scale": {"type": "log", "nice": False}, "axis": {"values": places}}


def write_figure(figure: Figure | Drawing, folder: Path, *, forms: tuple[str, ...] = ("svg", "png")) -> list[Path]:
    """Write `<name>.svg` and so on into a folder, created where needed, and return the paths."""
    unknown = [form for form in forms if form not in FORMS]
    if unknown:
        raise UnknownName("form of a figure", unknown[0], FORMS)
    paths = []
    for form in forms:
        path = folder / f"{figure.name}.{form}"
        drawn = _converted(figure, form) if isinstance(figure, Drawing) else _drawn(chart_of(figure), form)
        paths.append(write_file(path, drawn))
    return paths


def _converted(drawing: Drawing, form: str) -> bytes:
    if form == "json":
        raise UnknownName("form of a drawing", form, [known for known in FORMS if known != "json"])
    if form == "svg":
        return drawing.svg.encode()
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("report", "figures") from None
    return vl_convert.svg_to_png(drawing.svg, scale=2)


def _drawn(chart: dict[str, Any], form: str) -> bytes:
    if form == "json":
        return json.dumps(chart, indent=1).encode()
    try:
        import altair
        import vl_convert
    except ImportError:
        raise MissingExtra("report", "figures") from None
    spec = altair.Chart.from_dict(chart).to_dict()
    if form == "svg":
        return vl_convert.vegalite_to_svg(spec).encode()
    return vl_convert.vegalite_to_png(spec, scale=2)
