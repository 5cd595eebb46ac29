"""The representations that have a name, and those that the default chooses among.

    terms        stemmed terms; the analyzer that was given, or the default one with its stop list
    words        terms, and beside them stemmed words without a stop list in 1- and 2-grams
    characters   such words, and beside them character n-grams of length 3 to 5 within words
    mixed        terms, words and characters side by side
    auto         chosen by cross-validation on a sample of the training documents (`training.screening`)

Why these: docs/strangers.md has cross-validated figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from rubricate.errors import InvalidInput, UnknownName
from rubricate.text.analyzer import Analyzer
from rubricate.text.blocks import Blocks
from rubricate.text.representation import Representation, source_of

__all__ = ["AUTO", "NAMES", "AnyRepresentation", "candidate_representations", "named_representation"]

AnyRepresentation: TypeAlias = Representation | Blocks

AUTO = "auto"
MADE_OF = {"terms": "T", "words": "TW", "characters": "WC", "mixed": "TWC"}
"""The blocks of each representation: terms, words, characters."""
NAMES = (*MADE_OF, AUTO)
UNSTOPPED = "terms without stop list"
WORDS: Mapping[str, Any] = {"tokens": "words", "min_length": 1, "stop": None, "ngrams": (1, 2)}
CHARACTERS: Mapping[str, Any] = {"tokens": "characters", "ngrams": (3, 5)}
RARE = 2
"""Character n-grams of fewer documents are left out: they are most of the memory and none of the accuracy."""


def named_representation(name: str, terms: Representation) -> AnyRepresentation:
    """Return the representation of this name; `terms` are the terms in it, and say selection and weights of all blocks.

    >>> len(named_representation("mixed", Representation()).parts)
    3
    """
    if name not in MADE_OF:
        raise UnknownName("representation", str(name), NAMES)
    if name == "terms":
        return terms
    if source_of(terms.weights) != "counts":
        raise InvalidInput(
            f"representation={name!r} counts terms, but weights={terms.weights!r} does not start from counts. "
            "Fix: leave out one of them"
        )
    analyzer = terms.reading_analyzer()
    words = Analyzer(**WORDS, stem=analyzer.stem, title=analyzer.title)
    characters = Analyzer(**CHARACTERS, title=analyzer.title)
    blocks = {"T": terms, "W": _block(terms, words), "C": _block(terms, characters, max(RARE, terms.min_df))}
    return Blocks(tuple(blocks[letter] for letter in MADE_OF[name]))


def candidate_representations(terms: Representation) -> dict[str, AnyRepresentation]:
    """Return what the default chooses among, by name."""
    made: dict[str, AnyRepresentation] = {name: named_representation(name, terms) for name in MADE_OF}
    analyzer = terms.reading_analyzer()
    if analyzer.stop not in (None, "none"):
        unstopped = Analyzer(**{**analyzer.get_params(), "stop": None})
        made = {"terms": made.pop("terms"), UNSTOPPED: _block(terms, unstopped), **made}
    return made


def _block(terms: Representation, analyzer: Analyzer, min_df: int | None = None) -> Representation:
    return Representation(
        analyzer, weights=terms.weights, select=terms.select, min_df=terms.min_df if min_df is None else min_df
    )
