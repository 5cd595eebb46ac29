"""Old text of unknown encoding: UTF-8 where it is valid, else latin-1."""

from __future__ import annotations

import html
import re

__all__ = ["html_text", "utf8_or_latin1"]


def utf8_or_latin1(raw: bytes) -> str:
    """Decode text, with `\\n` for every line end and without NUL; never fails, since every byte is latin-1.

    >>> utf8_or_latin1("naïve".encode()), utf8_or_latin1(b"na\\xefve\\r\\n")
    ('naïve', 'naïve\\n')
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


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
