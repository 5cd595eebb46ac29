"""Figures as files: SVG by the drawer of the pages; PNG and PDF made from it, with the extra `report`."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from rubricate.errors import MissingExtra, UnknownName
from rubricate.measures import Abstention, Band, Sweep, pooled_sweep, sweeps
from rubricate.papers.figures import Chart, Drawing, Figure, IntervalRow, Intervals, Matrix, MatrixCell, Series
from rubricate.reports.charts import draw
from rubricate.reports.data import RunLearningCurve
from rubricate.reports.evaluation_tables import Confusions, confusions
from rubricate.reports.exports import abstention_curves, file_stem, frequency_curves
from rubricate.reports.html import shorten
from rubricate.reports.results import ReportResults
from rubricate.storage import write_file
from rubricate.types import Scores

__all__ = [
    "FORMS",
    "available_forms",
    "confusion_figure",
    "coverage_figure",
    "frequency_figures",
    "learning_figures",
    "precision_recall",
    "report_figures",
    "systems_figure",
    "write_figure",
]

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


POINTS = 200
"""The most points of a line of precision and recall."""
COVERAGES = 40
"""The places at which error is shown against coverage."""
LEAST_COVERAGE = 0.02
"""Below this share of the documents an error is the noise of a few of them."""
MOST_CONFUSED = 14
"""Categories in a drawing of confusions."""
FREQUENCIES = {"doubling": "intervals that double", "rare": "rare categories", "full": "intervals of equal width"}


def report_figures(results: ReportResults) -> Iterator[Chart]:
    """Yield every figure that has something to show."""
    yield systems_figure(results)
    yield from frequency_figures(results).values()
    pooled = precision_recall(results)
    if pooled.series:
        yield pooled
    coverage = coverage_figure(results)
    if coverage is not None:
        yield coverage
    yield from learning_figures(results)
    confused = confusions(results.truth, results.decided(results.order[0]))
    if confused.pairs.nnz:
        yield confusion_figure(results, results.order[0], confused)


def _system(results: ReportResults, name: str) -> tuple[str, int]:
    """Return the name of a system as figures show it, and its slot."""
    return shorten(name, 40), results.names.index(name)


def systems_figure(results: ReportResults) -> Intervals:
    """Return micro-F1 and macro-F1 of the systems with their intervals, best first."""
    columns = ("micro-F1", "macro-F1")
    rows = []
    for system in results.order:
        values: list[tuple[float, float | None, float | None]] = []
        for column in columns:
            interval = results.interval(system, column)
            ends = (interval.low, interval.high) if interval else (None, None)
            values.append((results.value(system, column), *ends))
        rows.append(IntervalRow(shorten(results.names[system], 40), values, slot=system))
    return Intervals("systems", "Micro-F1 and macro-F1 of the systems", columns, rows)


def frequency_figures(results: ReportResults) -> dict[str, Figure]:
    """Return mean F1 by training frequency: in doubling intervals, of rare categories, over the full range."""
    by_kind = {how: frequency_curves(results, how) for how in FREQUENCIES}
    return {how: _frequency(results, how, curves) for how, curves in by_kind.items() if any(curves.values())}


def _frequency(results: ReportResults, how: str, curves: Mapping[str, list[Band]]) -> Figure:
    log = how == "doubling"

    def place(band: Band) -> float:
        return float(np.sqrt(band.low * band.high)) if log else (band.low + band.high) / 2

    series = []
    for system, bands in curves.items():
        name, slot = _system(results, system)
        notes = [_band_note(band) for band in bands]
        series.append(Series(name, [place(b) for b in bands], [b.value for b in bands], notes=notes, slot=slot))
    ends = [value for one in series for value in one.x]
    low, high = (min(ends) if log else 0.0), max(ends)
    return Figure(
        f"frequency-{how}",
        f"Mean F1 by training frequency, {FREQUENCIES[how]}",
        "training documents of the category",
        "mean F1",
        series,
        log_x=log,
        x_limits=(low, high if high > low else 2 * max(low, 1.0)),
        y_limits=(0.0, 1.0),
    )


def _band_note(band: Band) -> str:
    span = f"{band.low:,}–{band.high:,}" if band.high > band.low else f"{band.low:,}"
    return f"{span} training documents, {band.categories} {'categories' if band.categories > 1 else 'category'}"


def precision_recall(results: ReportResults, category: int | None = None) -> Figure:
    """Return precision and recall at every threshold of all scores, or of the scores of one category (its column).

    A curve with more than 200 points is thinned evenly over recall.
    """
    series = []
    for run in results.runs:
        if run.scores is not None:
            sweep = pooled_sweep(run.scores, results.truth) if category is None else _one(results, run.scores, category)
            points = _thinned(sweep)
            if points:
                name, slot = _system(results, run.name)
                series.append(Series(name, [x for x, _ in points], [y for _, y in points], slot=slot))
    title = "Precision and recall at every threshold"
    unit = (0.0, 1.0)
    return Figure("precision-recall", title, "recall", "precision", series, x_limits=unit, y_limits=unit)


def _one(results: ReportResults, scores: Scores, category: int) -> Sweep:
    return next(sweep for c, sweep in enumerate(sweeps(scores, results.truth)) if c == category)


def _thinned(sweep: Sweep) -> list[tuple[float, float]]:
    tp, given, positives = sweep.counts.tp, sweep.counts.tp + sweep.counts.fp, sweep.counts.tp + sweep.counts.fn
    if not len(tp) or not positives[0]:
        return []
    recall, precision = tp / positives, tp / np.maximum(given, 1)
    chosen = np.unique(np.minimum(np.searchsorted(recall, np.linspace(0, 1, POINTS)), len(recall) - 1))
    return [(float(recall[k]), float(precision[k])) for k in chosen]


def coverage_figure(results: ReportResults) -> Figure | None:
    """Return error against the share of documents answered; None if no system has scores."""
    series = [_coverage(results, name, curve) for name, curve in abstention_curves(results).items()]
    if not series:
        return None
    top = max(value for one in series for value in one.y)
    return Figure(
        "coverage",
        "Error against coverage",
        "share of the documents that the system answers",
        "error among those",
        series,
        x_limits=(0.0, 1.0),
        y_limits=(0.0, max(0.05, min(1.0, 1.1 * top))),
    )


def _coverage(results: ReportResults, system: str, curve: Abstention) -> Series:
    """Thin a curve evenly over the coverage."""
    name, slot = _system(results, system)
    last = float(curve.coverage[-1])
    wanted = np.linspace(min(LEAST_COVERAGE, last), last, COVERAGES)
    rows = np.unique(np.minimum(np.searchsorted(curve.coverage, wanted), len(curve.coverage) - 1))
    notes = [f"answers {curve.coverage[k]:.0%}, certainty ≥ {curve.confidence[k]:.3g}" for k in rows]
    x, y = curve.coverage[rows].tolist(), curve.error[rows].tolist()
    return Series(name, x, y, notes=notes, slot=slot)


def learning_figures(results: ReportResults) -> list[Figure]:
    """Return the learning curves that came with the data, one figure for each measure."""
    curves = [curve for curve in results.data.learning if len(curve.sizes)]
    slots = {name: k for k, name in enumerate(dict.fromkeys([*results.names, *(curve.run for curve in curves)]))}
    figures = []
    for measure in dict.fromkeys(curve.measure for curve in curves):
        own = [curve for curve in curves if curve.measure == measure]
        figures.append(_learning(measure, own, slots))
    return figures


def _learning(measure: str, curves: list[RunLearningCurve], slots: Mapping[str, int]) -> Figure:
    series = [
        Series(shorten(curve.run, 40), curve.sizes, curve.values, low=curve.low, high=curve.high, slot=slots[curve.run])
        for curve in curves
    ]
    sizes = [n for curve in curves for n in curve.sizes]
    low, high = min(sizes), max(sizes)
    title, log = f"Learning curve: {shorten(measure, 40)}", low > 0 and high >= 8 * low
    return Figure(
        f"learning-{file_stem(measure)}", title, "training documents", shorten(measure, 40), series,
        log_x=log, x_limits=(low, high if high > low else 2 * max(low, 1)), y_limits=(0.0, 1.0),
    )  # fmt: skip


def confusion_figure(results: ReportResults, system: int, confused: Confusions) -> Matrix:
    """Return the most confused categories of a system: what was missed against what was given instead."""
    chosen: dict[int, int] = {}
    for missed, given, _ in confused.top(MOST_CONFUSED**2):
        if len({*chosen, missed, given}) <= MOST_CONFUSED:
            for category in (missed, given):
                chosen.setdefault(category, len(chosen))
    top = [
        (chosen[missed], chosen[given], count)
        for missed, given, count in confused.top(confused.pairs.nnz)
        if missed in chosen and given in chosen
    ]
    most = max(count for *_, count in top)
    names = [shorten(results.categories[c], 40) for c in chosen]
    cells = [MatrixCell(row, column, 0.1 + 0.8 * count / most, words=f"{count:,}") for row, column, count in top]
    sums = [f"of {int(confused.missed[c]):,}" for c in chosen]
    title = f"Confused categories of {shorten(results.names[system], 40)}"
    axes = {"x_title": "given instead", "y_title": "missed"}
    return Matrix("confusion", title, names, names, cells, sums=sums, **axes)
