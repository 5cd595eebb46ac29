"""What trials are chosen by: any measure, with an average where it has one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rubricate import registry
from rubricate.errors import InvalidInput, UnknownName
from rubricate.evaluation.measuring import evaluate_run
from rubricate.measures import counts, macro, micro, of_kind, resolve
from rubricate.types import Run, Undefined

__all__ = ["Criterion", "criterion", "known_criteria"]

AVERAGES = {"micro": micro, "macro": macro}


@dataclass(frozen=True)
class Criterion:
    """A number of a run, and whether more of it is better."""

    name: str
    value: Callable[[Run, Undefined], float]
    greater_is_better: bool = True

    def better(self, a: float, b: float) -> bool:
        """Return whether a is better than b; NaN is worse than any number."""
        if a != a or b != b:
            return a == a
        return a > b if self.greater_is_better else a < b


def _of_counts() -> list[str]:
    """Return the measures that have a micro and a macro average, those with a β among them."""
    return [*of_kind("counts"), *of_kind("counts", parametric=True)]


def known_criteria() -> list[str]:
    """Return every criterion by name, those with a β as `micro_f_beta:2`."""
    flat = [f"{average}_{name}" for name in _of_counts() for average in AVERAGES]
    return sorted([*flat, *of_kind("documents"), *of_kind("ranking")])


def criterion(name: str) -> Criterion:
    """Return a criterion: `micro_f1`, `macro_f_beta:0.5`, `micro_error`, `example_f1`, `eleven_point`, ….

    >>> criterion("micro_error").greater_is_better
    False
    """
    average, _, rest = name.partition("_")
    if average in AVERAGES and registry.parse(rest)[0] in _of_counts():
        return _average(name, average, rest)
    if name not in known_criteria():
        raise UnknownName("criterion", name, known_criteria())
    measure = resolve(name)
    return Criterion(name, lambda run, undefined: _other(name, run, undefined), measure.greater_is_better)


def _average(name: str, average: str, rest: str) -> Criterion:
    measure, mean = resolve(rest), AVERAGES[average]

    def value(run: Run, undefined: Undefined) -> float:
        if run.truth is None or run.decisions is None:
            raise InvalidInput(f"criterion {name!r} needs decisions and truth")
        return float(mean(measure, counts(run.truth, run.decisions.values), undefined=undefined))

    return Criterion(name, value, measure.greater_is_better)


def _other(name: str, run: Run, undefined: Undefined) -> float:
    evaluation = evaluate_run(run, undefined=undefined)
    values = {**evaluation.examples, **evaluation.ranking}
    if name not in values:
        raise InvalidInput(f"criterion {name!r} needs the scores of every document; choose one of decisions")
    return float(values[name])
