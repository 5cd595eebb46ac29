"""Text to vectors: analysis, counts, weights, selection, and the representation that puts them together."""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
