"""The analyzer: documents → terms, each distinct word stopped and stemmed once."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.base import BaseEstimator

from rubricate.text.analysis import Analysis
from rubricate.text.marking import Casing

__all__ = ["Analyzer"]


class Analyzer(Analysis, BaseEstimator):
    """How documents become terms.

    Stop words and short tokens go before stemming; phrases are formed last and do not cross from a title into a body
    unless title is "plain". Cost: one pass over the text, and Python work once for each distinct word.

    Parameters
    ----------
    tokens : "letters", "alphanumeric" or "words": the patterns of `rubricate.text.tokens`, on folded text; "web": words
        with apostrophes, numbers, #tags, @names and emoji; "characters": character n-grams within words padded by
        spaces, as `char_wb` of scikit-learn; `min_length`, `stop`, `stem` and `window` do not apply to them.
    min_length : tokens with fewer characters are left out.
    stop : words left out: "smart" (our English list), "german", "french", … (our lists of nine other languages), a
        file with one word per line, a collection; None or "none".
    stem : "porter" (Porter 1980), "porter2" (the Snowball revision for English), the Snowball stemmer of another
        language, "german", "french", … (`rb.text.LANGUAGES`); None or "none".
    ngrams : 1, 2, … or a range (1, 2): phrases of consecutive terms, after stopping and stemming, joined by a space;
        of "characters", the lengths of n-grams, 1 to 8.
    window : None, or up to 10: the terms of a phrase follow each other with gaps, all of them among this many
        consecutive terms, `wheat … export`; a phrase counts once for every choice of places.
    title : "plain": title and body are one text; "mark": title terms count once more under a name of their own,
        `title:wheat`; a whole number: title terms count that many times. Only `Documents` have titles.
    hashing : None, or the number of buckets that character n-grams are hashed into (CRC-32), without names.
    casing : "fold": case does not count; "mark": words in capitals are terms of their own, `ꜛus` (not of "characters").
    negation : mark the words after not, no, never, n't, … up to the next punctuation mark, `ǃgood` (not of
        "characters"). Marks are set by Python code, which makes reading several times slower.

    Examples
    --------
    >>> terms = Analyzer(stem="porter").terms(["Wheat exports rose", "the export of wheat"])
    >>> [terms.words[i] for i in terms.ids], terms.starts.tolist()
    (['wheat', 'export', 'rose', 'export', 'wheat'], [0, 3, 5])
    """

    def __init__(
        self,
        *,
        tokens: Literal["letters", "alphanumeric", "words", "web", "characters"] = "letters",
        min_length: int = 2,
        stop: Any = "smart",
        stem: str | None = "porter",
        ngrams: int | tuple[int, int] = 1,
        window: int | None = None,
        title: Literal["plain", "mark"] | int = "plain",
        hashing: int | None = None,
        casing: Casing = "fold",
        negation: bool | None = False,
    ) -> None:
        self.tokens = tokens
        self.min_length = min_length
        self.stop = stop
        self.stem = stem
        self.ngrams = ngrams
        self.window = window
        self.title = title
        self.hashing = hashing
        self.casing = casing
        self.negation = negation
