"""Render the page as one text: head with a content security policy, header, contents, sections, footer."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files

from rubricate._version import __version__
from rubricate.reports.page.html import Html, escape, tag
from rubricate.reports.page.section import sections
from rubricate.reports.results import ReportResults
from rubricate.svg import tokens_css

__all__ = ["render_document", "render_page"]


def _template(folder: str, suffix: str) -> str:
    """Join all templates of a folder with this suffix, in the order of their names."""
    place = files("rubricate.reports.page").joinpath("templates", *folder.split("/"))
    parts = sorted(
        (template for template in place.iterdir() if template.name.endswith(suffix)), key=lambda template: template.name
    )
    return "\n".join(template.read_text(encoding="utf-8") for template in parts)


def _policy(style: str, script: str) -> str:
    """Return the security policy: only this style and script may run, nothing may be fetched. Escaping comes first.

    Images may be shown where the page itself holds them.
    """
    style_hash, script_hash = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)
    )
    return (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def render_page(results: ReportResults) -> str:
    """Render the page: every section that has something to show, in its order."""
    bodies = {stem: (function, function(results)) for stem, function in sections().items()}
    shown = {stem: (function.title, body) for stem, (function, body) in bodies.items() if body is not None}
    return render_document(results.data.title, shown, note=results.data.corpus_note)


def render_document(title: str, shown: Mapping[str, tuple[str, Html]], *, note: str = "") -> str:
    """Render a page from its sections: by identifier a heading and a body; `note` stands below the title."""
    contents = [tag("li", tag("a", heading, href=f"#{stem}")) for stem, (heading, _) in shown.items()]
    blocks = [
        tag("section", tag("h2", heading, id=f"{stem}-title"), body, id=stem, aria_labelledby=f"{stem}-title")
        for stem, (heading, body) in shown.items()
    ]
    nav = tag("nav", tag("ol", contents), class_="contents", aria_label="Contents")
    columns = tag("div", nav, tag("main", blocks, id="main"), class_="columns")
    body = tag("div", _header(title, note), columns, _footer(), class_="page")
    return "<!doctype html>\n" + tag("html", _head(title), _body(body), lang="en") + "\n"


def _head(title: str) -> Html:
    style, script = tokens_css() + _template("", ".css"), _script()
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=f"Rubricate {__version__}"),
        tag("title", title),
        tag("style", Html(style)),
    )


def _script() -> str:
    return f'"use strict";\n(() => {{\n{_template("script", ".js")}\n}})();\n'


def _body(page: Html) -> Html:
    skip = tag("a", "Skip to the findings", href="#main", class_="skip")
    return tag("body", skip, page, tag("script", Html(_script())))


def _header(title: str, note: str) -> Html:
    button = tag("button", "Light or dark", type="button", class_="theme", hidden=True)
    below = tag("p", escape(note)) if note else None
    return tag("header", tag("div", tag("h1", tag("bdi", title[:300])), below), button, class_="top")


def _footer() -> Html:
    return tag("footer", f"Made by Rubricate {__version__}. This file holds everything it shows and fetches nothing.")
