"""Bunches of scikit-learn and datasets of Hugging Face as corpora: as they are, and as stand-ins of their shape."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils import Bunch

import rubricate as rb
from rubricate.errors import InvalidInput

TEXTS = ["wheat and corn", "crude oil", "gas"]


@dataclass
class ClassLabel:
    """What `datasets.ClassLabel` has of it."""

    names: list[str]

    def int2str(self, number):
        return self.names[number]


@dataclass
class Several:
    feature: ClassLabel


@dataclass
class Dataset:
    columns: dict
    features: dict = field(default_factory=dict)

    @property
    def column_names(self):
        return list(self.columns)

    def __getitem__(self, name):
        return self.columns[name]


def labels_of(documents):
    return [tuple(documents.categories[c] for c in np.flatnonzero(row)) for row in documents.labels.toarray()]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (np.array([1, 0, 0]), [("grain",), ("fuel",), ("fuel",)]),
        ([1, 0, 0], [("grain",), ("fuel",), ("fuel",)]),
        (np.array([[0, 1], [1, 0], [1, 1]]), [("grain",), ("fuel",), ("fuel", "grain")]),
        (sparse.csr_array([[0, 1], [1, 0], [0, 0]]), [("grain",), ("fuel",), ()]),
    ],
)
def test_a_bunch_of_texts(target, expected):
    corpus = rb.load(Bunch(data=TEXTS, target=target, target_names=["fuel", "grain"], DESCR="two topics"))
    assert list(corpus.train.texts) == TEXTS
    assert labels_of(corpus.train) == expected
    assert len(corpus.test) == 0


def test_classes_without_names_are_their_numbers():
    assert rb.load(Bunch(data=TEXTS, target=[7, 8, 7])).categories == ("7", "8")


@pytest.mark.parametrize(
    ("bunch", "words"),
    [
        (Bunch(data=np.eye(3), target=[0, 1, 0]), "holds vectors, not texts"),
        (Bunch(data=sparse.csr_array(np.eye(3)), target=[0, 1, 0]), "holds vectors, not texts"),
        (Bunch(data=TEXTS, target=[0, 1, 2], target_names=["a", "b"]), "class 2 has no name"),
        (Bunch(data=TEXTS, target=[0, -1, 1], target_names=["a", "b"]), "class -1 has no name"),
        (TEXTS, "'labels': labels"),
        (np.array(TEXTS), "'labels': labels"),
        ({"validation": Dataset({"text": TEXTS})}, "none of the splits 'validation' is 'train'"),
    ],
)
def test_what_cannot_be_read_says_what_to_do(bunch, words):
    with pytest.raises(InvalidInput, match=words):
        rb.load(bunch)


def test_numbers_of_classes_become_names():
    topics = ClassLabel(["fuel", "grain"])
    one = rb.load(Dataset({"text": TEXTS, "label": [1, 0, -1]}, {"text": None, "label": topics}))
    assert labels_of(one.train) == [("grain",), ("fuel",), ()]
    for feature in (Several(topics), [topics]):
        several = rb.load(Dataset({"text": TEXTS, "labels": [[1, 0], [0], []]}, {"text": None, "labels": feature}))
        assert labels_of(several.train) == [("fuel", "grain"), ("fuel",), ()]


def test_splits_are_training_and_test_documents():
    part = Dataset({"text": TEXTS, "label": ["grain", "fuel", "fuel"]})
    corpus = rb.load({"train": part, "test": part})
    assert (len(corpus.train), len(corpus.test)) == (3, 3)
    with pytest.warns(UserWarning, match="not read: validation"):
        assert len(rb.load({"train": part, "validation": part}).test) == 0


def test_real_datasets_are_read():
    """With the library itself, where it is installed."""
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["fuel", "grain"])}
    )
    part = datasets.Dataset.from_dict({"text": TEXTS, "label": [1, 0, 0]}, features=features)
    corpus = rb.load(datasets.DatasetDict({"train": part, "test": part}))
    assert labels_of(corpus.train) == [("grain",), ("fuel",), ("fuel",)]
    assert len(corpus.test) == 3
