"""The parts of the record and their cases."""

from __future__ import annotations

from functools import partial

from tests.record.command_cases import reuters_estimates, run_cases, study_cases
from tests.record.material import newswire, reuters, whole_reuters
from tests.record.models import model_cases
from tests.record.recording import NEAR, Case, computed, differences, processor, stored
from tests.record.systems import classifier_cases, scores_of, setting_cases, with_bases
from tests.record.variants import default, further_cases, variant_cases

PACKAGES = ("big_bang", "local", "proximity", "svm", "tolerant", "top_down")
"""Classifiers of many settings, of which Reuters has the cases too."""

SENSITIVE = ("calibrated", "estimate: suspects", "scores: llsf", "scores: nnet")
"""How the names of cases begin whose sixth digit depends on the processor: singular vectors are found by iteration to
a tolerance, leave-one-out scores by solvers that stop at one, and networks magnify the last digit; measured with three
kinds of OpenBLAS kernels and two of processors."""

CASES: dict[str, dict[str, Case]] = {
    "newswire": {
        **classifier_cases(newswire),
        **setting_cases(newswire),
        **variant_cases(newswire),
        **further_cases(newswire),
        "scores: a base of its own": partial(with_bases, newswire),
    },
    "newswire_commands": {**run_cases(newswire), **study_cases(newswire)},
    "models": model_cases(),
    "reuters": {
        **classifier_cases(reuters),
        **setting_cases(reuters, PACKAGES),
        **variant_cases(reuters),
        "whole: default": partial(default, whole_reuters),
        **{f"whole: {name}": partial(scores_of, name, whole_reuters, {}) for name in ("knn", "nb", "svm")},
    },
    "reuters_commands": {**run_cases(reuters), **reuters_estimates(reuters)},
}


def cases(*parts: str) -> list[tuple[str, str]]:
    """Return all cases of these parts, each with the name of its part."""
    return [(part, case) for part in parts for case in CASES[part]]


def changed(part: str, case: str) -> list[str]:
    """Compute a case and return where it differs from the record."""
    recorded = stored(part)
    if case not in recorded:
        return [f"not recorded; run python -m tests.record.make {part}"]
    machines = stored("machine")
    elsewhere = case.startswith(SENSITIVE) and processor() != machines.get(f"{part}, {case}", machines["processor"])
    return list(differences(recorded[case], computed(CASES[part][case]), near=NEAR if elsewhere else 0.0))
