"""many: label trees against Omikuji 0.5.2 (Parabel) and napkinXC 0.7.2 (PLT), `newswire`, 5,000 and 20,000 categories.

All get the same matrices (ltc) and two threads. Omikuji reads them from a file within its call to train; the time of
that is measured by the same call on the same vectors with one label for all, and taken off. napkinXC is timed from the
matrices to the files it writes. The same result: precision at 1, 3 and 5 of ours is not below that of the better peer,
and the peak memory of training is not above that of the row's peer: the peak of the process less what the program takes
before it has any data (ours 180 MB of libraries, most of them shared with other processes).

`python -m benchmarks.many [--json] [--no-napkinxc] [5000] [20000]`; the peers get environments under build/peers, made
on first use.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks._environments import peer_python
from benchmarks._timing import Row

ROOT = Path(__file__).parents[1]
SIZES = {5_000: 100_000, 20_000: 300_000}
TEST = 10_000
THREADS = 2
OURS = """
import json, sys, time
import numpy as np
from rubricate.classifiers.label_tree import LabelTree
folder, threads = sys.argv[1:]
from scipy import sparse
load = lambda name: sparse.csr_array(sparse.load_npz(f"{folder}/{name}.npz"))
LabelTree(leaf=2).fit(np.eye(6), sparse.csr_array(np.eye(6, dtype=bool))).top(np.eye(6), 2)  # loaded before
def megabytes(what):
    status = open("/proc/self/status").read()
    return int(next(line for line in status.splitlines() if line.startswith(what)).split()[1]) / 1024
program = megabytes("VmRSS")
X, Y, Z = load("X"), load("Y"), load("Z")
start = time.perf_counter()
model = LabelTree(threads=int(threads)).fit(X, Y)
fit = time.perf_counter() - start
memory = megabytes("VmHWM")
start = time.perf_counter()
best = model.top(Z, 5).ranking(5)
predict = time.perf_counter() - start
result = {"fit": fit, "predict": predict, "memory_mb": memory, "program_mb": program, "best": best.tolist()}
json.dump(result, open(f"{folder}/ours.json", "w"))
"""


def matrices(categories: int, folder: Path) -> tuple[sparse.csr_array, np.ndarray]:
    """Write vectors and labels of training and test documents; return the labels of the latter, and propensities."""
    import rubricate as rb
    from rubricate.io.libsvm import write_xmc

    corpus = rb.load("newswire", documents=SIZES[categories], categories=categories)
    vectors = rb.text.Vectors(weights="ltc")
    X, Y = sparse.csr_array(vectors.fit_transform(corpus.train)), corpus.train.labels
    test = corpus.test.take(range(min(TEST, len(corpus.test))))
    Z = sparse.csr_array(vectors.transform(test))
    for name, matrix in (("X", X), ("Y", Y), ("Z", Z)):
        sparse.save_npz(folder / f"{name}.npz", sparse.csr_matrix(matrix), compressed=False)
    write_xmc(folder / "train.txt", X, Y)
    write_xmc(folder / "same.txt", X, sparse.csr_array(np.ones((X.shape[0], 1), bool)))
    write_xmc(folder / "test.txt", Z, test.labels)
    from rubricate.measures import propensities

    return test.labels, propensities(np.bincount(Y.indices, minlength=Y.shape[1]), Y.shape[0])


def precision(best: list[list[int]], truth: sparse.csr_array) -> tuple[float, ...]:
    """Return the precision at 1, 3 and 5."""
    hits = np.zeros((len(best), 5))
    for i, found in enumerate(best):
        own = set(truth.indices[truth.indptr[i] : truth.indptr[i + 1]].tolist())
        hits[i, : len(found)] = [category in own for category in found]
    return tuple(float(hits[:, :k].mean()) for k in (1, 3, 5))


def scored(best: list[list[int]], truth: sparse.csr_array, propensity: np.ndarray) -> str:
    """Return propensity-scored precision at 1, 3 and 5, as text."""
    from rubricate.measures import propensity_precision

    ranked = np.array([(found + [-1] * 5)[:5] for found in best])
    return " / ".join(f"{propensity_precision(ranked, truth, propensity, k):.4f}" for k in (1, 3, 5))


def run(command: list[str | Path], out: Path) -> dict:
    """Run a program that writes its results to a file."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}"}
    subprocess.run(
        [str(part) for part in command],
        check=True,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return json.loads(out.read_text())


def peers(folder: Path, napkinxc: bool) -> dict[str, dict]:
    """Run the peers on the matrices of a folder."""
    omikuji, here = peer_python("omikuji", "omikuji==0.5.2"), ROOT / "benchmarks"
    if omikuji is None:
        raise SystemExit("Omikuji cannot be installed here")
    call = [omikuji, here / "_many_peer.py"]
    own = run([*call, folder / "train.txt", folder / "test.txt", folder / "p.json", str(THREADS)], folder / "p.json")
    own["fit"] -= run([*call, folder / "same.txt", "", folder / "l.json", str(THREADS)], folder / "l.json")["fit"]
    found = {"Omikuji 0.5.2": own}
    other = peer_python("napkinxc", "napkinxc==0.7.2", "scipy") if napkinxc else None
    if other is not None:
        call = [other, here / "_napkinxc_peer.py", folder, folder / "n.json", str(THREADS)]
        found["napkinXC 0.7.2"] = run(call, folder / "n.json")
    return found


def rows(categories: int, *, napkinxc: bool) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth, propensity = matrices(categories, folder)
        ours = run([sys.executable, "-c", OURS, folder, str(THREADS)], folder / "ours.json")
        theirs = peers(folder, napkinxc)
    own = precision(ours["best"], truth)
    better = np.max([precision(each["best"], truth) for each in theirs.values()], axis=0)

    def shown(each: dict) -> str:
        plain = " / ".join(f"{x:.4f}" for x in precision(each["best"], truth))
        return f"{plain}, PSP {scored(each['best'], truth, propensity)}"

    table = []
    for peer, other in theirs.items():
        taken = [each["memory_mb"] - each["program_mb"] for each in (ours, other)]
        same = bool(np.all(np.array(own) >= better)) and taken[0] <= taken[1]
        memory = f"memory of training {taken[0]:.0f} MB (peer {taken[1]:.0f} MB), peak of the process "
        memory += f"{ours['memory_mb']:.0f} MB (peer {other['memory_mb']:.0f} MB)"
        size = f"{SIZES[categories] * 2 // 3:,} × {categories:,}"
        what = f"{size}: P@1, 3, 5 {shown(ours)} (peer {shown(other)}), {memory}"
        identity = f"many-{categories}" + ("" if peer.startswith("Omikuji") else "-napkinxc")
        for part, key in (("train", "fit"), ("predict", "predict")):
            mine, its = ours[key], other[key]
            table.append(Row(identity, f"{part}: {what}", peer, mine, its, its / mine, same, THREADS))
    return table


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("categories", nargs="*", type=int, default=[5_000, 20_000])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--no-napkinxc", dest="napkinxc", action="store_false")
    asked = parser.parse_args()
    table = [row for categories in asked.categories for row in rows(categories, napkinxc=asked.napkinxc)]
    if asked.json:
        print(json.dumps([asdict(row) for row in table], indent=2))
    else:
        for row in table:
            print(f"{row.id:12} {row.ratio:8.2f}  {row.ours_s:8.2f} {row.peer_s:8.2f}  {row.same_result}  {row.work}")
