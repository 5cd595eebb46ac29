"""Run in an environment of its own: `python _napkinxc_peer.py FOLDER OUT.json THREADS`.

Trains napkinXC's probabilistic label tree with its defaults on the matrices of a folder, predicts the five best
categories of each test document, and writes times, peak memory and predictions.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from napkinxc.models import PLT
from scipy import sparse


def megabytes(what):
    status = Path("/proc/self/status").read_text()  # ru_maxrss would count what the parent held before the start
    return int(next(line for line in status.splitlines() if line.startswith(what)).split()[1]) / 1024


def main(folder, out, threads):
    program = megabytes("VmRSS")
    X, Y, Z = (sparse.csr_matrix(sparse.load_npz(f"{folder}/{name}.npz")) for name in "XYZ")
    labels = [Y.indices[a:b].tolist() for a, b in zip(Y.indptr[:-1], Y.indptr[1:])]  # noqa: B905
    with tempfile.TemporaryDirectory() as place:
        model = PLT(place, threads=int(threads))
        start = time.perf_counter()
        model.fit(X, labels)
        fit = time.perf_counter() - start
        memory = megabytes("VmHWM")
        model.load()
        start = time.perf_counter()
        best = [[int(category) for category in row] for row in model.predict(Z, top_k=5)]
        predict = time.perf_counter() - start
    with Path(out).open("w") as stream:
        json.dump({"fit": fit, "predict": predict, "memory_mb": memory, "program_mb": program, "best": best}, stream)


main(*sys.argv[1:4])
