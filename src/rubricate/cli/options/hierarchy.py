"""The hierarchy of categories a command reads, and the options that go with it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.errors import InvalidInput

if TYPE_CHECKING:
    from rubricate.hierarchy import Hierarchy
    from rubricate.measures import Similarity
    from rubricate.types import AnyClassifier, Corpus

__all__ = ["HierarchyFile", "HierarchyOptions", "KnownHierarchy", "with_hierarchy"]

_Hierarchy = Annotated[
    Path | None,
    typer.Option(
        "--hierarchy",
        help="Which category is above which: parent,child in CSV, parent<tab>child, indented names, a/b/c paths, "
        "RCV1's file, or SKOS. Adds measures that know how far off a wrong category is.",
    ),
]
HierarchyFile = Annotated[
    Path | None,
    typer.Option(
        "--hierarchy",
        help="Which category is above which (see evaluate), for --classifier top_down, local, tolerant, …",
    ),
]
_Acceptable = Annotated[
    float, typer.Option("--acceptable", help="The distance in links at which a wrong category contributes nothing.")
]
_Similarity = Annotated[
    Path | None,
    typer.Option("--similarity", help="A CSV table of category similarities, for measures by similarity too."),
]


@dataclass(frozen=True)
class KnownHierarchy:
    """The hierarchy that was read, as arguments of `evaluate` and `compare`; empty without --hierarchy."""

    hierarchy: Hierarchy | None = None
    acceptable: float = 2.0
    similarity: Similarity | None = None

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments of `evaluate` and `compare`."""
        return {"hierarchy": self.hierarchy, "acceptable": self.acceptable, "similarity": self.similarity}

    def warn_outside(self, categories: Sequence[str]) -> None:
        """Print on standard error which categories are missing from the hierarchy."""
        outside = [] if self.hierarchy is None else [name for name in categories if name not in self.hierarchy]
        if outside and len(outside) < len(categories):
            shown = ", ".join(outside[:5]) + (", …" if len(outside) > 5 else "")
            print(
                f"rubricate: not in the hierarchy, so they contribute nothing: {shown} "
                f"({len(outside)} of {len(categories)} categories)",
                file=sys.stderr,
            )


@dataclass(frozen=True)
class HierarchyOptions:
    """The options about a hierarchy."""

    hierarchy: _Hierarchy = None
    acceptable: _Acceptable = 2.0
    similarity: _Similarity = None

    def read(self) -> KnownHierarchy:
        """Read the hierarchy and the similarities."""
        if self.hierarchy is None:
            if self.similarity is not None:
                raise InvalidInput("--similarity needs the hierarchy of the categories; give --hierarchy FILE")
            return KnownHierarchy()
        from rubricate.hierarchy import Hierarchy, read_taxonomy
        from rubricate.measures import read_similarity

        similarity = None if self.similarity is None else read_similarity(self.similarity)
        return KnownHierarchy(Hierarchy.from_edges(read_taxonomy(self.hierarchy)), self.acceptable, similarity)


def with_hierarchy(corpus: Corpus, path: Path | None, classifier: AnyClassifier | str | None) -> Corpus:
    """Return the corpus with the hierarchy of a file, for a classifier (or its name) that uses one."""
    if path is None:
        return corpus
    from rubricate import registry
    from rubricate.hierarchy import read_taxonomy

    kind = registry.load("classifiers", classifier) if isinstance(classifier, str) else type(classifier)
    if not getattr(kind, "needs_hierarchy", False):
        names = registry.names("classifiers")
        known = [name for name in names if getattr(registry.load("classifiers", name), "needs_hierarchy", False)]
        raise InvalidInput(f"--hierarchy needs a classifier that knows hierarchies; give one of {', '.join(known)}")
    return replace(corpus, taxonomy=read_taxonomy(path))
