"""Old address of `rubricate.classifiers.svm.kernel_solver`, for the leave-one-out package until it is rewritten."""

from rubricate.classifiers.svm.kernel_solver import Kernel, squared_lengths

__all__ = ["Kernel", "squared_lengths"]
