"""`rubricate train` on a cluster of real processes: the same model file, byte for byte, from every engine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from tests.engines.cluster import cluster, wait_for

import rubricate as rb
from rubricate.engines import AHEAD, stream_tasks
from rubricate.text import counts as partitions

WORDS = {"grain": "wheat corn harvest", "fuel": "oil gas crude", "metal": "gold ore silver", "money": "bank rate debt"}
CLASSIFIERS = ("svm", "classi", "ripper", "nnets_parc")


@pytest.fixture(scope="module")
def texts():
    labels = [name for name in WORDS for _ in range(25)]
    lists = [WORDS[name].split() for name in labels]
    return [" ".join([*words[i % 3 :], "news", str(i % 7)]) for i, words in enumerate(lists)], labels


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    with cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_same_model_from_a_cluster(classifier, workers, texts, tmp_path, monkeypatch):
    monkeypatch.setattr(partitions, "PARTITION", 400)  # texts of about 2,000 characters: workers count their terms
    for name, engine in (("here", "serial"), ("there", workers.engine)):
        model = rb.Categorizer(classifier, folds=0, engine=engine, cut="rcut:1")
        model.fit(*texts).set_params(engine="threads").save(tmp_path / name)
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
def test_a_stream_of_tasks_on_a_cluster(workers):
    taken = []
    results = stream_tasks(abs, (taken.append(i) or -i for i in range(200)), engine=workers.engine)
    gaps = [len(taken) - result for result in results]
    assert len(gaps) == 200
    assert max(gaps) <= AHEAD * 2 + 1


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_without_workers(tmp_path):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    with cluster(tmp_path, workers=0) as running:
        (tmp_path / "new.jsonl").write_text('{"text": "wheat", "labels": "grain"}\n' * 3)
        command = [
            sys.executable,
            "-m",
            "rubricate",
            "train",
            "new.jsonl",
            "-o",
            "m.rubric",
            "--engine",
            running.engine,
        ]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "has no workers. Fix: start some with 'dask worker" in done.stderr
    assert not (tmp_path / "m.rubric").exists()


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_during_a_training_changes_nothing(tmp_path):
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    documents = rb.load("newswire").train
    labels = [[documents.categories[c] for c in documents.labels[[row]].indices] for row in range(len(documents))]
    pairs = zip(documents.bodies, labels, strict=True)
    lines = [json.dumps({"text": text, "labels": names}) for text, names in pairs]
    (tmp_path / "news.jsonl").write_text("\n".join(lines))
    command = [sys.executable, "-m", "rubricate", "train", "news.jsonl", "--classifier", "svm", "--cut", "scut"]
    subprocess.run([*command, "-o", "here"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    with cluster(tmp_path) as running:
        options = ["-o", "there", "--engine", running.engine]
        run = subprocess.Popen([*command, *options], cwd=tmp_path, stdout=subprocess.DEVNULL)
        with distributed.Client(running.address, set_as_default=False) as client:
            wait_for(lambda: any(client.processing().values()) or run.poll() is not None)
        assert run.poll() is None
        os.kill(running.workers[0].pid, signal.SIGKILL)
        assert run.wait(100) == 0
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()
