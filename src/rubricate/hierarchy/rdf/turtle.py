"""Statements of Turtle, of which N-Triples is a part, as far as thesauri need it.

Prefixes, IRIs, prefixed names, blank node labels, literals with language or type, `a`, `;` and `,`. Blank nodes in
brackets and collections are answered with an error. Nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

from rubricate.errors import InvalidFile
from rubricate.hierarchy.rdf.statements import RDF, Literal, Statement

__all__ = ["Turtle"]

_TOKEN = re.compile(
    r"""(?P<space>[\s]+|\#[^\n]*)
    |(?P<iri><(?:[^<>"{}|^`\\\x00-\x20]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*>)
    |(?P<long>\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*''')
    |(?P<short>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<at>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
    |(?P<type>\^\^)
    |(?P<number>[+-]?(?:\d+\.\d*[eE][+-]?\d+|(?:\d*\.)?\d+(?:[eE][+-]?\d+)?)(?=[\s;,.\]]))
    |(?P<name>[^\s<>"'@^;,.()\[\]{}\#]*:(?:[^\s<>"'^;,()\[\]{}\#.\\]|\\.|\.(?=[^\s<>"'^;,()\[\]{}\#.]))*)
    |(?P<word>[A-Za-z]+)
    |(?P<sign>[.;,\[\]()])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "uU" and len(code) > 1:
            number = int(code[1:], 16)
            return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
        return _ESCAPES.get(code, code)

    return _ESCAPE.sub(character, text) if "\\" in text else text


class Turtle:
    """A reader of one text; `read` gives its statements in order."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text, self.place, self.line = path, text, 0, 1
        self.prefixes: dict[str, str] = {}
        self.base = ""

    def fail(self, problem: str) -> InvalidFile:
        """Return the error for a problem at the current line."""
        remedy = "write plain Turtle, N-Triples or RDF/XML; other tools convert to N-Triples"
        return InvalidFile(problem, path=self.path, line=self.line, remedy=remedy)

    def token(self) -> tuple[str, str]:
        """Return kind and text of the next token, ("end", "") after the last one."""
        while self.place < len(self.text):
            match = _TOKEN.match(self.text, self.place)
            if not match:
                raise self.fail(f"not Turtle at {self.text[self.place : self.place + 20]!r}")
            self.place = match.end()
            self.line += match[0].count("\n")
            if match.lastgroup != "space":
                return str(match.lastgroup), match[0]
        return "end", ""

    def read(self) -> Iterator[Statement]:
        """Yield the statements of the text in order."""
        while (token := self.token())[0] != "end":
            directive = token[1].lower().lstrip("@")
            if token[0] in ("at", "word") and directive in ("prefix", "base"):
                self.directive(directive, dotted=token[0] == "at")
            else:
                yield from self.about(self.node(token))

    def directive(self, name: str, *, dotted: bool) -> None:
        """Read the rest of a prefix or base; SPARQL's spelling has no full stop."""
        prefix = self.token()[1] if name == "prefix" else ""
        kind, iri = self.token()
        if kind != "iri" or (name == "prefix" and not prefix.endswith(":")):
            raise self.fail(f"@{name} without its IRI")
        if name == "prefix":
            self.prefixes[prefix[:-1]] = urljoin(self.base, iri[1:-1])
        else:
            self.base = urljoin(self.base, iri[1:-1])
        if dotted and self.token()[1] != ".":
            raise self.fail(f"@{name} without a full stop")

    def about(self, subject: str) -> Iterator[Statement]:
        """Yield statements from the predicates and objects after a subject, up to the full stop."""
        token = self.token()
        while True:
            predicate = f"{RDF}type" if token == ("word", "a") else self.node(token)
            sign = ","
            while sign == ",":
                value, sign = self.object()
                yield Statement(self.line, subject, predicate, value)
            while sign == ";":
                token = self.token()
                sign = token[1] if token[0] == "sign" else ""
            if sign == ".":
                return
            if sign:
                raise self.fail(f"{sign!r} where '.', ';' or ',' was expected")

    def object(self) -> tuple[str | Literal, str]:
        """Return the object and the sign after it."""
        kind, text = token = self.token()
        if kind not in ("short", "long", "number", "word"):
            return self.node(token), self.sign(self.token())
        quotes = {"short": 1, "long": 3}.get(kind, 0)
        content = _unescaped(text[quotes : len(text) - quotes] if quotes else text)
        token = self.token()
        if token[0] == "at":
            return Literal(content, token[1][1:].lower()), self.sign(self.token())
        if token[0] == "type":
            self.node(self.token())
            token = self.token()
        return Literal(content), self.sign(token)

    def sign(self, token: tuple[str, str]) -> str:
        """Return the sign of a token that must be one."""
        if token[0] != "sign" or token[1] not in ".;,":
            raise self.fail(f"{token[1] or 'the end of the file'!r} where '.', ';' or ',' was expected")
        return token[1]

    def node(self, token: tuple[str, str]) -> str:
        """Return the whole IRI, or the label of a blank node, that a token stands for."""
        kind, text = token
        if kind == "iri":
            return urljoin(self.base, _unescaped(text[1:-1]))
        if kind == "name" and text.startswith("_:"):
            return text
        if kind == "name":
            prefix, _, local = text.partition(":")
            if prefix not in self.prefixes:
                raise self.fail(f"the prefix {prefix + ':'!r} is not declared")
            return self.prefixes[prefix] + _unescaped(local)
        raise self.fail(f"{text or 'the end of the file'!r} where an IRI was expected")
