"""Decisions, rankings and probabilities to numbers: one file per measure, averaging written once.

A measure lives in the file of its name (`from rubricate.measures.f1 import f1`); `micro` and `macro` take names too.

>>> from rubricate.labels import indicator
>>> from rubricate.measures import counts, macro, micro
>>> table = counts(indicator([[1, 0], [1, 1]]), indicator([[1, 0], [0, 1]]))
>>> round(micro("f1", table), 3), round(macro("recall", table), 3)
(0.8, 0.75)
"""

from rubricate._deprecated import RENAMED_MEASURES
from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__, renamed=RENAMED_MEASURES)
