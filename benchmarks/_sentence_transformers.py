"""The peer of benchmarks/encoder.py: runs in an environment of its own, encodes when told to, says how long it took.

python _sentence_transformers.py FOLDER TEXTS.json VECTORS.npy THREADS
"""

import json
import sys
import time
from pathlib import Path


def main() -> None:
    folder, texts_path, vectors_path, threads = sys.argv[1:]
    import numpy as np
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(int(threads))
    with Path(texts_path).open(encoding="utf-8") as stream:
        texts = json.load(stream)
    model = SentenceTransformer(folder, device="cpu")
    np.save(vectors_path, model.encode(texts, normalize_embeddings=True, show_progress_bar=False))
    print("ready", flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
