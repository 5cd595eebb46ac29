"""RDF statements, as SKOS files are made of them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["RDF", "Literal", "Statement"]

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
