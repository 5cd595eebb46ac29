"""The SGML of Reuters-21578 → stories. Not XML: no root, latin-1, bare `&` and `<` in text, control characters.

The files are read in one pass. The attributes of every story's tag are parsed at once, the rest when it is asked for,
so that a split pays only for its own documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rubricate.errors import InvalidFile

__all__ = ["FIELDS", "Story", "parse"]

FIELDS = ("topics", "places", "people", "orgs", "exchanges", "companies")
"""The sets of categories that a story may carry."""

_OPEN, _CLOSE = "<REUTERS", "</REUTERS>"
_NEEDED = ("TOPICS", "LEWISSPLIT", "CGISPLIT", "OLDID", "NEWID")
_ONCE = ("<DATE>", "</DATE>", "<TOPICS>", "</TOPICS>", "<TEXT", "</TEXT>")
_PAIRED = ("</TITLE>", "</BODY>", "</DATELINE>")
_ATTRIBUTE = re.compile(r'([A-Z]+)="([^"]*)"')
_D = re.compile(r"<D>([^<]*)</D>")
_TAG = re.compile(r"</?[A-Z]+[^>]*>")
_ENTITY = re.compile(r"&(?:#(\d{1,7})|(lt|gt|amp|quot));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_DATE = re.compile(r"(\d{1,2})-([A-Z]{3})-(\d{4})\D.*?(\d\d?):(\d\d):(\d\d(?:\.\d+)?)")
_MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"
_BINARY = bytes(code for code in range(32) if chr(code) not in "\t\n\r\f")
_REMEDY = "use the files of Reuters-21578, Distribution 1.0; 'rubricate corpus fetch reuters21578' gets them"


@dataclass(frozen=True)
class Story:
    """A story: the attributes of its tag, and the text between `<REUTERS …>` and `</REUTERS>`."""

    attributes: dict[str, str]
    source: str

    @property
    def newid(self) -> str:
        """Number of the story in this distribution."""
        return self.attributes["NEWID"]

    def names(self, field: str) -> tuple[str, ...]:
        """Return the categories of one of FIELDS, each once, in the order of the file."""
        return tuple(dict.fromkeys(_D.findall(_element(self.source, field.upper()))))

    @cached_property
    def date(self) -> str:
        """Date as ISO 8601, which sorts by time; noise after it is dropped.

        Story 17192 has the hour 605; its last two digits are taken.
        """
        written = _element(self.source, "DATE")
        match = _DATE.search(written)
        if not match:
            return decode(written).strip()
        day, month, year, hour, minute, second = match.groups()
        return f"{year}-{_MONTHS.find(month) // 4 + 1:02d}-{int(day):02d}T{int(hour):02d}:{minute}:{second}"

    @cached_property
    def _text(self) -> str:
        return self.source[self.source.index("<TEXT") :]

    @property
    def text_type(self) -> str:
        """NORM, BRIEF (a title alone) or UNPROC (text without structure)."""
        tag = self._text[: self._text.index(">")]
        return tag.partition('TYPE="')[2].rstrip('"') or "NORM"

    def part(self, tag: str) -> str:
        """Return the text of TITLE, BODY, DATELINE or AUTHOR; empty when the story has none."""
        return decode(_element(self._text, tag)).strip()

    @property
    def body(self) -> str:
        """Text of BODY; of TEXT itself where the story has neither TITLE nor BODY."""
        body, text = self.part("BODY"), self._text
        if body or "<TITLE>" in text:
            return body
        return decode(_TAG.sub("", text[text.index(">") + 1 :])).strip()


def decode(text: str) -> str:
    """Replace character entities by characters; control characters are dropped, unknown entities stay.

    >>> decode("AT&amp;T &lt;T> n&#127;earby&#3; &co;")
    'AT&T <T> nearby &co;'
    """
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    if match[2]:
        return _NAMED[match[2]]
    code = int(match[1])
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return match[0]
    return chr(code) if code in (9, 10) or 32 <= code < 127 or code >= 160 else ""


def _element(source: str, tag: str) -> str:
    start = source.find(f"<{tag}>")
    if start < 0:
        return ""
    start += len(tag) + 2
    return source[start : source.find(f"</{tag}>", start)]


def parse(data: bytes, path: str | Path) -> Iterator[Story]:
    """Yield the stories of a file, in its order."""
    _check_text(data, path)
    text = data.decode("latin-1").replace("\r\n", "\n")
    end = 0
    while (start := text.find(_OPEN, end)) >= 0:
        _check_gap(text, path, start=end, end=start)
        close = text.find(_CLOSE, start)
        following = text.find(_OPEN, start + 1, close if close >= 0 else len(text))
        if close < 0 or following >= 0:
            raise _broken("story without </REUTERS>: the file is cut short or damaged", text, start, path=path)
        yield _story(text, path, start=start, close=close)
        end = close + len(_CLOSE)
    _check_gap(text, path, start=end, end=len(text))


def _check_text(data: bytes, path: str | Path) -> None:
    if len(data.translate(None, _BINARY)) == len(data):
        return
    at = next(position for position, code in enumerate(data) if code in _BINARY)
    raise _broken(f"byte 0x{data[at]:02x}: binary data, not SGML", data[:at].decode("latin-1"), at, path=path)


def _check_gap(text: str, path: str | Path, *, start: int, end: int) -> None:
    """Check that there is nothing between stories, and only the document type before the first."""
    gap = text[start:end].strip()
    if gap and not (start == 0 and gap.startswith("<!DOCTYPE") and gap.endswith(">")):
        offset = start + text[start:end].index(gap[0])
        raise _broken(f"expected <REUTERS, got {gap[:40]!r}", text, offset, path=path)


def _story(text: str, path: str | Path, *, start: int, close: int) -> Story:
    tag_end = text.find(">", start, close)
    attributes = dict(_ATTRIBUTE.findall(text, start, tag_end))
    missing = [name for name in _NEEDED if name not in attributes]
    if missing or not attributes["NEWID"].isdigit():
        problem = f"<REUTERS> without {', '.join(missing)}" if missing else "NEWID is not a number"
        raise _broken(problem, text, start, path=path)
    source = text[tag_end + 1 : close]
    if unclosed := [needed for needed in _PAIRED if needed not in source and needed.replace("/", "") in source]:
        raise _broken(f"story {attributes['NEWID']} has no {unclosed[0]}", text, start, path=path)
    if lacking := [needed for needed in _ONCE if needed not in source]:
        raise _broken(f"story {attributes['NEWID']} has no {lacking[0]}", text, start, path=path)
    return Story(attributes, source)


def _broken(problem: str, text: str, offset: int, *, path: str | Path) -> InvalidFile:
    return InvalidFile(problem, path=path, line=text.count("\n", 0, offset) + 1, remedy=_REMEDY)
