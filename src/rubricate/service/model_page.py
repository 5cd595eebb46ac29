"""The page Model: train, figures with intervals, what changed, how much further labels would help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import HTMLResponse

from rubricate.papers.figures import Figure, Series
from rubricate.reports.charts import draw
from rubricate.reports.html import Child, Html, isolated, tag
from rubricate.service.identity import Identity, allows
from rubricate.service.pages import address, page
from rubricate.service.workspace.projects import Project

__all__ = ["model_page"]

MEASURES = {
    "micro_precision": "Micro-precision",
    "micro_recall": "Micro-recall",
    "micro_f1": "Micro-F1",
    "macro_f1": "Macro-F1",
}


def model_page(
    who: Identity,
    project: Project,
    *,
    models: Sequence[Mapping[str, Any]],
    job: Mapping[str, Any] | None,
    agreement: Mapping[str, Any],
    measured: Mapping[str, Any] | None,
) -> HTMLResponse:
    """Train, see the figures and what changed, put models into use."""
    running = job is not None and job["state"] in ("waiting", "running")
    may = allows(who, "admin")
    body = [
        tag("p", tag("button", "Train on all labels", type="button", id="train", class_="main")) if may else None,
        tag("progress", "", id="progress", hidden=True, aria_label="Progress of training"),
        tag("p", tag("button", "Cancel training", type="button", id="cancel", hidden=True)),
        _figures(models, may=may),
        _measured(project, measured),
        _curve(models),
        _worst(project, models),
        _agreement(agreement),
    ]
    data = {"project": project.name, "job": job["id"] if running and job is not None else None}
    return page(f"Model: {project.name}", *body, who=who, project=project.name, script="model.js", data=data)


def _figures(models: Sequence[Mapping[str, Any]], *, may: bool) -> Html:
    if not models:
        return tag("p", "No model yet. Label some documents of every category, then train.", class_="quiet")
    lines = []
    for each in models:
        summary = each["summary"]
        cells = []
        for average in ("micro", "macro"):
            cells.append(tag("td", _interval(summary, f"{average}_f1"), class_="num"))
        use: Child = tag("strong", "in use", class_="good")
        if not each["in_use"]:
            use = (
                tag("button", f"Use model {each['number']}", type="button", data_model=each["number"]) if may else None
            )
        number = tag("td", f"{each['number']}")
        documents = tag("td", f"{summary['documents']:,}", class_="num")
        lines.append(tag("tr", number, documents, cells, tag("td", _change(summary.get("changes"))), tag("td", use)))
    names = ("Model", "Documents", "Micro-F1 [95 %]", "Macro-F1 [95 %]", "Against the model before", "")
    head = tag("tr", [tag("th", name, class_="num" if 0 < place < 4 else None) for place, name in enumerate(names)])
    note = "Cross-validated: every document was decided on by a model that had not seen it."
    table = tag("div", tag("table", tag("thead", head), tag("tbody", lines), id="models"), class_="scroll")
    return tag("section", tag("h2", "Models"), table, tag("p", note, class_="quiet"))


def _interval(summary: Mapping[str, Any], measure: str) -> str:
    """Return a figure with its interval; a model that was brought along has none, or no figure at all."""
    value, interval = summary.get(measure), summary.get(f"{measure}_interval")
    if value is None:
        return "–"
    return f"{value:.3f}" + ("" if interval is None else f" [{interval[0]:.3f}, {interval[1]:.3f}]")


def _change(changes: Mapping[str, Any] | None) -> str:
    if changes is None:
        return "–"
    p = "" if changes["p_value"] is None else f", p = {changes['p_value']:.3f}"
    if changes["better"] is None:
        return f"no significant change (s-test{p}, {changes['documents']:,} documents)"
    worse = "better" if changes["better"] == "new" else "worse"
    return f"{worse} (s-test{p}, {changes['documents']:,} documents)"


def _measured(project: Project, found: Mapping[str, Any] | None) -> Html | None:
    """Return how good the model in use is on documents without labels, by a random sample of them."""
    if found is None:
        return None
    queue = tag("a", "Label what is needed to measure", href=address("p", project.name, "label") + "?order=measure")
    title = tag("h2", "Measured on a random sample")
    if not found["estimates"]:
        text = f"{found['labelled']:,} documents of the sample are labelled; about {found['more']:,} more are needed. "
        return tag("section", title, tag("p", text, queue, "."), id="measured")
    rows = [
        tag("tr", tag("td", MEASURES[each["measure"]]), tag("td", _ends(each), class_="num"))
        for each in found["estimates"]
    ]
    head = tag("tr", tag("th", "Measure"), tag("th", "Estimate [95 %]", class_="num"))
    note = (
        f"From {found['labelled']:,} labels on a sample of the {found['documents']:,} documents that had none when the "
        f"model was made, drawn in {found['strata']:,} groups by predicted category and confidence and weighted "
        "accordingly. Further labels make the intervals shorter. "
    )
    table = tag("div", tag("table", tag("thead", head), tag("tbody", rows)), class_="scroll")
    return tag("section", title, table, tag("p", note, queue, ".", class_="quiet"), id="measured")


def _ends(row: Mapping[str, Any]) -> str:
    value = "" if row["estimate"] is None else f"{row['estimate']:.3f} "
    return f"{value}[{row['low']:.3f}, {row['high']:.3f}]"


def _curve(models: Sequence[Mapping[str, Any]]) -> Html | None:
    """Return how the model in use got better with its labels, and what further ones promise."""
    used = next((each for each in models if each["in_use"]), None)
    curve = None if used is None else used["summary"].get("curve")
    if used is None:
        return None
    title = tag("h2", "Further labels")
    if curve is None:
        text = "A learning curve needs some dozens of labelled documents and an SVM."
        return tag("section", title, tag("p", text, class_="quiet"))
    value, low, high = curve["double"]
    double = 2 * used["summary"]["documents"]
    note = (
        f"By a power law through the estimates (xi-alpha, which is pessimistic). With {double:,} labels: "
        f"{curve['measure']} about {value:.2f}, 95 % interval {low:.2f} to {high:.2f}."
    )
    return tag(
        "section", title, tag("p", promise(curve), id="promise"), _drawing(curve), tag("p", note, class_="quiet")
    )


def promise(curve: Mapping[str, Any]) -> str:
    """Return in one sentence what further labels promise.

    >>> promise({"gain": 0.02, "more": 312, "measure": "micro-F1"})
    'About 310 more labels for +0.02 micro-F1.'
    >>> promise({"gain": 0.02, "more": None, "measure": "accuracy"})
    'Further labels promise less than +0.02 accuracy: better categories or longer texts may help more.'
    """
    gain = f"+{curve['gain']:.2f} {curve['measure']}"
    if curve["more"] is None:
        return f"Further labels promise less than {gain}: better categories or longer texts may help more."
    more = curve["more"]
    return f"About {round(more, min(0, 2 - len(str(more)))):,} more labels for {gain}."


def _drawing(curve: Mapping[str, Any]) -> Html:
    """Draw the estimates over the numbers of labels; the numbers are in its description, too."""
    sizes, values = curve["sizes"], curve["values"]
    limits = max(0.0, min(values) - 0.05), min(1.0, max(values) + 0.05)
    described = "; ".join(f"{size:,} labels {value:.3f}" for size, value in zip(sizes, values, strict=True))
    figure = Figure(
        "curve", f"{curve['measure']} by labels: {described}", "labels", curve["measure"],
        [Series(curve["measure"], sizes, values)], x_limits=(0.0, sizes[-1]), y_limits=limits,
    )  # fmt: skip
    return Html(draw(figure).inline("curve"))


def _worst(project: Project, models: Sequence[Mapping[str, Any]]) -> Html | None:
    used = next((each for each in models if each["in_use"]), None)
    if used is None:
        return None
    if not used["summary"]["per_category"]:
        return None
    rows = sorted(used["summary"]["per_category"], key=lambda row: (row["f1"] is None, row["f1"] or 0.0))[:10]
    lines = [
        tag(
            "tr",
            tag("td", isolated(row["category"])),
            tag("td", f"{row['documents']:,}", class_="num"),
            tag("td", "–" if row["f1"] is None else f"{row['f1']:.3f}", class_="num"),
        )
        for row in rows
    ]
    head = tag("tr", tag("th", "Category"), tag("th", "Documents", class_="num"), tag("th", "F1", class_="num"))
    suspects = address("p", project.name, "documents") + "?state=disagreement"
    return tag(
        "section",
        tag("h2", "Worst categories"),
        tag("div", tag("table", tag("thead", head), tag("tbody", lines)), class_="scroll"),
        tag("p", tag("a", "Documents on which the model disagrees with the labels", href=suspects)),
    )


def _agreement(found: Mapping[str, Any]) -> Html:
    if not found["documents"]:
        return tag(
            "section", tag("h2", "Agreement"), tag("p", "No document was labelled by two people yet.", class_="quiet")
        )
    alpha = found["overall"].get("alpha")
    shown = "not defined" if alpha is None else f"{alpha:.3f}"
    percent = found["overall"].get("percent") or 0.0
    text = f"{found['documents']:,} documents labelled by two or more of {', '.join(found['annotators'])}: "
    return tag(
        "section", tag("h2", "Agreement"), tag("p", text + f"{percent:.0%} the same, Krippendorff's alpha {shown}.")
    )
