"""Options of the commands that keep their trials in a store, and their messages when interrupted."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.errors import InvalidInput, UnknownName

if TYPE_CHECKING:
    from rubricate.hierarchy import Hierarchy
    from rubricate.measures import Similarity
    from rubricate.types import AnyClassifier, Corpus

__all__ = [
    "EngineName",
    "Fresh",
    "HierarchyFile",
    "HierarchyOptions",
    "KnownHierarchy",
    "StoreFolder",
    "TermOptions",
    "check_engine",
    "keeping",
    "with_hierarchy",
]

StoreFolder = Annotated[
    Path | None,
    typer.Option("--store", help="The folder of trials; by default $RUBRICATE_STORE, or else your data folder."),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Compute everything again, whatever is in the store.")]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        help="Where work runs: threads, serial, dask, or dask:ADDRESS of a scheduler; results are the same.",
        metavar="NAME",
    ),
]


def check_engine(engine: str) -> None:
    """Refuse an unknown engine, or a cluster that is not there, before any work; threads are always there."""
    if engine != "threads":
        from rubricate import engines

        engines.check_engine(engine)


@contextmanager
def keeping(store: Path) -> Iterator[None]:
    """Report damaged entries on standard error, and after Ctrl-C that the same command resumes."""
    from rubricate.experiments.store import DamagedEntry

    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: object) -> None:
            if issubclass(category, DamagedEntry):
                print(f"rubricate: {message}", file=sys.stderr)
            else:
                shown(message, category, *rest)  # type: ignore[arg-type]

        warnings.showwarning = show  # type: ignore[assignment]
        warnings.simplefilter("always", DamagedEntry)
        try:
            yield
        except KeyboardInterrupt:
            print(f"what was done is in {store}; the same command resumes from there", file=sys.stderr)
            raise


@dataclass(frozen=True)
class TermOptions:
    """How documents become terms."""

    representation: Annotated[
        str | None,
        typer.Option(
            "--representation",
            metavar="auto|terms|words|characters|mixed|vectors|hybrid",
            help="What documents are turned into; by default chosen by cross-validation.",
        ),
    ] = None
    stop: Annotated[
        str | None,
        typer.Option("--stop", metavar="none|smart|german|…|FILE", help="Words to leave out: a list, or a file."),
    ] = None
    stem: Annotated[
        str | None,
        typer.Option("--stem", metavar="none|porter|porter2|german|…", help="The stemmer, which removes word endings."),
    ] = None
    ngrams: Annotated[
        str | None,
        typer.Option(
            "--ngrams", metavar="N|N,M", help="Phrases of this many words: 2, or 1,2 for single words and pairs."
        ),
    ] = None
    tokens: Annotated[
        str | None,
        typer.Option(
            "--tokens", metavar="NAME", help="letters, alphanumeric, words, web (emoji, #tags) or characters."
        ),
    ] = None

    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            metavar="auto|none|CODE",
            help="The language of the documents, such as de; by default detected.",
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Return the options that were given as settings of the analyzer; raise where they cannot be used."""
        from rubricate.text.analyzer import Analyzer
        from rubricate.text.languages import language_named
        from rubricate.text.options import plain_option
        from rubricate.text.stop_lists import stop_words
        from rubricate.training.languages import check_language
        from rubricate.training.representations import NAMES

        given = {name: plain_option(name, value) for name, value in asdict(self).items() if value is not None}
        chosen, language = given.pop("representation", None), self.language
        given.pop("language", None)
        if language is not None:
            check_language(language)
        if given and language not in (None, "auto", "none"):  # what is not said of the analysis follows the language
            given = language_named(str(language)).analysis() | given
        if chosen is not None and chosen not in NAMES:
            raise UnknownName("representation", chosen, NAMES)
        Analyzer(**given).check()
        stop_words(given.get("stop"))
        settings = {f"analyzer__{name}": value for name, value in given.items()}
        settings |= {} if language is None else {"language": language}
        return settings if chosen is None else {"representation": chosen, **settings}


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
