"""Old address of `rubricate.classifiers.svm.options`, for the leave-one-out package until it is rewritten."""

from rubricate.classifiers.svm.options import PENALTIES, class_costs

__all__ = ["PENALTIES", "class_costs"]
