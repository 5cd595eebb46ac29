"""Options that say how documents become terms; options that are left out keep their defaults."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from rubricate.errors import UnknownName

__all__ = ["TermOptions"]


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
        from rubricate.text.languages.catalogue import language_named
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
