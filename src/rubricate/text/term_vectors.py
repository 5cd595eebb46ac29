"""From texts to weighted vectors by terms that have been learned: the part of `Vectors` that needs no scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.engines import spreading
from rubricate.text.analysis import Analysis
from rubricate.text.counts import Chunk, chunk, columns_of, gather
from rubricate.text.ngrams import shown_ngram
from rubricate.text.smart import weigh
from rubricate.types import Sparse

__all__ = ["TermBlocks", "TermRepresentation", "TermVectors", "side_by_side"]


class TermVectors:
    """Texts → `csr_array` documents × terms, by the terms and weights that were learned; `Vectors` learns them."""

    analyzer: Any
    weights: Any
    threads: int | None = None
    vocabulary_: tuple[str, ...]
    stop_words_: tuple[str, ...]
    idf_: Any

    def transform(self, X: Any) -> Sparse:
        """Return the vectors of texts; unknown terms are left out, and a text without a known term is a zero row."""
        return weigh(self.term_counts(X), self.weights, self.idf_)

    def term_counts(self, X: Any) -> Sparse:
        """Return how often each known term occurs in each text."""
        (chunks, words), known = self._count(X), self._known()[0]
        return gather(chunks, columns_of(words, known), len(known))

    def names(self) -> Sequence[str]:
        """Return the terms, in the order of the columns, as they are shown to people."""
        if self._analyzer().tokens != "characters":
            return self.vocabulary_
        return list(map(shown_ngram, self.vocabulary_))

    def check_state(self) -> None:
        """Check that each term occurs once, and has a weight; a parameter that is not fitted has none."""
        if not hasattr(self, "vocabulary_"):
            return
        terms = len(self.vocabulary_)
        if len(self._known()[0]) != terms or (self.idf_ is not None and self.idf_.shape != (terms,)):
            raise ValueError("weights for another number of terms")

    def _analyzer(self) -> Analysis:
        analyzer: Analysis = self.analyzer
        return analyzer

    def _count(self, X: Any) -> tuple[list[Chunk], Sequence[str]]:
        engine = spreading()
        if engine is not None:
            from rubricate.text.counts import count_by_partitions

            return count_by_partitions(self._analyzer(), X, self._known()[1], engine)
        words: Sequence[str] = ()
        chunks: list[Chunk] = []
        for terms in self._analyzer().batches(X, threads=self.threads, stop=self._known()[1]):
            words = terms.words
            chunks.append(chunk(terms))
        return chunks, words

    def _known(self) -> tuple[Mapping[str, int], frozenset[str]]:
        """Return the column of each term, and the stop words; computed once for what was learned."""
        learned = (getattr(self, "vocabulary_", ()), self.stop_words_)
        if getattr(self, "_known_for", None) != learned:
            columns = {term: i for i, term in enumerate(learned[0])}
            self._known_for, self._looked_up = learned, (columns, frozenset(learned[1]))
        return self._looked_up


class TermRepresentation:
    """The vectors of terms, as a model file names them; `Representation` learns them."""

    vectors_: TermVectors

    def transform(self, X: Any) -> Sparse:
        """Return the vectors of documents."""
        return self.vectors_.transform(X)

    def names(self) -> Sequence[str]:
        """Return the terms, in the order of the columns."""
        return self.vectors_.names()


class TermBlocks:
    """Several kinds of terms side by side; `Blocks` learns them."""

    parts_: tuple[TermRepresentation, ...]
    shares: Sequence[float] | None

    def transform(self, X: Any) -> Sparse:
        """Return the vectors of documents."""
        return side_by_side([part.transform(X) for part in self.parts_], self.shares)

    def names(self) -> Sequence[str]:
        """Return the terms of all blocks, in the order of the columns."""
        return [name for part in self.parts_ for name in part.names()]


def side_by_side(blocks: Sequence[Any], shares: Sequence[float] | None = None) -> Sparse:
    """Return matrices of the same documents as one, their columns in order, divided by the root of their number.

    With `shares` each is multiplied by its share and divided by √Σ share².

    >>> side_by_side([np.eye(2), np.ones((2, 1))]).toarray().round(3).tolist()
    [[0.707, 0.0, 0.707], [0.0, 0.707, 0.707]]
    """
    matrices = [sparse.csr_array(block) for block in blocks]
    lengths_of = np.ones(len(matrices)) if shares is None else np.asarray(shares, np.float64)
    factors = lengths_of / np.sqrt(np.sum(lengths_of**2))
    starts = np.sum([matrix.indptr.astype(np.int64) for matrix in matrices], axis=0)
    indices, data = np.empty(starts[-1], np.int32), np.empty(starts[-1])
    free, width = starts[:-1].copy(), 0  # the next free place of each row
    for matrix, factor in zip(matrices, factors, strict=True):
        lengths = np.diff(matrix.indptr)
        at = np.arange(matrix.nnz) + np.repeat(free - matrix.indptr[:-1], lengths)
        indices[at] = matrix.indices + width
        data[at] = matrix.data * factor
        free, width = free + lengths, width + matrix.shape[1]
    if starts[-1] <= np.iinfo(np.int32).max:
        starts = starts.astype(np.int32)
    joined = sparse.csr_array((data, indices, starts), shape=(len(starts) - 1, width))
    joined.has_canonical_format = all(matrix.has_canonical_format for matrix in matrices)
    return joined
