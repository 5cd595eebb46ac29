"""The pages of a project: Documents, Label, History."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.responses import HTMLResponse

from rubricate.reports.html import Html, isolated, shorten, tag
from rubricate.service.identity import Identity, allows
from rubricate.service.pages import field, page
from rubricate.service.workspace.projects import Project

__all__ = ["documents_page", "history_page", "label_page"]

EXCERPT = 240
ORDERS = {
    "uncertain": "What teaches most",
    "suspect": "What is most likely wrong",
    "measure": "What is needed to measure",
    "random": "Random",
}


def _chips(labels: Sequence[str]) -> list[Html]:
    return [isolated(label, class_="chip") for label in labels]


def documents_page(
    who: Identity,
    project: Project,
    *,
    found: tuple[Sequence[Mapping[str, Any]], int | None],
    asked: Mapping[str, str],
    counts: Mapping[str, int],
) -> HTMLResponse:
    """Search, filter and upload documents."""
    rows, further = found
    summary = f"{counts['documents']:,} documents, {counts['labelled']:,} of them labelled."
    body = [tag("p", summary), _search(project, asked), _table(rows)]
    if further is not None:
        query = urlencode({**asked, "after": further})
        body.append(tag("p", tag("a", "Next page", href=f"?{query}", rel="next", id="next")))
    if allows(who, "label"):
        body.append(_upload())
    return page(
        project.name, *body, who=who, project=project.name, script="documents.js", data={"project": project.name}
    )


def _search(project: Project, asked: Mapping[str, str]) -> Html:
    names = [
        tag("option", shorten(name, 80), value=name, selected=asked.get("label") == name) for name in project.categories
    ]
    states = (
        ("", "All"),
        ("no", "Without labels"),
        ("yes", "With labels"),
        ("disagreement", "Model disagrees"),
        ("unsure", "Model is unsure"),
    )
    shown = [tag("option", text, value=value, selected=asked.get("state", "") == value) for value, text in states]
    return tag(
        "form",
        field("Words", tag("input", type="search", id="query", name="query", value=asked.get("query", "")), "query"),
        field("Label", tag("select", tag("option", "Any", value=""), names, id="label", name="label"), "label"),
        field("Show", tag("select", shown, id="state", name="state"), "state"),
        tag("p", tag("button", "Search", class_="main")),
        class_="row",
        role="search",
    )  # fmt: skip


def _table(rows: Sequence[Mapping[str, Any]]) -> Html:
    if not rows:
        return tag("p", "No document fits.", class_="quiet")
    lines = []
    for row in rows:
        given = [
            tag("span", f"{each['annotator']}: ", _chips(each["labels"]) or "none ") for each in row["annotations"]
        ]
        decision = row["decision"]
        predictions = None
        if decision is not None:
            sure = "" if decision["confidence"] is None else f" {decision['confidence']:.0%}"
            predictions = [_chips(decision["labels"]) or "none", tag("span", sure, class_="quiet")]
            predictions += [tag("strong", " disagrees", class_="bad")] if decision["suspect"] is not None else []
        title = tag("strong", isolated(row["title"], 120), " ") if row["title"] else None
        text = tag("bdi", shorten(row["text"], EXCERPT) or "(no text)")
        lines.append(
            tag(
                "tr",
                tag("td", isolated(row["id"], 24)),
                tag("td", title, text),
                tag("td", given),
                tag("td", predictions),
            )
        )
    head = tag("tr", tag("th", "Id"), tag("th", "Text"), tag("th", "Labels"), tag("th", "Model"))
    return tag("div", tag("table", tag("thead", head), tag("tbody", lines), id="documents"), class_="scroll")


def _upload() -> Html:
    kinds = ".csv,.tsv,.jsonl,.ndjson,.json,.xlsx,.parquet"
    return tag(
        "section",
        tag("h2", "Add documents"),
        tag(
            "form",
            field("A file (CSV, JSON Lines, xlsx, Parquet) with columns text and, if you like, id, title, labels",
                  tag("input", type="file", id="file", name="file", accept=kinds), "file"),
            tag("button", "Upload", class_="main"),
            id="upload",
        ),
        tag("progress", "", id="progress", hidden=True, aria_label="Progress of the upload"),
    )  # fmt: skip


def label_page(
    who: Identity, project: Project, *, counts: Mapping[str, int], frequencies: Mapping[str, int]
) -> HTMLResponse:
    """Label documents by keyboard."""
    parents: dict[str, str] = {}
    for parent, child in project.taxonomy:
        parents.setdefault(child, parent)
    ordered = sorted(project.categories, key=lambda name: -frequencies.get(name, 0))
    data = {
        "project": project.name,
        "kind": project.kind,
        "categories": [{"name": name, "path": " › ".join(_path(name, parents))} for name in ordered],
        "tree": _tree(project) if project.taxonomy else None,
        **counts,
    }
    orders = [tag("option", text, value=value) for value, text in ORDERS.items()]
    shares = [tag("option", text, value=value) for value, text in (("0", "None"), ("0.1", "10 %"), ("1", "All"))]
    named = who.proof == "session"
    person = tag("input", type="text", id="annotator", value=who.name if named else "", readonly=named, maxlength=200)
    top = tag(
        "div",
        field("Your name", person, "annotator"),
        field("Order", tag("select", orders, id="order"), "order"),
        field("Labelled by two", tag("select", shares, id="overlap"), "overlap"),
        tag("p", tag("label", tag("input", type="checkbox", id="suggest"), "Show suggestions", class_="inline")),
        class_="row",
    )
    return page(
        f"Label: {project.name}",
        top,
        tag("p", tag("span", "", id="done"), " ", tag("span", "", id="note", class_="quiet")),
        _work(project),
        tag("p", "No document is left in this order.", id="empty", hidden=True),
        tag("p", "", id="saved", class_="good", role="status"),
        who=who,
        project=project.name,
        script="label.js",
        data=data,
    )


def _tree(project: Project) -> dict[str, list[str]]:
    """Return the children of every category that has some; those without a parent are under the empty name."""
    children: dict[str, list[str]] = {}
    below = {child for _, child in project.taxonomy}
    for parent, child in project.taxonomy:
        children.setdefault(parent, []).append(child)
    return {"": [name for name in project.categories if name not in below], **children}


def _path(name: str, parents: Mapping[str, str]) -> list[str]:
    path = [name]
    while path[0] in parents and parents[path[0]] not in path:
        path.insert(0, parents[path[0]])
    return path


def _work(project: Project) -> Html:
    keys = "1–9 choose, / search, Enter save, u undo, s skip, a accept the suggestion"
    if project.kind == "single":
        keys = "1–9 choose and save, / search, u undo, s skip, a accept the suggestion"
    accept = tag("button", tag("kbd", "a"), "Accept", type="button", id="accept", hidden=True)
    return tag(
        "div",
        tag("h2", tag("bdi", "", id="title")),
        tag("p", "Document ", tag("bdi", "", id="id"), class_="quiet"),
        tag("div", "", class_="text", id="text", tabindex=0, role="region", aria_label="Text of the document"),
        tag("p", tag("span", "", id="suggestion"), " ", accept),
        field("Search for a category", tag("input", type="search", id="search"), "search"),
        tag("div", "", class_="categories", id="categories", role="group", aria_label="Categories"),
        tag("div", "", class_="tree", id="tree", role="group", aria_label="All categories", hidden=True),
        tag("p", "", id="rest", class_="quiet"),
        tag(
            "p",
            tag("button", "Save", type="button", id="save", class_="main"), " ",
            tag("button", tag("kbd", "u"), "Undo", type="button", id="undo"), " ",
            tag("button", tag("kbd", "s"), "Skip", type="button", id="skip"),
        ),
        tag("p", f"Keys: {keys}", class_="quiet"),
        id="work",
        hidden=True,
    )  # fmt: skip


def history_page(
    who: Identity, project: Project, events: Sequence[Mapping[str, Any]], further: int | None
) -> HTMLResponse:
    """Show every action."""
    lines = [
        tag(
            "tr",
            tag("td", time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(event["created"]))),
            tag("td", isolated(event["annotator"] or "–"), _sender(event)),
            tag("td", event["kind"]),
            tag("td", isolated(event["document"] or "", 40)),
            tag("td", _detail(event)),
        )
        for event in events
    ]
    head = tag("tr", [tag("th", name) for name in ("Time (UTC)", "Who", "What", "Document", "Details")])
    table = tag("div", tag("table", tag("thead", head), tag("tbody", lines), id="events"), class_="scroll")
    more = None if further is None else tag("p", tag("a", "Next page", href=f"?after={further}"))
    return page(f"History: {project.name}", table, more, who=who, project=project.name)


def _sender(event: Mapping[str, Any]) -> Any:
    """Say who sent an event, if that is not the annotator."""
    if event["sender"] in (None, "", event["annotator"]):
        return None
    return tag("span", " sent by ", isolated(event["sender"]), class_="quiet")


def _detail(event: Mapping[str, Any]) -> Any:
    data = event["data"]
    if event["kind"] == "label":
        return _chips(data["labels"]) or "no category"
    if event["kind"] == "undo":
        return f"event {data['event']}"
    return shorten(", ".join(f"{key} {value}" for key, value in data.items() if isinstance(value, (str, int))), 120)
