"""The page of a judgement: ranking first, groups, matrix, then details on demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rubricate.errors import InvalidInput
from rubricate.papers.figures import Drawing, Matrix
from rubricate.reports.figures import write_figure
from rubricate.reports.findings import listed
from rubricate.reports.html import Html, grid, isolated, join, number_cell, plain_table, tag
from rubricate.reports.judgement import Judgement, agreement_tables, contradicted_labels, review_table
from rubricate.reports.judgement_tables import (
    category_extremes,
    difference_diagram,
    interval_bar,
    judging_tables,
    matrix_figure,
    measures_of_systems,
    reliability_figure,
)
from rubricate.reports.page import chart, render_document
from rubricate.reports.system_tables import abstention_table, top_confusions, worst_table
from rubricate.reports.tables import shown
from rubricate.storage import write_file

__all__ = ["judging_page", "write_judgement"]

DETAILED = 10
"""Systems whose confusions and worst categories are on the page; the tables beside it have all of them."""


def judging_page(judgement: Judgement) -> str:
    """Return the page as one text."""
    parts = {
        "ranking": ("Ranking", _ranking(judgement)),
        "groups": ("Groups that are really different", _groups(judgement)),
        "matrix": ("All pairs", _matrix(judgement)),
        "measures": ("Every measure of every system", _measures(judgement)),
        "categories": ("Categories", _categories(judgement)),
        "confusions": ("Confusions", _confusions(judgement)),
        "suspects": ("Labels that most systems contradict", _suspects(judgement)),
        "agreement": ("Do the systems agree?", _agreement(judgement)),
        "review": ("Decisions to check first", _review(judgement)),
        "probabilities": ("Can the probabilities be trusted?", _probabilities(judgement)),
        "method": ("How this was made", _method(judgement)),
    }
    shown_parts = {key: (name, body) for key, (name, body) in parts.items() if body}
    return render_document(judgement.title, shown_parts, note=_note(judgement))


def _note(judgement: Judgement) -> str:
    run = judgement.runs[0]
    first = next(iter(judgement.evaluations.values()))
    kind = "one label per document" if first.single_label else "any number of labels per document"
    size = f"{len(run.documents):,} documents, {len(run.categories):,} categories, {kind}"
    return f"{len(judgement.runs)} systems, {size}. 0/0 counts as {first.convention}."


def _ranking(judgement: Judgement) -> Html:
    ranking = judgement.ranking
    limits = min(s.low for s in ranking.systems), max(s.high for s in ranking.systems)
    rows = [
        tag(
            "tr",
            number_cell(s.rank),
            tag("th", isolated(s.system), scope="row"),
            number_cell(s.value, digits=4),
            tag("td", f"{shown(s.low, 4)}–{shown(s.high, 4)}", class_="num", data_value=f"{s.low:.6g}"),
            tag("td", Html(interval_bar(s.low, s.value, s.high, limits).inline("bar"))),
            tag("td", f"{s.rank_low}–{s.rank_high}", class_="num", data_value=str(s.rank_low)),
            tag("td", s.letters),
        )
        for s in ranking.systems
    ]
    level = f"{ranking.level:.0%}"
    heads = ["rank", "system", ranking.by, f"{level} interval", "", "ranks", "group"]
    numeric = [True, False, True, True, False, True, False]
    table = grid(heads, rows, numeric=numeric, label="Ranking", sortable=True)
    words = (
        f"Ranked by {ranking.by}. Ranks: {level} interval of the rank over resamples of the documents. Systems that "
        "share a letter are not distinguishable at .05 after correction over all pairs."
    )
    notes = [tag("p", note, class_="note") for note in ranking.notes]
    return join([tag("p", _leaders(judgement)), table, tag("p", words, class_="note"), *notes])


def _leaders(judgement: Judgement) -> str:
    first, *others = judgement.ranking.systems
    mark = set(first.letters)
    tied = [system.system for system in others if mark & set(system.letters)]
    start = f"{first.system} is first by {judgement.ranking.by} with {shown(first.value, 4)}"
    if not others:
        return f"{start}."
    if not tied:
        return f"{start}, and really better than every other system."
    named = listed(tied[:8]) if len(tied) <= 8 else f"{', '.join(tied[:8])} and {len(tied) - 8} more"
    return f"{start}, but not distinguishable from {named}."


def _groups(judgement: Judgement) -> Html | None:
    if len(judgement.runs) < 2:
        return None
    figures = []
    for result in judgement.differences:
        way = "Friedman and Nemenyi" if result.way == "nemenyi" else "Wilcoxon and Holm"
        caption = (
            f"{way}: mean ranks by F1 over {result.blocks} categories; bars connect systems that are not "
            f"distinguishable at {result.alpha:g} (Friedman p {result.p_value:.3g})."
        )
        drawing = Html(difference_diagram(result).inline("diagram"))
        figures.append(tag("figure", tag("div", drawing, class_="scroll"), tag("figcaption", caption)))
    letters = sorted({sign for s in judgement.ranking.systems for sign in s.letters})
    members = [
        tag("li", tag("b", sign), ": ", ", ".join(s.system for s in judgement.ranking.systems if sign in s.letters))
        for sign in letters
    ]
    lists = tag("details", tag("summary", f"The {len(letters)} groups by letter"), tag("ul", members))
    few = tag("p", "Diagrams of mean ranks are drawn for up to 60 systems.", class_="note") if not figures else None
    return join([lists, few, *figures])


def _matrix(judgement: Judgement) -> Html | None:
    if len(judgement.runs) < 2:
        return None
    words = (
        "Blue: the system of the row is better than that of the column; red: worse; grey: not distinguishable. Darker: "
        "corrected p ≤ .05, .01, .001. Columns are numbered in the order of the rows."
    )
    figures = [
        chart(
            matrix_figure(judgement.names, judgement.results(measure), measure=measure),
            caption=f"{measure}: {_count(judgement, measure)}",
        )
        for measure in judgement.tested
    ]
    notes = [tag("p", note, class_="note") for note in (judgement.comparison.notes if judgement.comparison else ())]
    return join([tag("p", words), *notes, *figures])


def _count(judgement: Judgement, measure: str) -> str:
    results = judgement.results(measure)
    real = sum((r.adjusted_p if r.adjusted_p is not None else r.p_value) <= 0.05 for r in results)
    return f"{real:,} of {len(results):,} pairs are different"


def _measures(judgement: Judgement) -> Html:
    parts = [plain_table(measures_of_systems(judgement), tall=True, sortable=True)]
    abstained = abstention_table([judgement.evaluations[name] for name in judgement.names])
    if abstained is not None:
        parts.append(plain_table(abstained))
    return join(parts)


def _categories(judgement: Judgement) -> Html:
    best = [judgement.evaluations[name] for name in judgement.names[:DETAILED]]
    parts = [plain_table(category_extremes(judgement), tall=True, sortable=True)]
    for each in best:
        name = f"Worst categories of {each.name}"
        parts.append(tag("details", tag("summary", name), plain_table(worst_table([each], 10))))
    return join(parts)


def _confusions(judgement: Judgement) -> Html:
    by_name = {run.name: run for run in judgement.runs}
    parts = []
    for name in judgement.names[:DETAILED]:
        table = top_confusions([by_name[name]])
        parts.append(tag("details", tag("summary", f"Commonest confusions of {name}"), plain_table(table)))
    return join(parts)


def _suspects(judgement: Judgement) -> Html | None:
    table = contradicted_labels(judgement.runs)
    if not table.rows:
        return None
    words = "Hard documents, or mistakes of the truth: look at them before the ranking is published."
    listed_rows = plain_table(replace(table, title="", notes=()))
    summary = tag("summary", "The documents that systems agree on most")
    return join([tag("p", words, " ", *table.notes), tag("details", summary, listed_rows)])


def _agreement(judgement: Judgement) -> Html | None:
    tables = agreement_tables(judgement)
    if tables is None:
        return None
    sets, categories = tables
    words = (
        "Agreement says how alike the answers are, not how good: where systems agree and are wrong, the truth or the "
        "definition of a category deserves a look."
    )
    summary = tag("summary", categories.title)
    return join(
        [tag("p", words), plain_table(sets), tag("details", summary, plain_table(replace(categories, title="")))]
    )


def _review(judgement: Judgement) -> Html | None:
    table = review_table(judgement)
    if table is None:
        return None
    words = (
        "Ranked by the probability that a decision is wrong times what correcting it adds to micro-F1, by the "
        "probabilities of the system itself (Berardi, Esuli and Sebastiani 2012). "
    )
    return join([tag("p", words, tag("code", "rubricate review"), " ranks any number."), plain_table(table)])


def _probabilities(judgement: Judgement) -> Html | None:
    if not judgement.calibration:
        return None
    names = [name for name in judgement.names if name in judgement.calibration]
    rows = [
        tag(
            "tr",
            tag("th", isolated(name), scope="row"),
            *(number_cell(value, digits=4) for value in _numbers(judgement, name)),
        )
        for name in names
    ]
    heads = ["system", "Brier", "ECE", "log loss", "ROC-AUC"]
    table = grid(heads, rows, numeric=[False, True, True, True, True], label="Calibration", sortable=True)
    return join([table, *_diagrams(judgement, names[:DETAILED])])


def _numbers(judgement: Judgement, name: str) -> tuple[float, float, float, float]:
    each = judgement.calibration[name]
    return each.brier, each.ece, each.log_loss, each.auc


def _diagrams(judgement: Judgement, names: list[str]) -> Iterator[Html]:
    for name in names:
        curve = judgement.calibration[name].curve
        figure = reliability_figure(
            name, curve.predicted.ravel(), curve.observed.ravel(), curve.counts.ravel().astype(float)
        )
        yield tag("details", tag("summary", figure.title), chart(figure))


def _method(judgement: Judgement) -> Html:
    ranking = judgement.ranking
    lines = [
        ranking.signature,
        *([judgement.comparison.signature] if judgement.comparison is not None else []),
        *(f"{run.name}: {run.signature.policies}" for run in judgement.runs if run.signature.policies),
    ]
    words = (
        "Intervals: studentised bootstrap over documents by cells (accuracy: Wilson; other measures: BCa). Tests: "
        "permutation of the answers on each document, by patterns, with draws adapted to the correction."
    )
    where = "Beside this page: tables/ has every number as CSV and LaTeX, figures/ the drawings."
    shown_lines = tag("pre", "\n".join(dict.fromkeys(lines)))
    return join([tag("p", words), tag("p", where), shown_lines])


LONG = 500
"""A table with more rows is written only as CSV."""


def write_judgement(judgement: Judgement, folder: Path) -> Path:
    """Write the page, the tables and the drawings; return the path of the page."""
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is a file; give a folder for the report (-o DIR)")
    contents: dict[Path, str] = {folder / "report.html": judging_page(judgement)}
    for stem, table in judging_tables(judgement).items():
        contents[folder / "tables" / f"{stem}.csv"] = table.to_csv() + "\n"
        if len(table.rows) <= LONG:
            contents[folder / "tables" / f"{stem}.tex"] = table.to_latex(label=f"tab:{stem}") + "\n"
    for path, text in contents.items():
        write_file(path, text.encode("utf-8", "replace"))
    for figure in _figures(judgement):
        write_figure(figure, folder / "figures", heading=False)
    return folder / "report.html"


def _figures(judgement: Judgement) -> Iterator[Matrix | Drawing]:
    for result in judgement.differences:
        svg = difference_diagram(result)
        yield Drawing(f"critical_difference_{result.way}", svg.label, svg.file())
    for measure in judgement.tested:
        yield matrix_figure(judgement.names, judgement.results(measure), measure=measure)
