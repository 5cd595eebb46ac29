"""Marks on words that folding and counting would lose: negation, and words in capitals.

    negation   each word after not, no, never, … up to the next punctuation mark gets ǃ before it: "not good" has the
               terms `not` and `ǃgood` (pang2002, section 4, after Das and Chen)
    casing     a word of two or more capitals gets ꜛ before it: `US` is ꜛus, and not us

Both marks are letters to Unicode, so that every kind of token keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, TypeAlias

from rubricate.text.texts import Texts

__all__ = ["CASINGS", "MARKS", "Casing", "marked", "marker"]

Casing: TypeAlias = Literal["fold", "mark"]
CASINGS = ("fold", "mark")
NEGATED, CAPITALS = "ǃ", "ꜛ"
MARKS = NEGATED + CAPITALS
"""What may stand before a word; the stop list and the shortest length look at the word without it."""

_NEGATORS = re.compile(
    r"(?:not|no|never|none|nobody|nothing|nowhere|neither|nor|cannot|without|\w+n['’]t)", re.IGNORECASE
)
_PIECES = re.compile(r"[\w'’]+|[.,:;!?()\n]")
_WORD = re.compile(r"[^\W\d_]{2,}")


def marker(casing: Casing, *, negation: bool) -> Callable[[str], str] | None:
    """Return what marks a text; None where there is nothing to mark.

    >>> mark = marker("mark", negation=True)
    >>> mark("This is NOT good, is it? I didn't like the US.")
    "This is ꜛNOT ǃgood, is it? I didn't ǃlike ǃthe ǃꜛUS."
    """
    if casing == "fold":
        return _negated if negation else None
    return (lambda text: _capitals(_negated(text))) if negation else _capitals


def marked(texts: Texts, mark: Callable[[str], str]) -> Texts:
    """Return texts with each body and title marked."""
    return Texts(list(map(mark, texts.bodies)), None if texts.titles is None else list(map(mark, texts.titles)))


def _negated(text: str) -> str:
    inside = False

    def piece(match: re.Match[str]) -> str:
        nonlocal inside
        word = match.group()
        if not (word[0].isalnum() or word[0] in "_'’"):
            inside = False
            return word
        if _NEGATORS.fullmatch(word):
            inside = True
            return word
        return NEGATED + word if inside else word

    return _PIECES.sub(piece, text)


def _capitals(text: str) -> str:
    return _WORD.sub(_raised, text)


def _raised(match: re.Match[str]) -> str:
    word = match.group()
    bare = word.removeprefix(NEGATED)
    if len(bare) < 2 or not bare.isupper():
        return word
    return word[: len(word) - len(bare)] + CAPITALS + bare
