"""`rubricate compare`: whether one system is really better than another."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rubricate.cli.options import Form, Undefined
from rubricate.cli.output import check_ending, progress
from rubricate.cli.prediction_options import PredictionOptions, read_systems
from rubricate.cli.training_options import HierarchyOptions
from rubricate.errors import InvalidInput
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.significance import Comparison, System

__all__ = ["compare"]

_Truth = Annotated[Path | None, typer.Argument(help="The true labels.")]
_Runs = Annotated[
    list[Path] | None, typer.Argument(help="The predictions of each system; named by the stem of its file.")
]
_TruthB = Annotated[Path | None, typer.Option(help="The true labels of a second collection, for the other runs.")]
_Counts = Annotated[
    Path | None,
    typer.Option(help="Counts or published figures: CSV system,tp,fp,fn,tn or system,recall,precision,error,n."),
]
_Tests = Annotated[
    str | None,
    typer.Option(
        help="Tests, separated by commas: s, S, T, T', p, permutation, bootstrap, mcnemar, friedman, ranking_sign, "
        "ranking_t, ranking_permutation, indirect, hierarchical_t, hierarchical_permutation; with a measure after a "
        "colon, such as p:accuracy or hierarchical_t:lca_f1. 'paper': s,S,T,T',p. Default: those that hold on the data "
        "(permutation tests over documents), with --hierarchy also the last two."
    ),
]
_Adjust = Annotated[str, typer.Option(help="Correction over all pairs: holm, bh (Benjamini–Hochberg) or none.")]
_Exact = Annotated[bool, typer.Option("--exact", help="Use exact distributions where a test has one.")]
_MidP = Annotated[
    bool, typer.Option("--mid-p", help="Use exact distributions, and count half of the observed outcome's probability.")
]
_ByFrequency = Annotated[bool, typer.Option("--by-frequency", help="Test each band of training frequency.")]
_Bands = Annotated[int, typer.Option(help="Bands of equal width for --by-frequency.", min=1)]
_Edges = Annotated[str | None, typer.Option(help="Test each band between these edges instead, such as 0,60,3000.")]
_Baseline = Annotated[str | None, typer.Option(help="A system of both collections, for the indirect comparison.")]
_Samples = Annotated[
    int | None,
    typer.Option(help="Plain draws of permutation and bootstrap; by default they adapt to the correction.", min=1),
]
_Seed = Annotated[int, typer.Option(help="The seed of the draws.", min=0)]
_Matrix = Annotated[
    Path | None, typer.Option(help="Write the matrix of corrected p-values here: .csv, .tex or .svg.", metavar="FILE")
]
_Diagram = Annotated[
    Path | None, typer.Option(help="Write a critical-difference diagram (SVG) here.", metavar="FILE.svg")
]
_Ranks = Annotated[str, typer.Option(help="Groups of the diagram: nemenyi (Friedman) or wilcoxon (with Holm).")]
_Details = Annotated[bool, typer.Option("--details", help="Print every number instead of the tables of marks.")]


@dataclass(frozen=True)
class _FrequencyBands:
    """Whether to test bands of training frequency, and which."""

    by_frequency: _ByFrequency = False
    bands: _Bands = 10
    edges: _Edges = None

    @property
    def wanted(self) -> bool:
        """Whether bands were asked for."""
        return self.by_frequency or self.edges is not None

    def chosen(self) -> int | list[int] | None:
        """Return the edges of the bands, or the number of bands; None without bands."""
        return (_edges(self.edges) or self.bands) if self.wanted else None


@dataclass(frozen=True)
class _Figures:
    """The files of figures that `compare` writes besides its tables."""

    matrix: _Matrix = None
    diagram: _Diagram = None
    diagram_by: _Ranks = "nemenyi"

    def check(self) -> None:
        """Refuse names of files that promise another format than those that can be written."""
        check_ending("--matrix", self.matrix, (".csv", ".tex", ".svg"))
        check_ending("--diagram", self.diagram, (".svg",))

    def write(self, comparison: Comparison, systems: list[System]) -> None:
        """Write the files that were asked for."""
        if self.matrix is not None:
            _write_matrix(comparison, self.matrix)
        if self.diagram is not None:
            _write_diagram(systems, self.diagram, self.diagram_by)


@command("compare")
def compare(
    truth: _Truth = None,
    runs: _Runs = None,
    *,
    predictions: PredictionOptions,
    tests: _Tests = None,
    adjust: _Adjust = "holm",
    exact: _Exact = False,
    mid_p: _MidP = False,
    truth_b: _TruthB = None,
    counts: _Counts = None,
    baseline: _Baseline = None,
    frequency: _FrequencyBands,
    undefined: Undefined = "zero",
    samples: _Samples = None,
    seed: _Seed = 0,
    figures: _Figures,
    structure: HierarchyOptions,
    details: _Details = False,
    form: Form,
) -> None:
    """Test whether one system is really better than another, for all pairs of the given systems.

    The files are those of `rubricate evaluate`. The tables show >> or << for a P-value of .01 or less, > or < for .05
    or less, ~ for more; the marks compare the values, so << on error means that the first system is better.

    Tests that need decisions take them from the files, or from scores by --cut. --counts replaces TRUTH and the
    runs, or adds systems to them. --csv and --json have every number.
    """
    from rubricate.significance import compare as compared

    figures.check()
    if frequency.wanted:
        predictions.need_frequencies()
    tree = structure.read()
    systems = read_systems(truth, runs or (), predictions, truth_b=truth_b, counts=counts)
    tree.warn_outside(systems[0].categories)
    steps = len(systems) * (len(systems) - 1)
    with progress("comparing", steps) as advance:
        comparison = compared(
            systems,
            tests=tests,
            adjust=cast(Any, adjust),
            undefined=cast(Any, undefined),
            exact=exact,
            mid_p=mid_p,
            by_frequency=frequency.chosen(),
            baseline=baseline,
            samples=samples,
            seed=seed,
            advance=advance,
            **tree.options,
        )
    for note in comparison.notes:
        print(f"rubricate: {note}", file=sys.stderr)
    figures.write(comparison, systems)
    typer.echo(_shown(comparison, form.chosen, details=details))


def _write_matrix(comparison: Comparison, path: Path) -> None:
    """Write the corrected p-values of all pairs; one matrix per test and measure, the first in an SVG."""
    from rubricate.reports.charts import draw
    from rubricate.reports.judgement_tables import matrix_figure
    from rubricate.reports.system_tables import significance_matrix
    from rubricate.storage import write_file

    kinds = list(dict.fromkeys((result.test, result.measure) for result in comparison))
    suffix = path.suffix.lower()
    for place, (test, measure) in enumerate(kinds):
        chosen = [result for result in comparison if (result.test, result.measure) == (test, measure)]
        target = path if place == 0 else path.with_name(f"{path.stem}_{test}_{measure}{path.suffix}")
        table = significance_matrix(comparison.systems, chosen, measure=measure)
        if suffix == ".svg":
            text = draw(matrix_figure(comparison.systems, chosen, measure=measure)).file()
        else:
            text = table.to_csv() if suffix == ".csv" else table.to_latex(label="tab:significance")
        write_file(target, (text + "\n").encode("utf-8", "replace"))


def _write_diagram(systems: list[System], path: Path, way: str) -> None:
    from rubricate.reports.judgement_tables import difference_diagram
    from rubricate.significance.corrections import critical_difference
    from rubricate.storage import write_file

    drawing = difference_diagram(critical_difference(systems, way=cast(Any, way)))
    write_file(path, (drawing.file() + "\n").encode("utf-8", "replace"))


def _edges(text: str | None) -> list[int] | None:
    try:
        return None if text is None else [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(f"--edges {text!r}; give whole numbers separated by commas, such as 0,60,3000") from None


def _shown(comparison: Comparison, form: str, *, details: bool) -> str:
    from rubricate.reports.tables import Table, render

    if form == "json":
        return json.dumps(comparison.to_dict(), ensure_ascii=False, indent=2)
    grids = [comparison.details(rounded=form != "csv")] if details or form == "csv" else comparison.tables()
    last = len(grids) - 1
    tables = [
        Table(grid.columns, grid.rows, grid.title, grid.notes, comparison.signature if i == last else "")
        for i, grid in enumerate(grids)
    ]
    return "\n\n".join(render(table, form) for table in tables)
