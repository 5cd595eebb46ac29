"""Rule text → tokens. Positions are offsets into the text; line and column are counted only for an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rubricate.errors import InvalidRules

__all__ = ["KEYWORDS", "Token", "tokens", "unquoted"]

KEYWORDS = frozenset({"always", "analyzer", "and", "if", "never", "none", "not", "or", "title"})
"""Words of the language; as a word of a document they are put in single quotes."""

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f\v]+|\#[^\n]*)
      | (?P<near>(?:near|before)/[0-9]+(?!\w))
      | (?P<bare>\w+(?:[.-]\w+)*)(?P<star>\*?)
      | (?P<exact>'(?:[^'\\\n]|\\.)*')(?P<exact_star>\*?)
      | (?P<phrase>"(?:[^"\\\n]|\\.)*")
      | @(?P<macro>\w+(?:[.-]\w+)*)
      | (?P<sign>>=|[()\[\];:=,])""",
    re.VERBOSE | re.IGNORECASE,
)
_KINDS = ("near", "bare", "exact", "phrase", "macro", "sign")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "'": "'"}


class Token(NamedTuple):
    """`kind` is near, bare, prefix, exact, phrase, macro, sign, a keyword itself, or end."""

    kind: str
    text: str
    offset: int

    def __str__(self) -> str:
        """Return the token as an error names it."""
        return "the end" if self.kind == "end" else repr(self.text if len(self.text) <= 40 else self.text[:39] + "…")


def tokens(text: str, path: str | Path | None = None) -> Iterator[Token]:
    """Return the tokens of a rule file, the last one of kind end."""
    place, size, match = 0, len(text), _TOKEN.match
    while place < size:
        lexeme = match(text, place)
        if lexeme is None:
            raise _unreadable(text, place, path)
        group = lexeme.lastgroup or ""
        if group != "space":
            yield _token(lexeme, group)
        place = lexeme.end()
    yield Token("end", "", size)


def _token(match: re.Match[str], group: str) -> Token:
    if group in ("star", "exact_star"):
        group = "bare" if group == "star" else "exact"
        if match.group().endswith("*"):
            return Token("prefix", match.group(group), match.start())
    text = match.group(group)
    if group == "bare" and text.lower() in KEYWORDS:
        return Token(text.lower(), text, match.start())
    return Token(group, text, match.start())


def _unreadable(text: str, place: int, path: str | Path | None) -> InvalidRules:
    sign = text[place]
    if sign in "'\"":
        problem, remedy = f"a quote {sign} that does not end in its line", "close it on the same line"
    elif sign == "\0":
        problem, remedy = "a NUL byte; this is not a text file", "save the rules as UTF-8 text"
    elif sign == "@":
        problem, remedy = "expected the name of a macro behind '@'", "write it like @rates"
    elif sign in "&|!":
        problem, remedy = f"unknown operator {sign!r}", "write 'and', 'or' or 'not'"
    elif sign == "/" or sign in "<>~^+%{}":
        problem, remedy = f"unknown operator {sign!r}", "there are and, or, not, near/N, before/N, >= N and title(…)"
    else:
        problem, remedy = f"unexpected {sign!r}", "put words with such signs in single quotes"
    return InvalidRules(problem, text, place, path=path, remedy=remedy)


def unquoted(token: Token, text: str, path: str | Path | None) -> str:
    """Return the content of a quoted token; that of another is its text."""
    if token.text[:1] not in ("'", '"'):
        return token.text

    def plain(match: re.Match[str]) -> str:
        code = match.group(1)
        if len(code) == 5:
            return chr(int(code[1:], 16))
        if code not in _PLAIN:
            problem = f"unknown escape \\{code}"
            raise InvalidRules(
                problem, text, token.offset + 1 + match.start(), path=path, remedy="write \\\\ for a backslash"
            )
        return _PLAIN[code]

    return _ESCAPE.sub(plain, token.text[1:-1])
