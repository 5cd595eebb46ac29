"""Write the report of a reproduced paper into a folder, and the index over all papers that are there."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rubricate.atomic import write_file
from rubricate.experiments.cells import Cell, tally, to_json
from rubricate.experiments.figure import Drawing, Figure
from rubricate.experiments.reproduction import Reproduction, load_reproduction, papers, read_again
from rubricate.reports.figures import write_figure
from rubricate.reports.page.grid import grid
from rubricate.reports.page.html import Html, join, tag
from rubricate.reports.page.rendering import render_document
from rubricate.reports.reproduction_page import PaperPage, render_paper
from rubricate.reports.reproductions import VERDICTS, overview

__all__ = ["StepClock", "write_paper_report"]


class StepClock:
    """Seconds by step: call it with the name of the step that begins; the name is passed on.

    Steps of other threads than the main one run side by side: they are passed on and not timed.
    """

    def __init__(self, say: Callable[[str], None] = lambda _: None) -> None:
        self.say, self.seconds = say, dict[str, float]()
        self._step, self._began, self._first = "", 0.0, time.perf_counter()

    def __call__(self, step: str) -> None:
        """Begin a step."""
        if threading.current_thread() is threading.main_thread():
            self._end()
            self._step, self._began = step, time.perf_counter()
        self.say(step)

    def stop(self) -> dict[str, float]:
        """Return seconds by step, the longest first after the whole."""
        self._end()
        whole = time.perf_counter() - self._first
        longest = sorted(self.seconds.items(), key=lambda item: -item[1])
        return {"the whole run": whole, **dict(longest[:12])}

    def _end(self) -> None:
        if self._step:
            self.seconds[self._step] = self.seconds.get(self._step, 0.0) + time.perf_counter() - self._began
            self._step = ""


def write_paper_report(
    paper: Reproduction,
    cells: Sequence[Cell],
    folder: str | Path,
    *,
    figures: Sequence[Figure | Drawing] = (),
    seconds: Mapping[str, float] | None = None,
) -> list[Path]:
    """Write `<paper>.html`, `<paper>.json`, its figures, and `index.html` over all papers in the folder.

    `<paper>.json` is what `--json` prints, and `<paper>.seconds.json` keeps the times: a page that is made again
    without `seconds` shows the earlier ones.
    """
    place = Path(folder)
    files, drawings = _draw(figures, place / paper.paper)
    times = _seconds(place, paper.paper) if seconds is None else dict(seconds)
    files += [
        _json(place / f"{paper.paper}.json", to_json(cells)),
        _json(place / f"{paper.paper}.seconds.json", times),
        write_file(
            place / f"{paper.paper}.html",
            render_paper(PaperPage(paper, cells, drawings, times)).encode("utf-8", "replace"),
        ),
    ]
    return [*files, write_file(place / "index.html", _index(place).encode("utf-8", "replace"))]


def _draw(figures: Sequence[Figure | Drawing], folder: Path) -> tuple[list[Path], dict[str, bytes]]:
    files: list[Path] = []
    drawings: dict[str, bytes] = {}
    for figure in figures:
        paths = write_figure(figure, folder)
        files += paths
        drawings[figure.title] = next(path for path in paths if path.suffix == ".svg").read_bytes()
    return files, drawings


def _seconds(folder: Path, paper: str) -> dict[str, float]:
    path = folder / f"{paper}.seconds.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def _json(path: Path, value: Any) -> Path:
    return write_file(path, json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8"))


def _index(folder: Path) -> str:
    """Render the index: every paper whose cells are in the folder."""
    known = {name: _cells(folder / f"{name}.json", name) for name in papers()}
    made = {name: cells for name, cells in known.items() if cells}
    shown = {
        "papers": ("The papers", join([_entry(folder, name, cells) for name, cells in made.items()])),
        "tables": ("Verdicts by table", join([_verdicts(made), tag("p", VERDICTS, class_="note")])),
    }
    note = "Tables of the papers recomputed: each figure of ours beside the published one, with a verdict."
    return render_document("The papers, reproduced", shown, note=note)


def _cells(path: Path, paper: str) -> list[Cell]:
    return read_again(paper, json.loads(path.read_text("utf-8"))) if path.exists() else []


def _entry(folder: Path, name: str, cells: Sequence[Cell]) -> Html:
    paper, seconds = load_reproduction(name), _seconds(folder, name)
    took = f" Computed in {seconds['the whole run']:.0f} seconds." if seconds else ""
    return join(
        [
            tag("h3", tag("a", paper.title, href=f"{name}.html")),
            tag("p", f"{paper.source}. {paper.question}".strip()),
            tag("p", f"{tally(cells)} counted cells.{took}", class_="note"),
        ]
    )


def _verdicts(made: Mapping[str, Sequence[Cell]]) -> Html:
    rows = []
    for name, own in made.items():
        for _, table, *counts in overview({name: own}).rows:
            cells = [tag("td", count, class_="num") for count in counts]
            rows.append(tag("tr", tag("th", tag("a", name, href=f"{name}.html"), scope="row"), tag("td", table), cells))
    return grid(["paper", "table", "same", "better", "off", "counted"], rows, numeric=[False, False, *[True] * 4])
