"""Decisions, rankings and probabilities → numbers: one file a measure, averaging written once.

A measure lives in the file of its name (`from rubricate.measures.f1 import f1`); `micro` and `macro` take names too.

>>> from rubricate.labels import indicator
>>> table = counts(indicator([[1, 0], [1, 1]]), indicator([[1, 0], [0, 1]]))
>>> round(micro("f1", table), 3), round(macro("recall", table), 3)
(0.8, 0.75)
"""

from rubricate.measures._averages import macro, mean, micro, resolve
from rubricate.measures._measure import Measure, measure
from rubricate.measures._tables import counts, family, total

__all__ = ["Measure", "counts", "family", "macro", "mean", "measure", "micro", "resolve", "total"]
