"""The page of a reproduced paper: what it asked, its tables beside ours, figures, differences, settings, times."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rubricate.papers.figures import Drawing, Figure
from rubricate.papers.reproduction import (
    Cell,
    Published,
    Reproduction,
    load_reproduction,
    papers,
    read_again,
    tally,
    to_json,
)
from rubricate.reports.figures import write_figure
from rubricate.reports.html import Html, grid, isolated, join, tag
from rubricate.reports.page import render_document
from rubricate.reports.reproductions import (
    MARKS,
    VERDICTS,
    counted_cells,
    differences,
    legend,
    overview,
    remarks,
    settings,
    shown_value,
    tallies,
)
from rubricate.reports.tables import Table
from rubricate.storage import write_file

__all__ = ["PaperPage", "StepClock", "render_paper", "write_paper_report"]

SIGNS = {"same": "", "better": "+", "off": "≠", "not counted": ""}
CLASSES = {"better": "cell-better", "off": "cell-off", "not counted": "cell-uncounted"}


@dataclass(frozen=True)
class PaperPage:
    """What the page of a paper shows: `drawings` are SVG by title, `seconds` by step of the run."""

    reproduction: Reproduction
    cells: Sequence[Cell]
    drawings: Mapping[str, bytes] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


def render_paper(page: PaperPage) -> str:
    """Render the page of a paper; nothing is fetched, drawings are inside."""
    paper, shown = page.reproduction, {"paper": ("What the paper asked", _question(page))}
    for name, table in paper.tables.items():
        inside = [cell for cell in page.cells if cell.table == name]
        if inside:
            shown[f"table-{name.replace(' ', '-')}"] = (table.title, _table(table, inside))
    if page.drawings:
        shown["figures"] = ("Figures", join([_drawing(title, svg) for title, svg in page.drawings.items()]))
    for stem, heading, rows in (
        ("off", "What is off, and why", differences(page.cells)),
        ("notes", "Notes on the other cells", remarks(page.cells)),
        ("settings", "Every setting and where it comes from", settings(paper)),
    ):
        if rows.rows:
            shown[stem] = (heading, _long(rows))
    shown["time"] = ("How long it took, then and now", _time(page))
    if paper.vary:
        shown["vary"] = ("Vary one thing", _vary(paper))
    shown["again"] = ("How to get these numbers again", _again(paper))
    return render_document(paper.title, shown, note=paper.source + ".")


def _question(page: PaperPage) -> Html:
    paper = page.reproduction
    rows = [
        tag("tr", tag("th", name, scope="row"), [tag("td", n, class_="num") for n in (c.same, c.better, c.off)])
        for name, c in tallies(page.cells).items()
        if c.counted
    ]
    counts = grid(["", "same", "better", "off"], rows, numeric=[False, True, True, True], label="Verdicts by table")
    back = tag("p", tag("a", "All papers", href="index.html"))
    said = [tag("p", paper.question)] if paper.question else []
    if paper.looked:
        said.append(tag("div", tag("p", tag("strong", "Looked at before. "), paper.looked), class_="plain"))
    return join([back, *said, counts, tag("p", VERDICTS, class_="note")])


def _table(table: Published, cells: Sequence[Cell]) -> Html:
    columns, rows = list(dict.fromkeys(c.column for c in cells)), list(dict.fromkeys(c.row for c in cells))
    known = {(c.row, c.column): c for c in cells}
    lines = [
        tag("tr", _row_head(row, cells), [_figure_cell(known.get((row, column))) for column in columns]) for row in rows
    ]
    about = [tag("p", f"Published: {table.source}.")]
    about += [tag("p", f"Tolerances: {table.reason}.")] if table.reason else []
    printed = any(cell.published is not None for cell in cells)
    explained = ["Ours, below it the published figure; beyond the tolerance: + better, ≠ off."] if printed else []
    notes = [*explained, *legend(cells), counted_cells(cells)]
    heads = ["", *columns]
    body = grid(heads, lines, numeric=[False, *[True] * len(columns)], label=table.title)
    return join([*about, body, [tag("p", note, class_="note") for note in notes]])


def _row_head(row: str, cells: Sequence[Cell]) -> Html:
    origin = next(c.origin for c in cells if c.row == row)
    return tag("th", isolated(row, 80), MARKS.get(origin, ""), scope="row")


def _figure_cell(cell: Cell | None) -> Html:
    if cell is None or (cell.ours is None and cell.published is None):
        return tag("td", "–", class_="num cell-uncounted")
    sign = tag("span", SIGNS[cell.verdict], class_="verdict", title=cell.verdict)
    printed = tag("span", shown_value(cell.published), class_="small") if cell.published is not None else None
    classes = f"num {CLASSES.get(cell.verdict, '')}".strip()
    return tag("td", shown_value(cell.ours), sign, printed, class_=classes, title=cell.note or None)


def _drawing(title: str, svg: bytes) -> Html:
    source = f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"
    return tag("figure", tag("img", src=source, alt=title), tag("figcaption", title), class_="drawing")


def _long(table: Table) -> Html:
    """Return a table whose cells are sentences: nothing is cut."""
    rows = [
        tag("tr", [tag("td" if k else "th", str(cell), scope=None if k else "row") for k, cell in enumerate(row)])
        for row in table.rows
    ]
    return grid(table.columns, rows, label=table.title, class_="settings")


def _time(page: PaperPage) -> Html:
    then = page.reproduction.then
    parts: list[Html] = [tag("p", f"Then: {then}")] if then else []
    if page.seconds:
        rows = [
            tag("tr", tag("th", step, scope="row"), tag("td", f"{seconds:.1f}", class_="num"))
            for step, seconds in page.seconds.items()
        ]
        parts += [tag("p", "Now:"), grid(["step", "seconds"], rows, numeric=[False, True], label="Seconds now")]
    else:
        parts.append(tag("p", "Now: not measured; this page was made from an earlier output."))
    return join(parts)


def _vary(paper: Reproduction) -> Html:
    vary = paper.vary
    code = tag("pre", tag("code", vary["code"].strip()), tabindex="0")
    return join([tag("p", vary["what"]), code, tag("p", vary["outcome"], class_="note")])


def _again(paper: Reproduction) -> Html:
    commands = [
        f"rubricate reproduce {paper.paper} --report DIR",
        f"rubricate reproduce {paper.paper} --json > {paper.paper}.json",
        f"rubricate reproduce {paper.paper} --from {paper.paper}.json --details",
    ]
    return tag("pre", tag("code", "\n".join(commands)), tabindex="0")


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
