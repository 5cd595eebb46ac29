"""What all pages share: head, navigation, security policy."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from starlette.responses import HTMLResponse

from rubricate._version import __version__
from rubricate.reports.html import Child, Html, data_script, isolated, tag
from rubricate.service.identity import ANYONE, Identity, allows
from rubricate.svg import tokens_css

__all__ = [
    "POLICY",
    "STATIC",
    "address",
    "compare_page",
    "field",
    "login_page",
    "page",
    "start_page",
    "static_file",
    "try_page",
]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Only scripts and styles of this service run, and nothing is fetched from elsewhere."""
STATIC = {"page.css": "text/css", "page.js": "text/javascript", "try.js": "text/javascript"} | {
    f"{name}.js": "text/javascript" for name in ("documents", "label", "model", "login", "start")
}
"""The files of the pages, and their types."""


def static_file(name: str) -> bytes:
    """Return a file of the pages; their style begins with the colours of every page and chart."""
    content = files("rubricate.service").joinpath("static", name).read_bytes()
    return tokens_css().encode() + content if name == "page.css" else content


def address(*parts: str | int) -> str:
    """Return a path on this service; every part is escaped.

    >>> address("p", "a b/c", "label")
    '/p/a%20b%2Fc/label'
    """
    return "/" + "/".join(quote(str(part), safe="") for part in parts)


def page(
    title: str,
    *body: Child,
    who: Identity,
    project: str | None = None,
    script: str | None = None,
    data: object = None,
) -> HTMLResponse:
    """Return a page with navigation; `data` is for its script."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="csrf", content=who.csrf),
        tag("title", f"{title} – Rubricate"),
        _link("stylesheet", "/static/page.css"),
        _link("icon", "data:,"),
        _script("/static/page.js"),
        _script(f"/static/{script}") if script else None,
    )
    content = tag(
        "body",
        tag("a", "Skip to the content", href="#main", class_="skip"),
        tag("header", _navigation(project, who), class_="top"),
        tag("main", tag("h1", tag("bdi", title)), body, id="main"),
        tag("p", "", id="message", role="status", aria_live="polite"),
        tag("footer", f"Rubricate {__version__}"),
        None if data is None else data_script(data),
    )
    text = "<!doctype html>\n" + tag("html", head, content, lang="en") + "\n"
    return HTMLResponse(text, headers={"content-security-policy": POLICY, "cache-control": "no-store"})


def _link(kind: str, target: str) -> Html:
    return Html(f'<link rel="{kind}" href="{target}">')


def _script(source: str) -> Html:
    return Html(f'<script src="{source}" defer></script>')


def _navigation(project: str | None, who: Identity) -> Html:
    links = [("Start", "/"), ("Try", "/try"), ("Compare", "/judge")]
    if project is not None:
        links += [(name.title(), address("p", project, name)) for name in ("documents", "label", "model", "history")]
    entries = [tag("li", tag("a", name, href=target)) for name, target in links]
    person = None
    if who.proof == "session":
        person = tag("li", tag("button", f"Log {who.name} out", type="button", id="logout"))
    return tag("nav", tag("ul", entries, person), aria_label="Pages")


def field(label: str, control: Html, name: str) -> Html:
    """Return a control under its label."""
    return tag("p", tag("label", label, for_=name), control)


def start_page(who: Identity, models: Sequence[str], projects: Sequence[dict[str, Any]] | None) -> HTMLResponse:
    """Say what is here: models, projects, and how programs use them."""
    listed = [tag("li", tag("a", isolated(name), href=f"/try?model={address(name)[1:]}")) for name in models]
    body = [
        tag("p", "Put documents under headings, see why, and correct what is wrong."),
        tag("h2", "Models"),
        tag("ul", listed) if listed else tag("p", "No model is in use.", class_="quiet"),
    ]
    if projects is not None:
        body += [tag("h2", "Projects"), _project_table(projects)]
        body += [_new_project()] if allows(who, "admin") else []
    api = tag("a", "/openapi.json", href="/openapi.json")
    body.append(tag("p", "Every page is also an API call: ", api, " describes all of them.", class_="quiet"))
    return page("Rubricate", *body, who=who, script="start.js")


def _project_table(projects: Sequence[dict[str, Any]]) -> Html:
    if not projects:
        return tag("p", "No project yet.", class_="quiet")
    rows = [
        tag(
            "tr",
            tag("td", tag("a", isolated(each["name"]), href=address("p", each["name"], "documents"))),
            tag("td", f"{each['documents']:,}", class_="num"),
            tag("td", f"{each['labelled']:,}", class_="num"),
            tag("td", tag("a", "Label", href=address("p", each["name"], "label"), aria_label=f"Label {each['name']}")),
        )
        for each in projects
    ]
    head = tag("tr", tag("th", "Name"), tag("th", "Documents", class_="num"), tag("th", "Labelled", class_="num"))
    return tag("div", tag("table", tag("thead", head), tag("tbody", rows)), class_="scroll")


def _new_project() -> Html:
    kinds = [tag("option", text, value=value) for value, text in (("multi", "Several"), ("single", "Exactly one"))]
    return tag(
        "section",
        tag("h2", "New project"),
        tag(
            "form",
            field("Name", tag("input", type="text", id="name", name="name", required=True, maxlength=200), "name"),
            field(
                "Categories, one per line (Parent > Child for a hierarchy)",
                tag("textarea", "", id="categories", name="categories", required=True),
                "categories",
            ),
            field("Labels per document", tag("select", kinds, id="kind", name="kind"), "kind"),
            tag("button", "Create", class_="main"),
            id="create",
        ),
    )


def login_page() -> HTMLResponse:
    """Ask for name and password."""
    secret = tag(
        "input", type="password", id="password", name="password", required=True, autocomplete="current-password"
    )
    return page(
        "Log in",
        tag(
            "form",
            field(
                "Name",
                tag("input", type="text", id="name", name="name", required=True, autocomplete="username"),
                "name",
            ),
            field("Password", secret, "password"),
            tag("button", "Log in", class_="main"),
            id="login",
        ),
        who=ANYONE,
        script="login.js",
    )


def try_page(who: Identity, models: Sequence[str], chosen: str | None) -> HTMLResponse:
    """Paste a text and see labels, reasons and candidates."""
    if not models:
        return page("Try", tag("p", "No model is in use. Start the service with a model, or train one."), who=who)
    options = [tag("option", name, value=name, selected=name == chosen) for name in models]
    form = tag(
        "form",
        field("Model", tag("select", options, id="model", name="model"), "model"),
        field("Text", tag("textarea", "", id="text", name="text", required=True), "text"),
        tag("button", "Classify", class_="main"),
        id="try",
    )
    return page("Try", form, tag("div", "", id="result", aria_live="polite"), who=who, script="try.js")


def compare_page(who: Identity) -> HTMLResponse:
    """Take prediction files and show the report."""
    truth = tag("input", type="file", id="truth", name="truth", required=True)
    runs = tag("input", type="file", id="runs", name="runs", multiple=True, required=True)
    cut = tag("input", type="text", id="cut", name="cut")
    form = tag(
        "form",
        tag("p", "Files of true labels and of predictions: CSV, JSON Lines or Parquet with document, labels; or "
                 "document, category, score. Drop them on the fields, or choose them."),
        tag("div", field("Truth", truth, "truth"), field("Predictions of each system", runs, "runs"), class_="dropped"),
        field("Cut for scores (optional, such as 0.5 or rcut:1)", cut, "cut"),
        tag("input", type="hidden", name="answer", value="html"),
        tag("p", tag("button", "Show the report", class_="main", formaction="/compare"), " ",
            tag("button", "Evaluate one system", formaction="/evaluate")),
        method="post",
        enctype="multipart/form-data",
        target="_blank",
        action="/compare",
        id="compare",
    )  # fmt: skip
    return page("Compare", form, who=who)
