"""The representations that have a name, and those that the default chooses among.

    terms        stemmed terms; the analyzer that was given, or the default one with its stop list
    words        terms, plus stemmed words without a stop list in 1- and 2-grams
    characters   such words, plus character n-grams of length 3 to 5 within words
    mixed        terms, words and characters side by side
    vectors      the vectors of an encoder (`Embeddings`), where one is given
    hybrid       the best of the first four and vectors side by side, each of length 1, the weight chosen by folds
    auto         chosen by cross-validation on a sample of the training documents (`training.screening`)

Vectors are considered only where `vectors` or the variable RUBRICATE_ENCODER names an encoder. Why these:
docs/guides/how-the-default-works.md and docs/guides/sentence-encoders.md have cross-validated figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone

from rubricate.errors import InvalidInput, UnknownName
from rubricate.text.analyzer import Analyzer
from rubricate.text.blocks import Blocks
from rubricate.text.embeddings import Embeddings
from rubricate.text.encoder_folder import PREFIX, default_encoder
from rubricate.text.representation import Representation, source_of
from rubricate.text.smart import parse_scheme
from rubricate.text.weights import NAMED_WEIGHTS

__all__ = [
    "AUTO",
    "HYBRID",
    "MIXED",
    "NAMES",
    "VECTORS",
    "AnyRepresentation",
    "candidate_representations",
    "encoder_of",
    "has_vectors",
    "hybrid",
    "named_representation",
    "vector_representation",
    "weighed",
]

AnyRepresentation: TypeAlias = Representation | Blocks

AUTO, HYBRID, MIXED, VECTORS = "auto", "hybrid", "mixed", "vectors"
MADE_OF = {"terms": "T", "words": "TW", "characters": "WC", MIXED: "TWC"}
"""The blocks of each representation: terms, words, characters."""
NAMES = (*MADE_OF, VECTORS, HYBRID, AUTO)
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


def weighed(representation: AnyRepresentation, letter: str) -> AnyRepresentation | None:
    """Return a representation with another letter for the document frequency (n none, s smoothed, t full).

    None where the weights are not a SMART triple with an idf, which is then kept.

    >>> weighed(Representation(weights="ltc"), "n")
    Representation(weights='lnc')
    >>> weighed(Representation(weights="lnc"), "s") is None
    True
    """
    if isinstance(representation, Blocks):
        parts = [weighed(part, letter) for part in representation.parts]
        known = [part for part in parts if isinstance(part, Representation)]
        return Blocks(tuple(known)) if len(known) == len(parts) else None
    weights = representation.weights
    if not isinstance(weights, str) or weights in NAMED_WEIGHTS or source_of(weights) != "counts":
        return None
    letters = parse_scheme(weights)
    return None if letters[1] == "n" else clone(representation).set_params(weights=letters[0] + letter + letters[2])


def encoder_of(vectors: Any) -> Embeddings | None:
    """Return the encoder that a setting stands for: `Embeddings`, a path or name, or None: as the environment says."""
    given = default_encoder() if vectors is None else vectors
    if given is None or isinstance(given, Embeddings):
        return given
    if not isinstance(given, (str, Path)) or not str(given).removeprefix(PREFIX):
        raise InvalidInput(
            f"vectors must be the folder of an encoder, the name of a fetched one, or Embeddings; got {given!r}"
        )
    return Embeddings(str(given).removeprefix(PREFIX))


def vector_representation(encoder: Embeddings) -> Representation:
    """Return the vectors of an encoder as a representation."""
    return Representation(weights=clone(encoder))


def hybrid(terms: AnyRepresentation, encoder: Embeddings, weight: float = 1.0) -> Blocks:
    """Return terms (one block or several, together of length 1) and vectors of length `weight` side by side."""
    parts = tuple(terms.parts) if isinstance(terms, Blocks) else (terms,)
    share = float(1 / np.sqrt(len(parts)))
    return Blocks((*parts, vector_representation(encoder)), shares=(*[share] * len(parts), float(weight)))


def has_vectors(representation: Any) -> bool:
    """Return whether an encoder is part of a representation."""
    parts = getattr(representation, "parts", (representation,))
    return any(getattr(part, "encoder", None) is not None for part in parts)


def _block(terms: Representation, analyzer: Analyzer, min_df: int | None = None) -> Representation:
    return Representation(
        analyzer, weights=terms.weights, select=terms.select, min_df=terms.min_df if min_df is None else min_df
    )
