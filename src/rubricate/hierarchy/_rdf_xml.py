"""Statements of RDF/XML, as far as thesauri need it.

Striped nodes and properties, `rdf:about`, `rdf:ID`, `rdf:resource`, `xml:base`, `xml:lang`. A document type
declaration is refused, so that no entity is ever expanded. Nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin
from xml.parsers import expat

from rubricate.errors import InvalidFile
from rubricate.hierarchy._statements import RDF, Literal, Statement

__all__ = ["RdfXml"]

_XML = "http://www.w3.org/XML/1998/namespace"


class RdfXml:
    """A reader of one text; `read` gives its statements in order."""

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
