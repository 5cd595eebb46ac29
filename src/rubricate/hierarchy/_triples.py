"""RDF statements of a SKOS file: Turtle (of which N-Triples is a part) and RDF/XML, as far as thesauri need them.

Turtle: prefixes, IRIs, prefixed names, blank node labels, literals with language or type, `a`, `;` and `,`. Blank
nodes in brackets and collections are answered with an error. RDF/XML: striped nodes and properties, `rdf:about`,
`rdf:ID`, `rdf:resource`, `xml:base`. A document type declaration is refused, so that no entity is ever expanded.
Nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin
from xml.parsers import expat

from rubricate.errors import InvalidFile

__all__ = ["RDF", "Literal", "Statement", "statements"]

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_XML = "http://www.w3.org/XML/1998/namespace"


class Literal(NamedTuple):
    """A text with its language tag, empty where it has none."""

    text: str
    language: str = ""


class Statement(NamedTuple):
    """Subject, predicate and object, and the line where the statement ends."""

    line: int
    subject: str
    predicate: str
    object: str | Literal


def statements(path: Path, text: str) -> Iterator[Statement]:
    """Every statement of a file, in its order; RDF/XML where it starts with `<?xml` or an element."""
    start = text.lstrip("\ufeff \t\r\n")
    is_xml = start.startswith(("<?xml", "<!")) or re.match(r"<[A-Za-z_][\w.:-]*\s+[\w.:-]+\s*=", start)
    return _RdfXml(path).read(text) if is_xml else _Turtle(path, text).read()


_TOKEN = re.compile(
    r"""(?P<space>[\s]+|\#[^\n]*)
    |(?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
    |(?P<long>\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*''')
    |(?P<short>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<at>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
    |(?P<type>\^\^)
    |(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?=[\s;,.\]]))
    |(?P<name>[^\s<>"'@^;,.()\[\]{}\#]*:(?:[^\s<>"'^;,()\[\]{}\#.]|\.(?=[^\s<>"'^;,()\[\]{}\#.]))*)
    |(?P<word>[A-Za-z]+)
    |(?P<sign>[.;,\[\]()])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def _unescaped(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] in "uU" and len(code) > 1:
            number = int(code[1:], 16)
            return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
        return _ESCAPES.get(code, code)

    return _ESCAPE.sub(character, text) if "\\" in text else text


class _Turtle:
    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text, self.place, self.line = path, text, 0, 1
        self.prefixes: dict[str, str] = {}
        self.base = ""

    def fail(self, problem: str) -> InvalidFile:
        remedy = "write plain Turtle, N-Triples or RDF/XML; other tools convert to N-Triples"
        return InvalidFile(problem, path=self.path, line=self.line, remedy=remedy)

    def token(self) -> tuple[str, str]:
        """Kind and text of the next token, ("end", "") behind the last one."""
        while self.place < len(self.text):
            found = _TOKEN.match(self.text, self.place)
            if not found:
                raise self.fail(f"no Turtle at {self.text[self.place : self.place + 20]!r}")
            self.place = found.end()
            self.line += found[0].count("\n")
            if found.lastgroup != "space":
                return str(found.lastgroup), found[0]
        return "end", ""

    def read(self) -> Iterator[Statement]:
        while (token := self.token())[0] != "end":
            directive = token[1].lower().lstrip("@")
            if token[0] in ("at", "word") and directive in ("prefix", "base"):
                self.directive(directive, dotted=token[0] == "at")
            else:
                yield from self.about(self.node(token))

    def directive(self, name: str, *, dotted: bool) -> None:
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
        """The predicates and objects behind a subject, up to the full stop."""
        token = self.token()
        while True:
            predicate = f"{RDF}type" if token == ("word", "a") else self.node(token)
            sign = ","
            while sign == ",":
                found, sign = self.object()
                yield Statement(self.line, subject, predicate, found)
            while sign == ";":
                token = self.token()
                sign = token[1] if token[0] == "sign" else ""
            if sign == ".":
                return
            if sign:
                raise self.fail(f"{sign!r} where '.', ';' or ',' was expected")

    def object(self) -> tuple[str | Literal, str]:
        """The object and the sign behind it."""
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
        if token[0] != "sign" or token[1] not in ".;,":
            raise self.fail(f"{token[1] or 'the end of the file'!r} where '.', ';' or ',' was expected")
        return token[1]

    def node(self, token: tuple[str, str]) -> str:
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


class _RdfXml:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: list[Statement] = []
        self.stack: list[tuple[str, str, str, str]] = []  # kind, IRI of the element, language, base
        self.text: list[str] = []
        self.blank = 0

    def read(self, text: str) -> Iterator[Statement]:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler = self.text.append
        parser.StartDoctypeDeclHandler = self.refuse
        self.parser = parser
        try:
            parser.Parse(text, True)
        except expat.ExpatError as error:
            problem = f"no XML ({expat.ErrorString(error.code)})"
            raise InvalidFile(problem, path=self.path, line=error.lineno, remedy="mend the file") from None
        return iter(self.found)

    def refuse(self, *_: object) -> None:
        raise InvalidFile(
            "a document type declaration, whose entities are not expanded",
            path=self.path,
            line=self.parser.CurrentLineNumber,
            remedy="save the file without <!DOCTYPE>, or as Turtle",
        )

    def start(self, name: str, attributes: dict[str, str]) -> None:
        iri = name.replace(" ", "")
        _, _, language, base = self.stack[-1] if self.stack else ("", "", "", "")
        language = attributes.get(f"{_XML} lang", language).lower()
        base = urljoin(base, attributes.get(f"{_XML} base", ""))
        self.text.clear()
        if not self.stack and iri == f"{RDF}RDF":
            self.stack.append(("list", "", language, base))
        elif not self.stack or self.stack[-1][0] in ("list", "property"):
            self.stack.append(("node", self.node(iri, attributes, base, language), language, base))
        else:
            self.stack.append(("property", iri, language, base))
            if target := attributes.get(f"{RDF} resource"):
                self.say(self.stack[-2][1], iri, urljoin(base, target))
                self.stack[-1] = ("said", iri, language, base)

    def node(self, iri: str, attributes: dict[str, str], base: str, language: str) -> str:
        """The subject that a node element describes; a property above it is said of it."""
        self.blank += 1
        about, name = attributes.get(f"{RDF} about"), attributes.get(f"{RDF} ID")
        subject = f"_:{self.blank}" if about is None and name is None else urljoin(base, about or f"#{name or ''}")
        if self.stack and self.stack[-1][0] == "property":
            self.say(self.stack[-2][1], self.stack[-1][1], subject)
            self.stack[-1] = ("said", *self.stack[-1][1:])
        if iri != f"{RDF}Description":
            self.say(subject, f"{RDF}type", iri)
        for key, value in attributes.items():
            if not key.startswith((RDF, _XML)) and " " in key:
                self.say(subject, key.replace(" ", ""), Literal(value, language))
        return subject

    def end(self, _: str) -> None:
        kind, iri, language, _ = self.stack.pop()
        if kind == "property":
            self.say(self.stack[-1][1], iri, Literal("".join(self.text).strip(), language))
        self.text.clear()

    def say(self, subject: str, predicate: str, value: str | Literal) -> None:
        self.found.append(Statement(self.parser.CurrentLineNumber, subject, predicate, value))
