"""Terms → sparse matrix: vocabulary, counts, SMART weights."""

from rubricate.vectors._counts import Chunk, chunk, counts, frequent, gather
from rubricate.vectors._smart import idf, parse_scheme, weigh
from rubricate.vectors._weights import Weights

__all__ = ["Chunk", "Weights", "chunk", "counts", "frequent", "gather", "idf", "parse_scheme", "weigh"]
