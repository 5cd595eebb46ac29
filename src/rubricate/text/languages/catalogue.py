"""What is known of each language: its stemmer, its stop list, and how text without spaces between words is read.

A language without a stop list loses no words; one without a stemmer keeps its endings. Chinese, Japanese and Thai do
not put spaces between words and are read as character n-grams, and so is Korean, whose endings cling to words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rubricate.errors import UnknownName

__all__ = ["ENGLISH", "LANGUAGES", "Language", "language_named"]


@dataclass(frozen=True)
class Language:
    """A language by its ISO 639-1 code.

    `stem` is PyStemmer's name of its stemmer, `stop` the name of our stop list; None where there is none. `ngrams` are
    the lengths of character n-grams where words cannot be told apart by spaces.
    """

    code: str
    name: str
    stem: str | None = None
    stop: str | None = None
    ngrams: tuple[int, int] | None = None

    def analysis(self) -> dict[str, Any]:
        """Return the parameters of an `Analyzer` for documents in this language.

        >>> language_named("de").analysis()
        {'stop': 'german', 'stem': 'german'}
        """
        if self.ngrams is not None:
            return {"tokens": "characters", "ngrams": self.ngrams}
        return {"stop": self.stop, "stem": self.stem}


def _stemmed(code: str, name: str, *, stop: bool = False) -> Language:
    return Language(code, name, name.lower(), name.lower() if stop else None)


ENGLISH = Language("en", "English", "porter", "smart")
_ALL = (
    ENGLISH,
    *(
        _stemmed(code, name, stop=True)
        for code, name in {
            "de": "German", "es": "Spanish", "fi": "Finnish", "fr": "French", "it": "Italian", "nl": "Dutch",
            "pt": "Portuguese", "ru": "Russian", "sv": "Swedish",
        }.items()
    ),
    *(
        _stemmed(code, name)
        for code, name in {
            "ar": "Arabic", "ca": "Catalan", "cs": "Czech", "da": "Danish", "el": "Greek", "eo": "Esperanto",
            "et": "Estonian", "eu": "Basque", "fa": "Persian", "ga": "Irish", "hi": "Hindi", "hu": "Hungarian",
            "hy": "Armenian", "id": "Indonesian", "lt": "Lithuanian", "ne": "Nepali", "no": "Norwegian", "pl": "Polish",
            "ro": "Romanian", "sr": "Serbian", "st": "Sesotho", "ta": "Tamil", "tr": "Turkish", "yi": "Yiddish",
        }.items()
    ),
    Language("he", "Hebrew"),
    Language("uk", "Ukrainian"),
    Language("ja", "Japanese", ngrams=(1, 3)),
    Language("ko", "Korean", ngrams=(1, 3)),
    Language("th", "Thai", ngrams=(2, 4)),
    Language("zh", "Chinese", ngrams=(1, 2)),
)  # fmt: skip

LANGUAGES: Mapping[str, Language] = {each.code: each for each in sorted(_ALL, key=lambda each: each.code)}
"""Every language by its code."""


def language_named(name: str) -> Language:
    """Return a language by its code or English name.

    >>> language_named("German").code, language_named("ZH").name
    ('de', 'Chinese')
    """
    folded = str(name).strip().casefold()
    known = {key.casefold(): each for each in _ALL for key in (each.code, each.name)}
    if folded not in known:
        raise UnknownName("language", str(name), [*LANGUAGES, *(each.name for each in _ALL)])
    return known[folded]
