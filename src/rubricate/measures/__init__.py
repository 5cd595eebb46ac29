"""Decisions, rankings and probabilities to numbers: each measure a function, averaging written once.

`f1` and its relatives are in `contingency`; `micro` and `macro` take names too.

>>> from rubricate.labels import indicator
>>> from rubricate.measures import counts, macro, micro
>>> table = counts(indicator([[1, 0], [1, 1]]), indicator([[1, 0], [0, 1]]))
>>> round(micro("f1", table), 3), round(macro("recall", table), 3)
(0.8, 0.75)
"""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
