"""SKOS thesauri: the concepts of a file and which is broader (W3C recommendation SKOS Reference, 2009, section 8).

Read: `skos:broader`, `skos:narrower` (the same link from the other end), `skos:Concept`, `skos:topConceptOf`,
`skos:hasTopConcept`, `skos:prefLabel`. A concept without broader ones is a top. Transitive and mapping relations,
other labels and everything else are passed over.

A concept is called by its preferred label in the language asked for, else in the label without language, else by any
label (the first in order of its tag), else by the last part of its IRI. Concepts that would share a name have the last
part of the IRI behind it in brackets, and the whole IRI where that is the same too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from rubricate.hierarchy.rdf.rdf_xml import RdfXml
from rubricate.hierarchy.rdf.statements import RDF, Literal, Statement
from rubricate.hierarchy.rdf.turtle import Turtle

__all__ = ["skos_links", "statements"]

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
