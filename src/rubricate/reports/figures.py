"""Figures as files: SVG by the drawer of the pages; PNG and PDF made from it, with the extra `report`."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path

from rubricate.atomic import write_file
from rubricate.errors import MissingExtra, UnknownName
from rubricate.experiments.figure import Chart, Drawing
from rubricate.reports.charts import draw

__all__ = ["FORMS", "available_forms", "write_figure"]

FORMS = ("svg", "png", "pdf", "json")
SCALE = 2
"""Pixels of a PNG for each pixel of the drawing."""


def available_forms() -> tuple[str, ...]:
    """Return the forms of pictures that this installation can write."""
    return ("svg", "png", "pdf") if importlib.util.find_spec("vl_convert") else ("svg",)


def write_figure(
    figure: Chart | Drawing, folder: Path, *, forms: Sequence[str] | None = None, heading: bool = True
) -> list[Path]:
    """Write `<name>.svg` and so on into a folder, created if it is missing, and return the paths.

    Without `forms`: SVG, and PNG and PDF if the extra `report` is installed. `json` is the figure as data.
    A chart shows its title unless `heading` is False, as in a paper, which has captions of its own.
    """
    wanted = available_forms() if forms is None else tuple(forms)
    unknown = [form for form in wanted if form not in FORMS]
    if unknown:
        raise UnknownName("form of a figure", unknown[0], FORMS)
    contents = {form: _content(figure, form, heading=heading) for form in wanted}
    return [write_file(folder / f"{figure.name}.{form}", content) for form, content in contents.items()]


def _content(figure: Chart | Drawing, form: str, *, heading: bool) -> bytes:
    if form == "json":
        return json.dumps(dataclasses.asdict(figure), indent=1).encode()
    title = figure.title if heading else ""
    svg = figure.svg if isinstance(figure, Drawing) else draw(figure).file(title)
    if form == "svg":
        return svg.encode("utf-8", "replace")
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("report", "figures as PNG and PDF") from None
    return bytes(vl_convert.svg_to_png(svg, scale=SCALE) if form == "png" else vl_convert.svg_to_pdf(svg))
