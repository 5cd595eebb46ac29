"""How well a system will do on documents nobody has labelled: estimators by decorator.

An estimator is a function `(classifier, X, labels, *, categories, …) -> Estimate`; `rubricate.estimate` takes texts,
corpora and labels in any form. `learning_curve` repeats one at growing sizes.
"""

from rubricate._deprecated import RENAMED_ESTIMATION
from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__, renamed=RENAMED_ESTIMATION)
