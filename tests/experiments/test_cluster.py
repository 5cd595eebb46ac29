"""Studies on other processes: the steps travel, and what they give is what this process would."""

from __future__ import annotations

import pickle

import pytest

import rubricate as rb
from rubricate.experiments.store import Store
from rubricate.experiments.trial import Trial, TrialSteps, compute_steps
from rubricate.training.data import TrainingData

SETTINGS = {"classifier": "nb", "cut": "rcut:1"}


@pytest.fixture(scope="module")
def corpus():
    return rb.load("newswire")


def _trial(corpus, folder):
    return Trial("nb", SETTINGS, TrainingData(corpus, test=corpus.test), Store(folder))


@pytest.mark.slow
def test_steps_computed_from_a_copy_are_in_the_store(corpus, tmp_path):
    trial = _trial(corpus, tmp_path)
    trial.material.fold_ids(5, 0)  # a value made before it travels stays at home
    tasks = [(trial, step) for step in trial.procedure.steps()]
    copy = pickle.loads(pickle.dumps(TrialSteps(tasks, print)))
    assert copy.progress is None
    copy(0)
    assert trial.store.has(trial.what(tasks[0][1]))


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_cluster_gives_what_this_process_gives(corpus, tmp_path):
    distributed = pytest.importorskip("distributed")
    here, there = _trial(corpus, tmp_path / "here"), _trial(corpus, tmp_path / "there")
    compute_steps([here], engine="serial")
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster):
        compute_steps([there], engine="dask")
    for step in here.procedure.steps():
        assert there.store.has(there.what(step))
        assert (here.entry(step).arrays["values"] == there.entry(step).arrays["values"]).all()
