"""A small corpus of the user's own, and a store of its own for each test."""

from __future__ import annotations

import numpy as np
import pytest

from rubricate.experiments.store import Store
from rubricate.labels import label_matrix
from rubricate.types import Corpus, Documents

WORDS = {
    "grain": "wheat corn harvest bushel silo acre",
    "fuel": "oil gas barrel pipeline crude refinery",
    "money": "bank rate loan interest currency bond",
    "ship": "port vessel cargo freight dock captain",
}


def make_documents(n: int, seed: int, *, single: bool = False) -> Documents:
    """Documents of one or two categories with some of their words, and noise; some have no category."""
    rng = np.random.default_rng(seed)
    names, noise = list(WORDS), [f"word{i}" for i in range(40)]
    texts, labels = [], []
    for _ in range(n):
        count = 1 if single else int(rng.choice([0, 1, 2], p=[0.05, 0.7, 0.25]))
        own = rng.choice(names, count, replace=False, p=[0.4, 0.3, 0.2, 0.1])
        terms = [str(rng.choice(WORDS[name].split())) for name in own for _ in range(2)]
        terms += [str(rng.choice(WORDS[str(rng.choice(names))].split()))] if rng.random() < 0.3 else []
        texts.append(" ".join([*terms, *map(str, rng.choice(noise, 6))]))
        labels.append({str(name) for name in own})
    matrix, categories = label_matrix(labels, sorted(WORDS))
    return Documents([f"{seed}-{i}" for i in range(n)], texts, matrix, categories)


@pytest.fixture
def corpus() -> Corpus:
    return Corpus("small", "made", make_documents(120, 1), make_documents(60, 2))


@pytest.fixture
def single() -> Corpus:
    return Corpus("single", "made", make_documents(120, 3, single=True), make_documents(60, 4, single=True))


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "store")
