"""How well will it do on documents nobody has labelled: one file an estimator.

An estimator is a function `(classifier, X, labels, *, categories, …) -> Estimate`; `rubricate.estimate` takes texts,
corpora and labels in any form. The bounds of learning theory are in `_bounds`.
"""

from rubricate.estimation._estimate import MEASURES, Estimate

__all__ = ["MEASURES", "Estimate"]
