"""What all pages share: head, navigation, security policy."""

from __future__ import annotations

from importlib.resources import files
from urllib.parse import quote

from starlette.responses import HTMLResponse

from rubricate._version import __version__
from rubricate.reports.page.html import Child, Html, data_script, tag
from rubricate.service.access.identity import Identity
from rubricate.svg import tokens_css

__all__ = ["POLICY", "STATIC", "address", "page", "static_file"]

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
    content = files("rubricate.service.page").joinpath("static", name).read_bytes()
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
