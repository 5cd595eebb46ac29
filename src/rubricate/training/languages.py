"""The analysis that the language of the documents asks for, and what is said about it.

Documents are never silently stemmed or stopped as English: by default ("auto") the language is detected, and where a
given analyzer is English and the documents are not, a warning says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rubricate.errors import UnknownName
from rubricate.labels import column
from rubricate.scratch import MappedTexts
from rubricate.text.analyzer import Analyzer
from rubricate.text.languages import ENGLISH, LANGUAGES, CorpusLanguage, Language, detect_corpus, language_named
from rubricate.training.data import TrainingData
from rubricate.types import Documents

__all__ = ["AUTO_LANGUAGE", "NO_LANGUAGE", "DetectedLanguage", "check_language", "detect_for"]

AUTO_LANGUAGE, NO_LANGUAGE = "auto", "none"
TITLES = 2
"""How often terms of titles count, as in the default analyzer."""
ENGLISH_STEMMERS = ("porter", "porter2", "english")
ENGLISH_LISTS = ("smart", "english")


@dataclass(frozen=True)
class DetectedLanguage:
    """The language of some documents: the analyzer for it (None: the default one, which is English), and the facts."""

    analyzer: Analyzer | None
    facts: Mapping[str, Any]


def check_language(language: Any) -> None:
    """Refuse a language that nobody knows."""
    if language in (AUTO_LANGUAGE, NO_LANGUAGE):
        return
    try:
        language_named(language)
    except UnknownName as error:
        raise UnknownName("language", str(language), [AUTO_LANGUAGE, NO_LANGUAGE, *error.known]) from None


def detect_for(language: str, material: TrainingData, given: Any = None) -> DetectedLanguage | None:
    """Return the language of documents, detected or as it is said; None where documents are not texts.

    `given` is the analyzer that is used in any case; what does not go with the language is warned of.
    """
    check_language(language)
    if language == NO_LANGUAGE:
        return DetectedLanguage(
            _analyzer(stop=None, stem=None), _facts(None, "no language: words are neither stopped nor stemmed")
        )
    if language != AUTO_LANGUAGE:
        named = language_named(language)
        _warn_of(given, named)
        return DetectedLanguage(_of(named), _facts(named.code, f"{named.name}, as it was said"))
    texts = _texts(material)
    if texts is None:
        return None
    detected = material.screened(("language",), lambda: detect_corpus(texts))
    if given is not None and detected.sure and detected.code not in (None, ENGLISH.code):
        _warn_of(given, LANGUAGES[detected.code])
    return _detected(detected)


def _detected(detected: CorpusLanguage) -> DetectedLanguage:
    facts = _facts(detected.code, detected.describe(), sure=detected.sure, shares=dict(detected.shares))
    if detected.mixed:
        return DetectedLanguage(_analyzer(stop=None, stem=None), facts)
    if detected.code is None or detected.code == ENGLISH.code:
        return DetectedLanguage(None, facts)
    if not detected.sure and detected.shares.keys() == {detected.code} and detected.code in _latin():
        message = f"{detected.describe()}: read as English. Fix: say the language"
        return DetectedLanguage(None, facts | {"said": message})
    return DetectedLanguage(_of(LANGUAGES[detected.code]), facts)


def _latin() -> frozenset[str]:
    """Return the languages in Latin letters, for which a few words prove nothing."""
    others = {"ar", "el", "fa", "he", "hi", "hy", "ja", "ko", "ne", "ru", "sr", "ta", "th", "uk", "yi", "zh"}
    return frozenset(LANGUAGES) - others


def _of(language: Language) -> Analyzer | None:
    return None if language == ENGLISH else _analyzer(**language.analysis())


def _analyzer(**options: Any) -> Analyzer:
    return Analyzer(title=TITLES, **options)


def _facts(
    code: str | None, message: str, *, sure: bool = True, shares: Mapping[str, float] | None = None
) -> dict[str, Any]:
    return {"language": code, "sure": sure, "shares": dict(shares or {}), "said": message}


def _warn_of(given: Any, language: Language) -> None:
    """Warn where an analyzer is English and the documents are not."""
    if not isinstance(given, Analyzer) or language == ENGLISH or given.tokens == "characters":
        return
    english = [
        f"{name}={value!r}"
        for name, value, known in (("stop", given.stop, ENGLISH_LISTS), ("stem", given.stem, ENGLISH_STEMMERS))
        if isinstance(value, str) and value in known
    ]
    if english:
        fix = ", ".join(f"{name}={value!r}" for name, value in language.analysis().items())
        warnings.warn(
            f"the documents are in {language.name}, but {' and '.join(english)} are for English. Fix: give {fix}",
            UserWarning,
            stacklevel=8,
        )


def _texts(material: TrainingData) -> Sequence[str] | None:
    documents = material.documents
    if isinstance(documents, Documents):
        return documents.bodies if isinstance(documents.bodies, MappedTexts) else list(documents.bodies)
    if hasattr(documents, "shape") and getattr(documents, "ndim", 1) != 1:
        return None
    values = column(documents)
    return values if all(isinstance(value, str) for value in values[:100]) else None
