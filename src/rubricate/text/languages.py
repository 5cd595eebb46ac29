"""Languages: their stemmers, how they are written, and which one a text is in."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from rubricate.errors import UnknownName
from rubricate.text.stop_lists import stop_words
from rubricate.types import Floats

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "CorpusLanguage",
    "Detected",
    "Language",
    "detect_corpus",
    "detect_language",
    "language_named",
]


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


FEWEST = 12
"""Letters below which nothing is sure, except by a script that one language has."""
SURE = 0.9
LOOKED_AT = 600
"""Characters of a text that are looked at."""
DOCUMENTS = 96
"""Documents of a corpus that are looked at, evenly spread."""
ENOUGH = 150
"""Letters of all documents together below which a corpus is not sure."""
SECOND = 0.1
"""The share of documents from which on a second language makes a corpus mixed."""
UNSEEN = {1: 0.01, 2: 0.1, 3: 0.3, 4: 0.3}
"""For each length of n-grams, what an n-gram that a language lacks is worth, as a share of its mean over languages.

The samples are small, so that longer n-grams are often missing by chance."""
STOP_WEIGHT = 0.3
"""The weight of the stop list beside the sample: function words are a third to a half of a running text."""
SHARPNESS = 2.0
"""Log-odds are multiplied by this and divided by √n-grams: chosen so that sentences of four words are rarely sure and
wrong (tests/text/test_languages.py has the sentences, which are not among the samples)."""
WORDS = re.compile(r"[^\W\d_]+")
SCRIPTS: Mapping[str, str] = {
    "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "THAI": "th", "GREEK": "el", "ARMENIAN": "hy", "TAMIL": "ta",
    "HEBREW": "he", "CJK": "zh", "LATIN": "Latin", "CYRILLIC": "Cyrillic", "ARABIC": "Arabic",
    "DEVANAGARI": "Devanagari",
}  # fmt: skip
"""The language that a script leaves, or the name of the script where several have it."""
YIDDISH = re.compile("[\u05f0-\u05f2]|\u05d0\u05b8|\u05f2\u05b7")
"""Letters that Yiddish writes and Hebrew does not."""
SHARED: Mapping[str, tuple[str, ...]] = {
    "Cyrillic": ("ru", "sr", "uk"),
    "Arabic": ("ar", "fa"),
    "Devanagari": ("hi", "ne"),
}


@dataclass(frozen=True)
class Detected:
    """The most likely language of a text (None where it has no letters), its chance, and whether that is enough."""

    code: str | None
    chance: float
    sure: bool
    second: str | None = None


@dataclass(frozen=True)
class CorpusLanguage:
    """The language of a corpus: its code (None where it is mixed or unknown), whether that is sure, and the shares.

    `shares` has the languages of the documents that are sure, the commonest first.
    """

    code: str | None
    sure: bool
    shares: Mapping[str, float]
    documents: int

    @property
    def mixed(self) -> bool:
        """Whether documents are in several languages."""
        return self.code is None and len(self.shares) > 1

    def describe(self) -> str:
        """Return in words what was found."""
        names = {code: LANGUAGES[code].name for code in self.shares}
        if self.mixed:
            return "several languages: " + ", ".join(
                f"{names[code]} {share:.0%}" for code, share in self.shares.items()
            )
        if self.code is None:
            return "language not known: there is too little text"
        return LANGUAGES[self.code].name + ("" if self.sure else ", but that is not sure")


def detect_language(text: str) -> Detected:
    """Return the language of a text.

    >>> detect_language("Die Preise für Getreide sind gestiegen, weil es kaum geregnet hat.").code
    'de'
    >>> detect_language("42").code is None
    True
    """
    words = WORDS.findall(text[:LOOKED_AT].lower())
    letters = sum(map(len, words))
    if not letters:
        return Detected(None, 0.0, False)
    script, share = _script("".join(words))
    if script in LANGUAGES:
        code = "yi" if script == "he" and YIDDISH.search(text[:LOOKED_AT]) else script
        return Detected(code, share, share > 0.5)
    if script is None:
        return Detected(None, 0.0, False)
    return _among(words, script, enough=letters >= FEWEST)


def _script(letters: str) -> tuple[str | None, float]:
    """Return the commonest script and its share; Chinese characters beside kana are Japanese."""
    counted: Counter[str] = Counter()
    for sign, count in Counter(letters).items():
        counted[SCRIPTS.get(unicodedata.name(sign, "").split(" ")[0].split("-")[0], "")] += count
    if counted["ja"] > 0.1 * (counted["ja"] + counted["zh"]):
        counted["ja"] += counted.pop("zh", 0)
    name, count = counted.most_common(1)[0]
    return name or None, count / len(letters)


@dataclass(frozen=True)
class _NgramModel:
    codes: tuple[str, ...]
    rows: Mapping[str, int]
    logs: Floats


def _ngrams(words: Iterable[str], length: int) -> list[str]:
    padded = [f" {word} " for word in words]
    return [
        word[i : i + length] for word in padded for i in range(len(word) - length + 1) if word[i : i + length] != " "
    ]


@cache
def _model(script: str) -> _NgramModel:
    """Learn the n-grams of the languages of a script: logs of n-grams × languages."""
    folder = resources.files("rubricate.text").joinpath("samples")
    alone = {code for codes in SHARED.values() for code in codes}
    known = sorted(entry.name.removesuffix(".txt") for entry in folder.iterdir() if entry.name.endswith(".txt"))
    codes = SHARED.get(script) or tuple(code for code in known if code not in alone)
    words = [WORDS.findall(folder.joinpath(f"{code}.txt").read_text("utf-8").lower()) for code in codes]
    short = [sorted(stop_words(LANGUAGES[code].stop)) for code in codes]
    rows: dict[str, int] = {}
    tables = []
    for length, unseen in UNSEEN.items():
        shares = [_shares(_ngrams(a, length), _ngrams(b, length)) for a, b in zip(words, short, strict=True)]
        names = sorted(set().union(*shares))
        table = np.array([[share.get(name, 0.0) for share in shares] for name in names])
        tables.append(np.log(table + unseen * table.mean(axis=1, keepdims=True)))
        rows.update(zip(names, range(len(rows), len(rows) + len(names)), strict=True))
    return _NgramModel(codes, rows, np.vstack(tables))


def _shares(sample: list[str], short: list[str]) -> dict[str, float]:
    """Return how common each n-gram is, in the sample and, where there is one, the stop list."""
    weights = {True: 1 - STOP_WEIGHT, False: STOP_WEIGHT} if short else {True: 1.0, False: 0.0}
    shares: dict[str, float] = {}
    for ngrams, is_sample in ((sample, True), (short, False)):
        for ngram, count in Counter(ngrams).items():
            shares[ngram] = shares.get(ngram, 0.0) + weights[is_sample] * count / len(ngrams)
    return shares


def _among(words: Sequence[str], script: str, *, enough: bool) -> Detected:
    model = _model(script)
    ngrams = [ngram for length in UNSEEN for ngram in _ngrams(words, length)]
    known = [model.rows[ngram] for ngram in ngrams if ngram in model.rows]
    scores = model.logs[known].sum(axis=0)
    scores = (scores - scores.max()) * SHARPNESS / np.sqrt(len(ngrams))
    chances = np.exp(scores) / np.exp(scores).sum()
    first, second = np.argsort(-chances, kind="stable")[:2]
    chance = float(chances[first])
    return Detected(model.codes[first], chance, enough and chance >= SURE, model.codes[second])


def detect_corpus(texts: Sequence[str]) -> CorpusLanguage:
    """Return the language of documents, from some of them, evenly spread; a second one from 10 % on makes them mixed.

    Where no document is sure by itself (short texts), all of them together decide.
    """
    step = max(1, len(texts) // DOCUMENTS)
    looked = [text[:LOOKED_AT] for text in list(texts[::step])[: 2 * DOCUMENTS] if text.strip()]
    each = [detect_language(text) for text in looked]
    sure = Counter(found.code for found in each if found.sure and found.code is not None)
    total = sum(sure.values())
    shares = {code: count / total for code, count in sure.most_common()} if total else {}
    letters = sum(len(word) for text in looked for word in WORDS.findall(text))
    common = [code for code, share in shares.items() if share >= SECOND]
    if len(common) > 1 and total >= 10:
        return CorpusLanguage(None, True, {code: shares[code] for code in common}, len(looked))
    together = _together(looked)
    if together.code is None:
        return CorpusLanguage(None, False, {}, len(looked))
    code = common[0] if total >= len(looked) / 2 and common else together.code
    certain = letters >= ENOUGH and together.code == code and (together.sure or total >= len(looked) / 2)
    return CorpusLanguage(code, certain, shares or {code: 1.0}, len(looked))


def _together(texts: Sequence[str]) -> Detected:
    """Return the language of many texts as if they were one, each giving the same number of characters."""
    size = max(20, 4 * LOOKED_AT // max(1, len(texts)))
    joined = " ".join(text[:size] for text in texts)
    words = WORDS.findall(joined.lower())
    if not words:
        return Detected(None, 0.0, False)
    script, _ = _script("".join(words))
    if script is None or script in LANGUAGES:
        return detect_language(joined)
    return _among(words, script, enough=True)
