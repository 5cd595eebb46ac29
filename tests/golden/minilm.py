"""Write the golden vectors of all-MiniLM-L6-v2: python tests/golden/minilm.py FOLDER > tests/golden/minilm.json

Runs in an environment with sentence-transformers; nothing of Rubricate is needed.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version

TEXTS = [
    "This is an example sentence",
    "Each sentence is converted",
    "",
    "?",
    "Wheat exports rose in March, the Department of Agriculture said.",
    "How do I top up my card? It won't let me!!",
    "Die Kartoffeln sind heute wieder teurer geworden.",
    "東京は日本の首都です。 😀 naïve café",
    "word " * 400,
    "The quick brown fox jumps over the lazy dog. " * 12,
]


def main() -> None:
    from sentence_transformers import SentenceTransformer

    vectors = SentenceTransformer(sys.argv[1], device="cpu").encode(TEXTS, normalize_embeddings=True)
    made = {name: version(name) for name in ("sentence-transformers", "transformers", "torch")}
    rounded = [[round(float(number), 7) for number in row] for row in vectors]
    json.dump({"versions": made, "texts": TEXTS, "vectors": rounded}, sys.stdout, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
