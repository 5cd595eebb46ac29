"""Trainings that are spread over an engine: functions, tasks and results are copies, the model file is the same."""

from __future__ import annotations

import pickle

import pytest

import rubricate as rb
from rubricate import registry

WORDS = {"grain": "wheat corn harvest", "fuel": "oil gas crude", "metal": "gold ore silver", "money": "bank rate debt"}
TAXONOMY = [("goods", "grain"), ("goods", "fuel"), ("world", "goods"), ("world", "money"), ("goods", "metal")]


class Elsewhere:
    """Stands in for a cluster: whatever it is given and whatever it returns has travelled as bytes."""

    def __init__(self, cloudpickle):
        self.dumps, self.tasks = cloudpickle.dumps, 0

    def __call__(self, function, tasks, address=None):
        copy, results = pickle.loads(self.dumps(function)), []
        for task in tasks:
            self.tasks += 1
            results.append(pickle.loads(self.dumps(copy(pickle.loads(self.dumps(task))))))
        return results


@pytest.mark.slow
@pytest.mark.parametrize(
    ("classifier", "settings"),
    [
        ("classi", {}),
        ("ripper", {}),
        ("swap1", {}),
        ("charade", {}),
        ("nnets_parc", {"inputs": "local", "size": 4, "epochs": 3}),
        ("top_down", {"taxonomy": TAXONOMY}),
        ("local", {"taxonomy": TAXONOMY}),
    ],
)
def test_the_model_file_is_the_same(classifier, settings, tmp_path, monkeypatch):
    cloudpickle = pytest.importorskip("cloudpickle", reason="the extra dask is not installed")
    labels = [name for name in WORDS for _ in range(12)]
    texts = [" ".join([*WORDS[name].split()[i % 3 :], "news", "abcdefg"[i % 7] * 3]) for i, name in enumerate(labels)]
    own, engine = registry.load("classifiers", classifier), Elsewhere(cloudpickle)
    usual = registry.load
    monkeypatch.setattr(registry, "load", lambda kind, name: engine if name == "far" else usual(kind, name))
    for name, where in (("here", "serial"), ("there", "far:tcp://here")):
        model = rb.Categorizer(own(**settings), folds=0, cut="rcut:1", engine=where).fit(texts, labels)
        model.set_params(engine="threads").save(tmp_path / name)
    assert engine.tasks > 1
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()
