"""Run in an environment of its own: `python _many_peer.py TRAIN.txt TEST.txt OUT.json THREADS`.

Trains Omikuji with its defaults on a file of the Extreme Classification Repository's form, predicts the five best
categories of each test document, and writes times, peak memory and predictions.
"""

import json
import sys
import time
from pathlib import Path

import omikuji


def rows(path):
    with Path(path).open() as stream:
        next(stream)
        for line in stream:
            pairs = (pair.split(":") for pair in line.split() if ":" in pair)
            yield [(int(column), float(value)) for column, value in pairs]


def megabytes(what):
    status = Path("/proc/self/status").read_text()  # ru_maxrss would count what the parent held before the start
    return int(next(line for line in status.splitlines() if line.startswith(what)).split()[1]) / 1024


def main(train, test, out, threads):
    program = megabytes("VmRSS")
    start, cpu = time.perf_counter(), time.process_time()
    model = omikuji.Model.train_on_data(train, omikuji.Model.default_hyper_param(), n_threads=int(threads))
    fit, fit_cpu = time.perf_counter() - start, time.process_time() - cpu
    memory = megabytes("VmHWM")
    queries = list(rows(test)) if test else []
    start = time.perf_counter()
    found = [[category for category, _ in model.predict(query, top_k=5)] for query in queries]
    predict = time.perf_counter() - start
    with Path(out).open("w") as stream:
        times = {"fit": fit, "fit_cpu": fit_cpu, "predict": predict}
        json.dump({**times, "memory_mb": memory, "program_mb": program, "best": found}, stream)


main(*sys.argv[1:5])
