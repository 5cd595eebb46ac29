"""Statements of RDF/XML, as far as thesauri need it.

Striped nodes and properties, `rdf:about`, `rdf:ID`, `rdf:nodeID`, `rdf:resource`, `rdf:parseType`, `xml:base`,
`xml:lang`. What a collection lists is read, the list itself is not. A document type declaration is refused, so that
no entity is ever expanded. Nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin
from xml.parsers import expat

from rubricate.errors import InvalidFile
from rubricate.hierarchy.rdf.statements import RDF, Literal, Statement

__all__ = ["RdfXml"]

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
