"""Text to vectors: analysis, counts, weights, selection, and the representation that puts them together."""

from rubricate.text.analyzer import Analyzer
from rubricate.text.representation import Representation
from rubricate.text.select import Select
from rubricate.text.stop_lists import stop_words
from rubricate.text.vectors import Vectors
from rubricate.text.weights import Weights

__all__ = ["Analyzer", "Representation", "Select", "Vectors", "Weights", "stop_words"]
