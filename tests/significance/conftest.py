"""Runs to test the tests with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rubricate.labels import indicator
from rubricate.types import Decisions, Run, Scores


def run_of(
    name: str,
    truth: np.ndarray,
    decided: np.ndarray,
    *,
    scores: np.ndarray | None = None,
    train_counts: np.ndarray | None = None,
) -> Run:
    documents = [f"d{i}" for i in range(truth.shape[0])]
    categories = tuple(f"c{j:03}" for j in range(truth.shape[1]))
    return Run(
        name,
        documents,
        categories,
        scores=None if scores is None else Scores(scores, categories, documents),
        decisions=Decisions(indicator(decided), categories, documents),
        truth=indicator(truth),
        train_counts=train_counts,
    )


@pytest.fixture(scope="session")
def make_run() -> Callable[..., Run]:
    return run_of


@pytest.fixture(scope="session")
def noisy() -> Callable[..., tuple[np.ndarray, list[np.ndarray]]]:
    """Truth and decisions that differ from it in the given shares of the cells."""

    def made(seed: int, shape: tuple[int, int], *noise: float) -> tuple[np.ndarray, list[np.ndarray]]:
        rng = np.random.default_rng(seed)
        truth = rng.random(shape) < 0.2
        return truth, [truth ^ (rng.random(shape) < share) for share in noise]

    return made
