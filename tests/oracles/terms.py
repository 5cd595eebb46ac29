"""Text to terms the slow and obvious way: the pattern on the folded text, then one word after the other."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import Stemmer

PATTERNS = {"letters": r"[^\W\d_]+", "alphanumeric": r"[^\W_]+", "words": r"\w+"}
ALGORITHMS = {"porter": "porter", "porter2": "english"}


def words_of(
    text: str, *, tokens: str = "letters", min_length: int = 2, stop: Collection[str] = (), stem: str | None = None
) -> list[str]:
    found = [w for w in re.findall(PATTERNS[tokens], text.lower()) if len(w) >= min_length and w not in stop]
    return [Stemmer.Stemmer(ALGORITHMS[stem]).stemWord(w) for w in found] if stem else found


def phrases_of(words: Sequence[str], low: int, high: int) -> list[str]:
    """At each position the phrases that begin there, the shortest first."""
    return [" ".join(words[i : i + n]) for i in range(len(words)) for n in range(low, high + 1) if i + n <= len(words)]


def terms_of(
    title: str | None, body: str, *, title_as: str | int = "plain", lengths: tuple[int, int] = (1, 1), **options: object
) -> list[str]:
    """The terms of one document."""

    def analyse(text: str) -> list[str]:
        return phrases_of(words_of(text, **options), *lengths)

    if title is None:
        return analyse(body)
    if title_as == "plain":
        return analyse(f"{title}\n{body}")
    once = analyse(title)
    if title_as == "mark":
        return once + [f"title:{term}" for term in once] + analyse(body)
    return once * int(title_as) + analyse(body)
