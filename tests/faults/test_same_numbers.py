"""One training gives the same bytes whatever the threads, hash seed, BLAS threads or way to start processes."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rubricate as rb

PROGRAM = """
import json, sys
sys.path[:0] = {path!r}
from tests.faults.test_same_numbers import NAMES, numbers
print(json.dumps({{name: numbers(name) for name in NAMES}}))
"""
NAMES = SVM, KNN, TREE = "svm", "knn", "dtree"
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
SETTINGS = {
    **{f"hash seed {seed}": {"PYTHONHASHSEED": seed} for seed in ("0", "1", "4242")},
    **{f"{n} threads of BLAS": dict.fromkeys(THREADS, n) for n in ("1", "2", "4")},
    **{f"BLAS for {core}": {"OPENBLAS_CORETYPE": core} for core in ("Prescott", "Haswell", "SkylakeX")},
}


def documents() -> tuple[list[str], list[list[str]]]:
    """Return 120 short texts with one or two labels each; the words of a label come more often under it."""
    generator = np.random.default_rng(7)
    topics = {name: [f"{name}{i}" for i in range(12)] for name in ("grain", "crude", "ship", "trade")}
    common = [f"word{i}" for i in range(60)]
    texts, labels = [], []
    for _ in range(120):
        own = generator.choice([*topics], size=1 + int(generator.random() < 0.3), replace=False).tolist()
        words = [str(generator.choice(topics[name])) for name in own for _ in range(4)]
        texts.append(" ".join([*words, *map(str, generator.choice(common, 12))]))
        labels.append(own)
    return texts, labels


def numbers(name: str, threads: int | None = 1) -> str:
    """Return a digest of the scores, decisions and probabilities of a trained categorizer."""
    texts, labels = documents()
    options = {"threads": threads}
    classifier = {SVM: rb.SVM(**options), KNN: rb.KNN(k=9, **options), TREE: rb.classifiers.DTree(**options)}[name]
    model = rb.Categorizer(
        classifier, select="chi2:50", cut="scut", folds=3, engine="threads" if threads != 1 else "serial"
    )
    model.fit(texts[:90], labels[:90])
    run = model.run(texts[90:], labels[90:])
    values = run.scores.values.toarray() if hasattr(run.scores.values, "toarray") else np.asarray(run.scores.values)
    digest = hashlib.sha256(np.ascontiguousarray(values).tobytes())
    digest.update(run.decisions.values.toarray().tobytes())
    return digest.hexdigest()


def elsewhere(**environment: str) -> dict[str, str]:
    """Return the digests of all categorizers from another process."""
    path = [str(Path(rb.__file__).parents[1]), str(Path(__file__).parents[2])]
    command = [sys.executable, "-c", PROGRAM.format(path=path)]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_threads_do_not_matter(name):
    assert len({numbers(name, threads) for threads in (1, 2, 4, None)}) == 1


@pytest.mark.proof
@pytest.mark.parametrize("setting", SETTINGS)
def test_hash_seeds_and_blas_do_not_matter(setting):
    """Hash seeds change the order of sets; BLAS adds in another order with other threads and for other processors."""
    assert elsewhere(**SETTINGS[setting]) == {name: numbers(name) for name in NAMES}


def _answer(name: str, queue: multiprocessing.Queue) -> None:
    queue.put(numbers(name))


@pytest.mark.proof
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_ways_to_start_a_process_do_not_matter(method):
    """A forked process inherits pools of threads that are not there any more; it must neither hang nor differ."""
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=_answer, args=(KNN, queue))
    process.start()
    try:
        assert queue.get(timeout=300) == numbers(KNN)
    finally:
        process.join(60)
        process.terminate()
