"""What an estimator is: a function `(classifier, X, labels, *, categories, …) -> Estimate` with two attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar, cast

__all__ = ["Estimator", "estimator"]

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class Estimator(Protocol[P, R]):
    """An estimator of how well a system will do.

    Attributes
    ----------
    needs_svm : given a system with an SVM in it, it is called with the SVM itself and the vectors it learns from.
    seeded : it draws documents at random and takes `seed=`.
    """

    needs_svm: bool
    seeded: bool
    __name__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the estimate."""
        ...


def estimator(*, needs_svm: bool = False, seeded: bool = False) -> Callable[[Callable[P, R]], Estimator[P, R]]:
    """Mark a function as an estimator and declare what it is.

    >>> @estimator(seeded=True)
    ... def guess(classifier, X, labels, *, categories=None, seed=0): ...
    >>> guess.seeded, guess.needs_svm
    (True, False)
    """

    def mark(function: Callable[P, R]) -> Estimator[P, R]:
        marked = cast(Any, function)
        marked.needs_svm, marked.seeded = needs_svm, seeded
        return cast(Estimator[P, R], function)

    return mark
