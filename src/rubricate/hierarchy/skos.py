"""RDF statements, as SKOS files are made of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin
from xml.parsers import expat

from rubricate.errors import InvalidFile

__all__ = ["RDF", "Literal", "RdfXml", "Statement", "Turtle", "skos_links", "statements"]

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


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


_XML = "http://www.w3.org/XML/1998/namespace"


class RdfXml:
    """A reader of one text; `read` gives its statements in order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.statements: list[Statement] = []
        self.stack: list[tuple[str, str, str, str]] = []  # kind, IRI of the element, language, base
        self.text: list[str] = []
        self.blank = 0

    def read(self, text: str) -> Iterator[Statement]:
        """Return the statements of a text in order."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler = self.text.append
        parser.StartDoctypeDeclHandler = self.refuse
        self.parser = parser
        try:
            parser.Parse(text, True)
        except expat.ExpatError as error:
            problem = f"not XML ({expat.ErrorString(error.code)})"
            raise InvalidFile(problem, path=self.path, line=error.lineno, remedy="correct the file") from None
        return iter(self.statements)

    def refuse(self, *_: object) -> None:
        """Raise InvalidFile: entities of a document type could blow up memory or name other files."""
        raise InvalidFile(
            "a document type declaration, whose entities are not expanded",
            path=self.path,
            line=self.parser.CurrentLineNumber,
            remedy="save the file without <!DOCTYPE>, or as Turtle",
        )

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Enter an element."""
        iri = name.replace(" ", "")
        above, _, language, base = self.stack[-1] if self.stack else ("list", "", "", "")
        language = attributes.get(f"{_XML} lang", language).lower()
        base = urljoin(base, attributes.get(f"{_XML} base", ""))
        if above in ("markup", "inside"):
            self.stack.append(("inside", "", language, base))
            return
        self.text.clear()
        if not self.stack and iri == f"{RDF}RDF":
            self.stack.append(("list", "", language, base))
        elif above in ("list", "property"):
            self.stack.append(("node", self.node(iri, attributes, base=base, language=language), language, base))
        else:
            self.stack.append((*self.property(iri, attributes, base), language, base))

    def property(self, iri: str, attributes: dict[str, str], base: str) -> tuple[str, str]:
        """Return the kind of a property element and its IRI; statements in its attributes are recorded."""
        subject, form = self.stack[-1][1], attributes.get(f"{RDF} parseType")
        target, name = attributes.get(f"{RDF} resource"), attributes.get(f"{RDF} nodeID")
        if form == "Resource":
            self.blank += 1
            self.say(subject, iri, own := f"_:{self.blank}")
            return "node", own
        if target is not None or name is not None:
            self.say(subject, iri, urljoin(base, target) if target is not None else f"_:{name}")
            return "said", iri
        return {"Collection": "list", "Literal": "markup"}.get(form or "", "property"), iri

    def node(self, iri: str, attributes: dict[str, str], *, base: str, language: str) -> str:
        """Return the subject that a node element describes; it is the value of a property above it."""
        subject = self.subject(attributes, base)
        if self.stack and self.stack[-1][0] == "property":
            self.say(self.stack[-2][1], self.stack[-1][1], subject)
            self.stack[-1] = ("said", *self.stack[-1][1:])
        if iri != f"{RDF}Description":
            self.say(subject, f"{RDF}type", iri)
        for key, value in attributes.items():
            if not key.startswith((RDF, _XML)) and " " in key:
                self.say(subject, key.replace(" ", ""), Literal(value, language))
        return subject

    def subject(self, attributes: dict[str, str], base: str) -> str:
        """Return the IRI of a node element, or the name of a blank node: its own, or a number."""
        about, name = attributes.get(f"{RDF} about"), attributes.get(f"{RDF} ID")
        if about is not None or name is not None:
            return urljoin(base, f"#{name}" if about is None else about)
        self.blank += 1
        return f"_:{attributes.get(f'{RDF} nodeID', self.blank)}"

    def end(self, _: str) -> None:
        """Leave an element; the text of a property is its literal."""
        kind, iri, language, _ = self.stack.pop()
        if kind in ("property", "markup"):
            self.say(self.stack[-1][1], iri, Literal("".join(self.text).strip(), language))
        if kind != "inside":
            self.text.clear()

    def say(self, subject: str, predicate: str, value: str | Literal) -> None:
        """Record a statement with its line."""
        self.statements.append(Statement(self.parser.CurrentLineNumber, subject, predicate, value))


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


SKOS = "http://www.w3.org/2004/02/skos/core#"


def skos_links(path: Path, text: str, *, language: str = "en") -> list[tuple[int, str, str]]:
    """Return (line, parent, child) of every link once, and (line, "", concept) of concepts without a broader one."""
    concepts: dict[str, int] = {}
    links: dict[tuple[str, str], int] = {}
    labels: dict[str, list[Literal]] = {}
    for statement in statements(path, text):
        if isinstance(statement.object, Literal):
            if statement.predicate == f"{SKOS}prefLabel":
                labels.setdefault(statement.subject, []).append(statement.object)
            continue
        for concept in _concepts(statement):
            concepts.setdefault(concept, statement.line)
        if link := _link(statement):
            links.setdefault(link, statement.line)
    names = _names(concepts, labels, language.lower())
    below = {child for _, child in links}
    tops = [(line, "", names[concept]) for concept, line in concepts.items() if concept not in below]
    return tops + [(line, names[parent], names[child]) for (parent, child), line in links.items()]


def statements(path: Path, text: str) -> Iterator[Statement]:
    """Yield the statements of a file in order; RDF/XML where it starts with `<?xml` or an element, else Turtle."""
    start = text.lstrip("\ufeff \t\r\n")
    is_xml = start.startswith(("<?xml", "<!")) or re.match(r"<[A-Za-z_][\w.:-]*\s+[\w.:-]+\s*=", start)
    return RdfXml(path).read(text) if is_xml else Turtle(path, text).read()


def _link(statement: Statement) -> tuple[str, str] | None:
    if statement.predicate == f"{SKOS}broader":
        return str(statement.object), statement.subject
    return (statement.subject, str(statement.object)) if statement.predicate == f"{SKOS}narrower" else None


def _concepts(statement: Statement) -> Iterable[str]:
    """Yield the IRIs that a statement says are concepts."""
    if statement.predicate in (f"{SKOS}broader", f"{SKOS}narrower"):
        return str(statement.object), statement.subject
    if statement.predicate == f"{SKOS}hasTopConcept":
        return (str(statement.object),)
    is_type = statement.predicate == f"{RDF}type" and statement.object == f"{SKOS}Concept"
    return (statement.subject,) if is_type or statement.predicate == f"{SKOS}topConceptOf" else ()


def _names(concepts: Iterable[str], labels: dict[str, list[Literal]], language: str) -> dict[str, str]:
    names = {iri: _label(labels.get(iri, []), language) or _last(iri) for iri in concepts}
    shared = Counter(names.values())
    longer = {iri: f"{name} ({_last(iri)})" for iri, name in names.items() if shared[name] > 1}
    shared = Counter((names | longer).values())
    return {iri: iri if shared[name] > 1 else name for iri, name in (names | longer).items()}


def _label(labels: list[Literal], language: str) -> str:
    """Return the label in the language (or a dialect of it), else without language, else the first by its tag."""

    def order(label: Literal) -> tuple[int, str, str]:
        tag = label.language
        kind = 0 if tag == language else 1 if tag.startswith(f"{language}-") else 2 if not tag else 3
        return kind, tag, label.text

    named = [label for label in labels if label.text.strip()]
    return " ".join(min(named, key=order).text.split()) if named else ""


def _last(iri: str) -> str:
    """Return the part after the last `#` or `/`; the whole where that is empty."""
    return re.split(r"[#/]", iri.rstrip("#/"))[-1] or iri
