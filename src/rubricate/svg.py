"""SVG that is the same on a page and in a file: colours by name, escaped words, measured text.

Marks take their colours as `var(--name)` from `COLOURS`. A page defines these variables once (`tokens_css`), for light
and for dark; a file gets the light colours themselves and a white ground, so that any program can show it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = [
    "COLOURS",
    "Svg",
    "clip",
    "escape",
    "group",
    "line",
    "path",
    "printable",
    "short",
    "text",
    "text_width",
    "tokens_css",
]

COLOURS = {
    "paper": ("#fdfcfa", "#16171a"),
    "panel": ("#f5f3ee", "#1f2125"),
    "ink": ("#1d1c1a", "#eceae5"),
    "soft": ("#5d5953", "#b1aca3"),
    "line": ("#dcd7cd", "#3a3c42"),
    "rubric": ("#a3161c", "#ff8f86"),
    "for": ("#cfe6d6", "#1d4a33"),
    "against": ("#f6d5d0", "#5b2724"),
    "heat": ("#b3261e", "#ff7a6b"),
    "c0": ("#0b5ea8", "#74b9ff"),
    "c1": ("#b84a00", "#ffa161"),
    "c2": ("#00735a", "#45d1a8"),
    "c3": ("#9b2f7a", "#f292cd"),
    "c4": ("#7a6200", "#e4c250"),
    "c5": ("#4b45b2", "#b0abff"),
    "c6": ("#006f8e", "#66d3ef"),
    "c7": ("#5c5c5c", "#bdbdbd"),
}
"""Every colour of the pages and figures, in light and in dark; c0 to c7 tell systems apart."""
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"

MARGIN = 8
"""Pixels around the drawing in a file."""

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_VARIABLE = re.compile(r'(?<==")var\(--(\w+)\)(?=")')
_NARROW, _WIDE = set("iljtfrI.,:;'|!()[]{} -"), set("mwMW@%")


def tokens_css() -> str:
    """Return the rule that defines every colour, for the style of a page."""
    lines = [f"  --{name}: light-dark({light}, {dark});" for name, (light, dark) in COLOURS.items()]
    return "\n".join([":root {", "  color-scheme: light dark;", *lines, "}", ""])


def escape(words: str) -> str:
    """Return markup that shows the words; what XML cannot hold is shown as U+FFFD.

    >>> escape("<b> & 'c'")
    '&lt;b&gt; &amp; &#39;c&#39;'
    """
    return printable(words).translate(_ENTITIES)


def printable(words: str) -> str:
    """Return the words with U+FFFD for what neither XML nor HTML can hold: control characters, halves of pairs."""
    return _UNPRINTABLE.sub("\ufffd", words)


def text_width(words: str, size: float = 12) -> float:
    """Return how wide the words are in a broad sans-serif type, in pixels, so that they fit in every other."""
    return size * sum(_letter(sign) for sign in words)


def _letter(sign: str) -> float:
    if sign in _NARROW:
        return 0.37
    if sign in _WIDE:
        return 0.96
    if unicodedata.east_asian_width(sign) in "WF":
        return 1.0
    return 0.72 if sign.isupper() else 0.63


def clip(words: str, width: float, size: float = 12) -> str:
    """Return the words on one line, shortened by an ellipsis to a width in pixels.

    >>> clip("acquisitions of other companies", 90)
    'acquisitions…'
    """
    words = " ".join(words[:400].split())
    if text_width(words, size) <= width:
        return words
    while words and text_width(words + "…", size) > width:
        words = words[:-1]
    return words.rstrip() + "…"


def short(value: float) -> str:
    """Return a length with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def _attributes(values: dict[str, str | float | None]) -> str:
    parts = []
    for key, value in values.items():
        if value is not None:
            shown = short(value) if isinstance(value, float) else escape(str(value))
            parts.append(f' {key.rstrip("_").replace("_", "-")}="{shown}"')
    return "".join(parts)


def _element(name: str, inside: str, **values: str | float | None) -> str:
    opening = f"<{name}{_attributes(values)}"
    return f"{opening}>{inside}</{name}>" if inside else f"{opening}/>"


def _title(words: str) -> str:
    return f"<title>{escape(words)}</title>" if words else ""


def text(x: float, y: float, words: str, *, title: str = "", **values: str | float | None) -> str:
    """Return words at a place; `title` is shown while a mouse points at them."""
    return _element("text", _title(title) + escape(words), x=float(x), y=float(y), **values)


def line(x1: float, y1: float, x2: float, y2: float, **values: str | float | None) -> str:
    """Return a straight line."""
    to = f"V{short(y2)}" if x1 == x2 else f"H{short(x2)}" if y1 == y2 else f"L{short(x2)} {short(y2)}"
    return _element("path", "", d=f"M{short(x1)} {short(y1)}{to}", **values)


def path(d: str, *, title: str = "", **values: str | float | None) -> str:
    """Return an outline from the commands of SVG."""
    return _element("path", _title(title), d=d, **values)


def dot(x: float, y: float, radius: float, **values: str | float | None) -> str:
    """Return a disc."""
    return _element("circle", "", cx=float(x), cy=float(y), r=float(radius), **values)


def box(x: float, y: float, width: float, height: float, **values: str | float | None) -> str:
    """Return a rectangle."""
    return _element("rect", "", x=float(x), y=float(y), width=float(width), height=float(height), **values)


def group(parts: Iterable[str], *, title: str = "", **values: str | float | None) -> str:
    """Return parts that share attributes; nothing if there are none."""
    inside = "".join(parts)
    return _element("g", _title(title) + inside, **values) if inside else ""


@dataclass(frozen=True)
class Svg:
    """A drawing of this size; `label` says to those who do not see it what it shows."""

    width: float
    height: float
    label: str
    parts: Sequence[str]

    def inline(self, class_: str | None = None, *, focus: bool = False) -> str:
        """Return the element for a page that defines the colours; with `focus` the keyboard can reach it.

        Without a label it is an ornament that screen readers leave out.
        """
        body, place, size = "".join(self.parts), "0" if focus else None, short(self.width)
        if not self.label:
            return self._root(body, class_=class_, width=size, aria_hidden="true")
        return self._root(body, class_=class_, width=size, role="img", aria_label=self.label, tabindex=place)

    def file(self, heading: str = "") -> str:
        """Return the content of a file: its own colours, a white ground, and a heading if there is one."""
        lines = _wrapped(heading, self.width)
        head = [text(0, 12 + 17 * k, words, font_weight="600") for k, words in enumerate(lines)]
        shift = 17 * len(lines) + 8 if lines else 0
        whole = Svg(self.width + 2 * MARGIN, self.height + shift + 2 * MARGIN, self.label, [])
        body = group(self.parts, transform=f"translate(0 {shift})") if lines else "".join(self.parts)
        placed = group([*head, body], transform=f"translate({MARGIN} {MARGIN})")
        size = {"width": f"{whole.width:.0f}", "height": f"{whole.height:.0f}", "font_family": FONT}
        ground = box(0, 0, whole.width, whole.height, fill="#fff")
        content = whole._root(_title(self.label) + ground + placed, role="img", **size)
        light = {name: "#ffffff" if name == "paper" else colours[0] for name, colours in COLOURS.items()}
        return _VARIABLE.sub(lambda name: light[name[1]], content)

    def _root(self, inside: str, **values: str | None) -> str:
        box = f"0 0 {self.width:.0f} {self.height:.0f}"
        shared = _attributes({"viewBox": box, **values, "font_size": "12", "fill": "var(--ink)"})
        return f'<svg xmlns="http://www.w3.org/2000/svg"{shared}>{inside}</svg>'


def _wrapped(words: str, width: float) -> list[str]:
    """Return bold words in lines of a width in pixels."""
    lines: list[str] = []
    for word in words.split():
        if lines and text_width(f"{lines[-1]} {word}", 13.4) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
