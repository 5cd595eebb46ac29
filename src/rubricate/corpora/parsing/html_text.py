"""The text of an HTML page, however badly it is written.

Comments, scripts and style sheets are dropped; every other tag becomes a space; character entities are resolved. A
`<` that no `>` closes before the next `<` is text. Cost: linear in the page, whatever it holds.
"""

from __future__ import annotations

import html
import re

__all__ = ["html_text"]

_HIDDEN = re.compile(r"<!--|<(?:script|style)\b", re.IGNORECASE)
_HIDDEN_END = {
    "<!--": re.compile("-->"),
    "<script": re.compile("</script[^<>]*>?", re.IGNORECASE),
    "<style": re.compile("</style[^<>]*>?", re.IGNORECASE),
}
_TITLE = re.compile(r"<title[^<>]*>([^<]*)", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def html_text(page: str) -> tuple[str, str]:
    """Return the title and the rest of the text, with one space between words.

    >>> html_text("<title>Courses</title><!-- spring --><h1>CS&nbsp;101</h1> <p>We meet<br>daily")
    ('Courses', 'CS 101 We meet daily')
    """
    visible = _visible(page)
    match = _TITLE.search(visible)
    title = match.group(1) if match else ""
    rest = visible[: match.start(1)] + visible[match.end(1) :] if match else visible
    return _plain(title), _plain(rest)


def _plain(markup: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", markup)).split())


def _visible(page: str) -> str:
    """Remove comments, scripts and style sheets; one that never ends stays as it is."""
    parts, position = [], 0
    unending: set[str] = set()
    for start in _HIDDEN.finditer(page):
        kind = start.group().lower()
        if start.start() < position or kind in unending:
            continue
        end = _HIDDEN_END[kind].search(page, start.end())
        if end is None:
            unending.add(kind)
            continue
        parts.append(page[position : start.start()])
        position = end.end()
    return " ".join([*parts, page[position:]])
