"""Cells of a reproduction: a published figure, ours, and the verdict. One shape for every paper."""

from __future__ import annotations

import csv
import io
import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from importlib import resources
from typing import Any, Literal, TypeAlias

from rubricate import registry
from rubricate.errors import InvalidInput, UnknownName
from rubricate.papers.figures import Drawing, Figure
from rubricate.papers.systems import PaperSystem, SourcedSetting

__all__ = [
    "Cell",
    "Published",
    "Reproduction",
    "Results",
    "Tally",
    "Value",
    "Verdict",
    "load_reproduction",
    "make_cell",
    "papers",
    "read_again",
    "reproduce",
    "tally",
    "to_json",
]

Value: TypeAlias = float | int | str | None
"""A figure, a mark such as `>>`, or None where there is none."""

Verdict: TypeAlias = Literal["same", "better", "off", "not counted"]


@dataclass(frozen=True)
class Cell:
    """One figure of a paper's table, and ours.

    `verdict` is "same" (within the tolerance), "better" (beyond it on the good side), "off" (beyond it on the other
    side, or on either where there is no good side) or "not counted": nothing is published, ours could not be computed
    (corpus missing), the figure is printed elsewhere too and counted there, or it cannot fail. A cell that is off has a
    note. `agrees` is True for "same" and "better", and None where there is nothing to compare. `origin` says where the
    settings behind ours come from: `paper`, or `recovered` when any came from scanning against the published figures.
    """

    paper: str
    table: str
    row: str
    column: str
    published: Value
    ours: Value
    tolerance: float | None
    agrees: bool | None
    note: str = ""
    origin: str = "paper"
    verdict: Verdict = "not counted"

    def __post_init__(self) -> None:
        if self.verdict == "off" and not self.note:
            raise InvalidInput(
                f"cell {self.table}, {self.row}, {self.column} of {self.paper} is off and has no note; "
                "say why in the notes of the reproduction"
            )


def make_cell(
    paper: str,
    table: str,
    *,
    row: str,
    column: str,
    published: Value,
    ours: Value,
    tolerance: float | None = None,
    better: int = 0,
    counted: bool = True,
    note: str = "",
    origin: str = "paper",
) -> Cell:
    """Return a cell with its verdict.

    Parameters
    ----------
    tolerance
        Numbers are the same within it; 0 for None. Anything else is the same when it is equal.
    better
        1 where a larger figure is better, -1 where a smaller one is, 0 where there is no good side.
    counted
        False for a figure that cannot fail, or that is counted elsewhere.

    A figure of ours that is NaN counts as missing.

    >>> make_cell("p", "1", row="SVM", column="miF1", published=0.8599, ours=0.8633, tolerance=0.006).verdict
    'same'
    """
    ours = None if isinstance(ours, float) and math.isnan(ours) else ours
    if published is None or ours is None:
        return Cell(paper, table, row, column, published, ours, tolerance, None, note, origin)
    verdict = _judge(published, ours, tolerance=tolerance, better=better)
    if verdict == "off" and not note:
        note = "differs; no reason is on record"
    given = verdict if counted else "not counted"
    return Cell(paper, table, row, column, published, ours, tolerance, verdict != "off", note, origin, given)


def _judge(published: Value, ours: Value, *, tolerance: float | None, better: int) -> Verdict:
    if isinstance(published, (int, float)) and isinstance(ours, (int, float)):
        apart = float(ours) - float(published)
        if abs(apart) <= (tolerance or 0.0) + 1e-12:
            return "same"
        return "better" if better * apart > 0 else "off"
    return "same" if published == ours else "off"


@dataclass(frozen=True)
class Tally:
    """How many cells are the same, better and off."""

    same: int
    better: int
    off: int

    @property
    def counted(self) -> int:
        """The number of cells with one of the three verdicts."""
        return self.same + self.better + self.off

    def __str__(self) -> str:
        return f"{self.same} same, {self.better} better, {self.off} off of {self.counted}"


def tally(cells: Iterable[Cell]) -> Tally:
    """Count the cells by verdict; those that are not counted are left out.

    >>> str(tally([make_cell("p", "1", row="a", column="b", published=1, ours=1)]))
    '1 same, 0 better, 0 off of 1'
    """
    verdicts = [cell.verdict for cell in cells]
    return Tally(verdicts.count("same"), verdicts.count("better"), verdicts.count("off"))


def to_json(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Return one object per cell, with the fields of `Cell`."""
    return [asdict(cell) for cell in cells]


KIND = "papers"
Place: TypeAlias = tuple[str, str, str]
"""Table, row, column."""
Say: TypeAlias = Callable[[str], None]


@dataclass(frozen=True)
class Published:
    """A table of a paper: its figures by row and column, and how near ours should be.

    `tolerances` are by row and column, `*` for any; `reason` says why they are what they are. `good` says on which side
    a figure is better, "more" or "less", by row, column or `*` for any; "neither" where there is no good side.
    `uncounted` lists figures that cannot fail or are counted elsewhere: patterns of rows and columns with the reason.
    """

    name: str
    title: str
    source: str
    rows: Mapping[str, Mapping[str, Value]]
    tolerances: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    reason: str = ""
    good: Mapping[str, str] = field(default_factory=dict)
    uncounted: Sequence[Mapping[str, str]] = ()

    def tolerance(self, row: str, column: str) -> float | None:
        """Return the tolerance of a figure; None where it must be equal."""
        for by_column in (self.tolerances.get(row, {}), self.tolerances.get("*", {})):
            for name in (column, "*"):
                if name in by_column:
                    return by_column[name]
        return None

    def better(self, row: str, column: str) -> int:
        """Return 1 where more is better, -1 where less is, 0 where there is no good side."""
        side = next((self.good[name] for name in (row, column, "*") if name in self.good), "neither")
        return {"more": 1, "less": -1, "neither": 0}[side]

    def why_uncounted(self, row: str, column: str) -> str:
        """Return why a figure is not counted; empty for one that is."""
        for entry in self.uncounted:
            if fnmatchcase(row, entry.get("row", "*")) and fnmatchcase(column, entry.get("column", "*")):
                return entry["why"]
        return ""


@dataclass(frozen=True)
class Reproduction:
    """What the TOML file of a paper says.

    `protocol` are settings of the experiment that belong to no system; their values are among the `options` too.
    `question` is what the paper asks, `looked` says which test documents had been looked at, `then` how long it took,
    `vary` is an example that changes one thing: `what`, `command` or `code`, `outcome`.
    """

    paper: str
    title: str
    source: str
    corpus: Mapping[str, Any]
    tables: Mapping[str, Published]
    systems: Mapping[str, PaperSystem]
    notes: Sequence[Mapping[str, str]] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    protocol: Mapping[str, SourcedSetting] = field(default_factory=dict)
    question: str = ""
    looked: str = ""
    then: str = ""
    vary: Mapping[str, str] = field(default_factory=dict)

    def note(self, table: str, row: str, column: str) -> str:
        """Return the first note for this place; `*` in table, row or column is for any, as is a missing one."""
        for note in self.notes:
            wanted = zip(
                (table, row, column), (note["table"], note.get("row", "*"), note.get("column", "*")), strict=True
            )
            if all(fnmatchcase(name, pattern) for name, pattern in wanted):
                return note["text"]
        return ""


@dataclass(frozen=True)
class Results:
    """Our figures by table, row and column; `origins` by table and row where a system is behind them."""

    values: Mapping[Place, Value]
    origins: Mapping[tuple[str, str], str] = field(default_factory=dict)
    figures: Sequence[Figure | Drawing] = ()


def papers() -> list[str]:
    """Return the papers that can be reproduced: `yang-liu-1999`, …"""
    return [name.replace("_", "-") for name in registry.names(KIND)]


def load_reproduction(paper: str) -> Reproduction:
    """Read the TOML file of a paper and the published figures it names."""
    if paper not in papers():
        raise UnknownName("reproduction", paper, papers())
    stem = paper.replace("-", "_")
    folder = resources.files(registry.load(KIND, stem).__module__.rpartition(".")[0])  # the TOML lies beside the code
    whole = tomllib.loads((folder / f"{stem}.toml").read_text("utf-8"))
    tables = {
        name: Published(name, rows=_read_csv((folder / "published" / table.pop("figures")).read_text("utf-8")), **table)
        for name, table in whole["tables"].items()
    }
    places = whole.get("origins", {})
    systems = {name: PaperSystem(name, _sourced(own, places)) for name, own in whole["systems"].items()}
    protocol = _sourced(whole.get("protocol", {}), places)
    return Reproduction(
        paper,
        whole["title"],
        whole["source"],
        whole["corpus"],
        tables,
        systems,
        whole["notes"],
        {**whole["options"], **{name: setting.value for name, setting in protocol.items()}},
        protocol,
        **{name: whole[name] for name in ("question", "looked", "then", "vary") if name in whole},
    )


def _sourced(settings: Mapping[str, Any], places: Mapping[str, str]) -> dict[str, SourcedSetting]:
    """Return settings with their origins; `places` holds by origin the place of those that name none."""
    return {
        name: SourcedSetting(**{"where": places.get(setting["origin"], ""), **setting})
        for name, setting in settings.items()
    }


def _read_csv(text: str) -> dict[str, dict[str, Value]]:
    """Read rows by name; where the first two columns are sysA and sysB they name the row together, `SVM/kNN`."""
    header, *lines = list(csv.reader(io.StringIO(text)))
    keys = 2 if header[:2] == ["sysA", "sysB"] else 1
    return {
        "/".join(line[:keys]): {name: _value(cell) for name, cell in zip(header[keys:], line[keys:], strict=True)}
        for line in lines
    }


def _value(cell: str) -> Value:
    if cell == "":
        return None
    try:
        return int(cell) if cell.isdecimal() else float(cell)
    except ValueError:
        return cell


def reproduce(
    paper: str, *, tables: Sequence[str] = (), say: Say = lambda _: None
) -> tuple[list[Cell], Sequence[Figure | Drawing]]:
    """Recompute the wanted tables (all by default); return every cell beside the published one, and the figures."""
    reproduction = load_reproduction(paper)
    for name in tables:
        if name not in reproduction.tables:
            raise UnknownName(f"table of {paper}", name, reproduction.tables)
    wanted = tuple(tables) or tuple(reproduction.tables)
    results = registry.load(KIND, paper.replace("-", "_"))(reproduction, wanted, say)
    return [
        cell for name in wanted for cell in _cells(reproduction, reproduction.tables[name], results)
    ], results.figures


def read_again(paper: str, records: Sequence[Mapping[str, Any]]) -> list[Cell]:
    """Return the cells of an earlier `--json` output, judged anew by what the file of the paper says now."""
    reproduction = load_reproduction(paper)
    try:
        values = {(record["table"], record["row"], record["column"]): record["ours"] for record in records}
        origins = {(record["table"], record["row"]): record["origin"] for record in records}
    except (KeyError, TypeError):
        raise InvalidInput(
            "these are not cells of a reproduction; give the output of 'rubricate reproduce --json'"
        ) from None
    results = Results(values, origins)
    wanted = [name for name in reproduction.tables if any(table == name for table, _, _ in values)]
    return [cell for name in wanted for cell in _cells(reproduction, reproduction.tables[name], results)]


def _cells(reproduction: Reproduction, table: Published, results: Results) -> list[Cell]:
    """Return the published places in their order, then those of ours that have no published figure."""
    places = [(row, column) for row, columns in table.rows.items() for column in columns]
    places += [
        (row, column) for name, row, column in results.values if name == table.name and (row, column) not in places
    ]
    return [
        make_cell(
            reproduction.paper,
            table.name,
            row=row,
            column=column,
            published=table.rows.get(row, {}).get(column),
            ours=results.values.get((table.name, row, column)),
            tolerance=table.tolerance(row, column),
            better=table.better(row, column),
            counted=not table.why_uncounted(row, column),
            note=reproduction.note(table.name, row, column) or table.why_uncounted(row, column),
            origin=results.origins.get((table.name, row), "paper"),
        )
        for row, column in places
    ]
