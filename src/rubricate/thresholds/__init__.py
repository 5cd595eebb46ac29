"""Scores to decisions: fixed, by rank, by category, by class probabilities.

`resolve` turns shorthand into a threshold, `decide` applies one to scores in one call; `Thresholded` learns cuts for
any classifier.
"""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
