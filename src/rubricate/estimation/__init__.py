"""How well will it do on documents nobody has labelled: one file an estimator.

An estimator is a function `(classifier, X, labels, *, categories, …) -> Estimate`; `rubricate.estimate` takes texts,
corpora and labels in any form. `learning_curve` repeats one at growing sizes; the bounds of learning theory are in
`_bounds`.
"""

from rubricate.estimation._estimate import MEASURES, Estimate
from rubricate.estimation._learning_curve import Forecast, LearningCurve, learning_curve

__all__ = ["MEASURES", "Estimate", "Forecast", "LearningCurve", "learning_curve"]
